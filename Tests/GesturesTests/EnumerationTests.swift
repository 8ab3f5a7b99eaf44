import Gestures
import PadModel
import Testing

/// Draws everything that can be drawn, from centre to centre, by going on from every path in every
/// direction.
private struct Explorer {
  let pad: Pad
  let longest: Int
  /// Each path as digits + 1 in base 16 from the left, so that numbers sort as text does.
  private(set) var found: Set<UInt64> = []
  private(set) var countByLength: [Int]

  init(_ pad: Pad, upTo longest: Int) {
    self.pad = pad
    self.longest = longest
    countByLength = [Int](repeating: 0, count: pad.grid.nodeCount + 1)
    var steps: [GestureStep] = []
    for node in 0..<NodeIndex(pad.grid.nodeCount) {
      var tracker = GestureTracker(pad: pad)
      tracker.press(at: pad.centre(of: node), into: &steps)
      explore(tracker)
    }
  }

  private mutating func explore(_ tracker: GestureTracker) {
    let path = tracker.path
    guard path.count <= longest, found.insert(Self.code(path)).inserted else { return }
    countByLength[path.count] += 1
    guard path.count < longest else { return }
    var steps: [GestureStep] = []
    for node in 0..<NodeIndex(pad.grid.nodeCount) where !path.contains(node) {
      var next = tracker
      next.move(to: pad.centre(of: node), into: &steps)
      explore(next)
    }
  }

  private static func code(_ path: Path) -> UInt64 {
    var code: UInt64 = 0
    for node in path.nodes { code = code << 5 | UInt64(node + 1) }
    return code << UInt64(5 * (12 - path.count))
  }

  static func digits(_ code: UInt64) -> [UInt8] {
    var digits: [UInt8] = []
    for place in 0..<9 {
      let digit = code >> UInt64(55 - 5 * place) & 31
      if digit > 0 { digits.append(UInt8(digit - 1)) }
    }
    return digits
  }
}

struct EnumerationTests {
  @Test("strokes through the centres of 3×3 draw exactly the 389,112 published codes")
  func everyCodeOfNineNodes() {
    let explorer = Explorer(Preset.android.pad(), upTo: 9)
    #expect(
      explorer.countByLength == [0, 9, 56, 320, 1624, 7152, 26_016, 72_912, 140_704, 140_704])
    var (list, starts, ends) = (
      [UInt8](), [Int](repeating: 0, count: 9), [Int](repeating: 0, count: 9)
    )
    for code in explorer.found.sorted() {
      let digits = Explorer.digits(code)
      guard digits.count >= 4, let last = digits.last else { continue }
      for digit in digits { list.append(UInt8(ascii: "0") + digit) }
      list.append(UInt8(ascii: "\n"))
      starts[Int(digits[0])] += 1
      ends[Int(last)] += 1
    }
    #expect(list.count == 3_489_816)
    #expect(
      SHA256.hexDigest(of: list)
        == "4ef36fe515120edb6969c88f41dd39fe369cb9529dffb2fd2c014def62c35916")
    let (corner, edge, centre) = (38_042, 43_176, 64_240)
    #expect(starts == [corner, edge, corner, edge, centre, edge, corner, edge, corner])
    let (cornerEnd, edgeEnd, centreEnd) = (54_374, 37_144, 23_040)
    #expect(
      ends == [
        cornerEnd, edgeEnd, cornerEnd, edgeEnd, centreEnd, edgeEnd, cornerEnd, edgeEnd, cornerEnd,
      ])
  }

  @Test(
    "strokes draw the known number of codes on other grids",
    arguments: [
      (2, 2, [0, 4, 12, 24, 24]),
      (2, 3, [0, 6, 26, 92, 260, 504, 504]),
      (3, 2, [0, 6, 26, 92, 260, 504, 504]),
      (3, 4, [0, 12, 98, 744, 5268]),
      (4, 4, [0, 16, 172, 1744]),
      (5, 5, [0, 25, 400, 6192]),
    ])
  func otherGrids(_ known: (columns: Int, rows: Int, counts: [Int])) throws {
    let grid = try Grid(columns: known.columns, rows: known.rows)
    let longest = known.counts.count - 1
    let explorer = Explorer(Preset.android.pad(grid), upTo: longest)
    #expect(Array(explorer.countByLength[...longest]) == known.counts)
  }

  @Test("strokes under neighbours draw the 10,096 king's walks")
  func neighbours() {
    let explorer = Explorer(Preset.android.pad().with(.neighbours), upTo: 9)
    #expect(explorer.countByLength[4...] == [496, 1208, 2240, 2984, 2384, 784])
  }

  @Test("the seed's midpoint rule draws the same short codes on 3×3 as fill does")
  func midpoint() {
    let explorer = Explorer(Preset.gestureLock.pad(), upTo: 5)
    #expect(explorer.countByLength[1...5] == [9, 56, 320, 1624, 7152])
  }
}
