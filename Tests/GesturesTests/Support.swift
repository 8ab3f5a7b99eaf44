import Gestures
import PadModel

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every run.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension Point {
  init(_ x: Int, _ y: Int) { self.init(x: Int16(clamping: x), y: Int16(clamping: y)) }

  func offset(_ dx: Int, _ dy: Int) -> Point { Point(Int(x) + dx, Int(y) + dy) }
}

extension Pad {
  func centre(of node: NodeIndex) -> Point {
    Point(
      geometry.columnCentres[grid.column(of: node)], geometry.rowCentres[grid.row(of: node)])
  }

  /// The distance of neighbouring columns in units, a fraction at most too small.
  var pitch: Int { geometry.columnCentres[1] - geometry.columnCentres[0] }

  /// The whole pad with another rule.
  func with(_ rule: SelectionRule) -> Pad {
    var pad = self
    pad.rule = rule
    return pad
  }

  /// The way to `to` along the lanes between the nodes, so that no other zone is passed.
  ///
  /// Holds wherever the zones leave half a pitch free.
  func detour(from: NodeIndex, to: NodeIndex) -> [Point] {
    let (start, end, half) = (centre(of: from), centre(of: to), pitch / 2)
    return [
      start.offset(half, half), Point(Int(end.x) + half, Int(start.y) + half),
      end.offset(half, half), end,
    ]
  }

  /// The nodes of a stroke that is pressed at the first point, moved through the rest, and released.
  func drawn(_ points: [Point]) -> [NodeIndex] {
    var tracker = GestureTracker(pad: self)
    var steps: [GestureStep] = []
    tracker.drag(points, into: &steps)
    tracker.release(into: &steps)
    return tracker.path.nodes
  }

  /// The nodes of a stroke straight from centre to centre.
  func drawn(through nodes: [NodeIndex]) -> [NodeIndex] { drawn(nodes.map(centre)) }

  /// The nodes of a stroke that passes no node but those given.
  func drawn(around nodes: [NodeIndex]) -> [NodeIndex] {
    guard let first = nodes.first else { return [] }
    return drawn(
      [centre(of: first)]
        + zip(nodes, nodes.dropFirst()).flatMap { detour(from: $0, to: $1) })
  }
}

extension GestureTracker {
  mutating func drag(_ points: [Point], into steps: inout [GestureStep]) {
    guard let first = points.first else { return }
    press(at: first, into: &steps)
    for point in points.dropFirst() { move(to: point, into: &steps) }
  }
}

/// Every grid from 2×2 to 10×10.
func everyGrid() throws -> [Grid] {
  try Grid.allowedSides.flatMap { columns in
    try Grid.allowedSides.map { try Grid(columns: columns, rows: $0) }
  }
}
