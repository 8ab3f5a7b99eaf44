import Gestures
import PadModel
import Testing

struct StraightStrokeTests {
  @Test("no straight stroke with p² + q² ≤ 25 is hijacked on 4×4 … 10×10", arguments: 4...10)
  func neverHijacked(_ side: Int) throws {
    let grid = try Grid(columns: side, rows: side)
    let pad = Preset.android.pad(grid)
    for from in 0..<NodeIndex(grid.nodeCount) {
      for to in 0..<NodeIndex(grid.nodeCount) where to != from {
        let jump = Jump(from: from, to: to, on: grid)
        let p = (grid.column(of: to) - grid.column(of: from)) / jump.steps
        let q = (grid.row(of: to) - grid.row(of: from)) / jump.steps
        guard p * p + q * q <= 25 else { continue }
        let onLine = (0...jump.steps).map { jump.node($0, on: grid) }
        #expect(pad.drawn(through: [from, to]) == onLine, "\(side)×\(side), step (\(p), \(q))")
      }
    }
  }

  @Test("on grids that are not square and small ones no straight stroke at all is hijacked")
  func smallGrids() throws {
    for (columns, rows) in [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (4, 4), (5, 5), (2, 5)]
    {
      let grid = try Grid(columns: columns, rows: rows)
      let pad = Preset.android.pad(grid)
      for from in 0..<NodeIndex(grid.nodeCount) {
        for to in 0..<NodeIndex(grid.nodeCount) where to != from {
          let jump = Jump(from: from, to: to, on: grid)
          let onLine = (0...jump.steps).map { jump.node($0, on: grid) }
          #expect(pad.drawn(through: [from, to]) == onLine)
        }
      }
    }
  }

  @Test("a stroke given by its turning points and every whole unit step between selects the same")
  func exactSubdivision() throws {
    var generator = SeededGenerator(state: 7)
    let pads =
      try everyGrid().map { Preset.android.pad($0) }
      + [Preset.saScreenLock, .gestureLock, .hmView].map { $0.pad() }
    for pad in pads {
      for _ in 0..<20 {
        var (turns, all): ([Point], [Point]) = ([], [])
        var place = Point(
          .random(in: 0...8191, using: &generator), .random(in: 0...8191, using: &generator))
        turns.append(place)
        all.append(place)
        for _ in 0..<5 {
          let parts = Int.random(in: 1...40, using: &generator)
          let goal = Point(
            .random(in: 0...8191, using: &generator), .random(in: 0...8191, using: &generator))
          let (dx, dy) = (
            (Int(goal.x) - Int(place.x)) / parts, (Int(goal.y) - Int(place.y)) / parts
          )
          for _ in 0..<parts {
            place = place.offset(dx, dy)
            all.append(place)
          }
          turns.append(place)
        }
        #expect(pad.drawn(turns) == pad.drawn(all))
      }
    }
  }

  @Test("a finger's stroke at 240 Hz selects what its turning points select", arguments: 2...10)
  func sampledAt240Hz(_ side: Int) throws {
    let pad = Preset.android.pad(try Grid(columns: side, rows: side))
    let sweep =
      switch pad.geometry.hit {
      case .circle(radius: _, let sweep): sweep
      case .box: 0
      }
    var generator = SeededGenerator(state: UInt64(side))
    var compared = 0
    while compared < 100 {
      let jitter = pad.pitch / 8
      let turns = (0..<6).map { _ in
        pad.centre(of: .random(in: 0..<NodeIndex(pad.grid.nodeCount), using: &generator)).offset(
          .random(in: -jitter...jitter, using: &generator),
          .random(in: -jitter...jitter, using: &generator))
      }
      // Rounding to units bends the line by less than one: a line that near to a zone's edge proves
      // nothing.
      guard zip(turns, turns.dropFirst()).allSatisfy({ clear($0, $1, on: pad, by: sweep) }) else {
        continue
      }
      compared += 1
      // A finger at two sides a second moves 68 units between two samples.
      #expect(pad.drawn(sampled(turns, every: 68)) == pad.drawn(turns))
    }
  }

  private func sampled(_ turns: [Point], every units: Double) -> [Point] {
    var samples = [turns[0]]
    for (start, end) in zip(turns, turns.dropFirst()) {
      let (dx, dy) = (Double(end.x) - Double(start.x), Double(end.y) - Double(start.y))
      let count = max(1, Int((dx * dx + dy * dy).squareRoot() / units))
      for i in 1...count {
        let t = Double(i) / Double(count)
        samples.append(
          start.offset(Int((dx * t).rounded()), Int((dy * t).rounded())))
      }
    }
    return samples
  }

  /// Whether the segment stays a unit and a half away from the edge of every zone's circle.
  private func clear(_ start: Point, _ end: Point, on pad: Pad, by radius: Int) -> Bool {
    (0..<NodeIndex(pad.grid.nodeCount)).allSatisfy { node in
      let centre = pad.centre(of: node)
      let (fx, fy) = (Double(centre.x) - Double(start.x), Double(centre.y) - Double(start.y))
      let (dx, dy) = (Double(end.x) - Double(start.x), Double(end.y) - Double(start.y))
      let t = min(1, max(0, (fx * dx + fy * dy) / max(1, dx * dx + dy * dy)))
      let (ex, ey) = (fx - t * dx, fy - t * dy)
      return abs((ex * ex + ey * ey).squareRoot() - Double(radius)) > 1.5
    }
  }
}
