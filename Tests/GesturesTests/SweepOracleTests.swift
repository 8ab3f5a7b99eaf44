import Gestures
import PadModel
import Testing

struct SweepOracleTests {
  /// Points near nodes, near zone edges, anywhere on the pad, anywhere at all, and along the axes.
  private func stroke(on pad: Pad, _ generator: inout SeededGenerator) -> [Point] {
    var points: [Point] = []
    for _ in 0..<Int.random(in: 1...7, using: &generator) {
      func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }
      let node = NodeIndex.random(in: 0..<NodeIndex(pad.grid.nodeCount), using: &generator)
      let centre = pad.centre(of: node)
      let reach = pad.pitch / 2
      switch number(0...7) {
      case 0: points.append(centre)
      case 1, 2: points.append(centre.offset(number(-reach...reach), number(-reach...reach)))
      case 3: points.append(Point(number(-32_768...32_767), number(-32_768...32_767)))
      case 4: points.append(points.last ?? centre)
      case 5: points.append(Point(number(-4000...12_000), Int(points.last?.y ?? centre.y)))
      case 6: points.append(Point(Int(points.last?.x ?? centre.x), number(-4000...12_000)))
      default: points.append(Point(number(-100...8292), number(-100...8292)))
      }
    }
    return points
  }

  @Test("on every grid a stroke selects what testing all nodes finds, in the same order")
  func everyGridAgrees() throws {
    var generator = SeededGenerator(state: 42)
    for grid in try everyGrid() {
      let pad = Preset.android.pad(grid).with(.free)
      var oracle = BruteForce(pad)
      for _ in 0..<50 {
        let points = stroke(on: pad, &generator)
        oracle.draw(points)
        #expect(pad.drawn(points) == oracle.path)
      }
    }
  }

  @Test(
    "on every seed preset a stroke selects what testing all nodes finds, in the same order",
    arguments: [Preset.saScreenLock, .gestureLock, .hmView])
  func boxesAgree(_ preset: Preset) {
    var generator = SeededGenerator(state: 43)
    let pad = preset.pad().with(.free)
    var oracle = BruteForce(pad)
    for _ in 0..<2000 {
      let points = stroke(on: pad, &generator)
      oracle.draw(points)
      #expect(pad.drawn(points) == oracle.path)
    }
  }

  @Test("a straight swipe right through the pad meets a whole row, column or diagonal in order")
  func wholeLines() throws {
    for grid in try everyGrid() {
      let pad = Preset.android.pad(grid)
      let (columns, rows) = (grid.columns, grid.rows)
      for row in 0..<rows {
        let y = pad.geometry.rowCentres[row]
        let nodes = (0..<columns).map { grid.node(column: $0, row: row) }
        let ends = [Point(-32_768, y), Point(32_767, y)]
        #expect(pad.drawn(ends) == nodes)
        #expect(pad.drawn(ends.reversed()) == nodes.reversed())
      }
      for column in 0..<columns {
        let x = pad.geometry.columnCentres[column]
        let nodes = (0..<rows).map { grid.node(column: column, row: $0) }
        let ends = [Point(x, -32_768), Point(x, 32_767)]
        #expect(pad.drawn(ends) == nodes)
        #expect(pad.drawn(ends.reversed()) == nodes.reversed())
      }
    }
  }
}
