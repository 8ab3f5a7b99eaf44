import Gestures
import PadModel
import Testing

/// One of the published views, point by point, in view points as its own code computes: written from
/// what the views do, not from this project's zones.
private struct SeedViewOracle: Sendable {
  enum Fill { case none, middleNode }

  let preset: Preset
  let node: Double
  let topMargin: Double
  let inset: Double
  let fill: Fill
  /// The view's longer side in view points; a pad unit is 1/8192 of it.
  let longerSide: Double
  let minimumNodes: Int

  private var gap: Double { (375 - 3 * node) / 4 }

  static let saScreenLock = SeedViewOracle(
    preset: .saScreenLock, node: 64, topMargin: 0, inset: 16, fill: .none, longerSide: 375,
    minimumNodes: 1)
  static let gestureLock = SeedViewOracle(
    preset: .gestureLock, node: 64, topMargin: 70 + 45.75, inset: 0, fill: .middleNode,
    longerSide: 70 + 45.75 + 3 * (64 + 45.75), minimumNodes: 4)
  static let hmView = SeedViewOracle(
    preset: .hmView, node: 36, topMargin: 66.75, inset: 0, fill: .none, longerSide: 375,
    minimumNodes: 1)
  static let all = [saScreenLock, gestureLock, hmView]

  func left(_ index: Int) -> Double { gap + Double(index % 3) * (node + gap) }
  func top(_ index: Int) -> Double { topMargin + Double(index / 3) * (node + gap) }

  /// Which of the three frames, less the inset, holds the coordinate: left edge in, right edge out.
  private func slot(_ coordinate: Double, _ edge: (Int) -> Double, _ stride: Int) -> UInt8 {
    for slot in 0..<3 {
      let low = edge(slot * stride) + inset
      if low <= coordinate, coordinate < low + node - 2 * inset { return UInt8(slot) }
    }
    return 3
  }

  /// The slots of all unit positions from `first` on, so that a long walk is quick.
  func slots(from first: Int, count: Int) -> (x: [UInt8], y: [UInt8]) {
    let places = (first..<first + count).map { Double($0) * longerSide / 8192 }
    return (places.map { slot($0, left, 1) }, places.map { slot($0, top, 3) })
  }

  /// The node added before `touched`: that whose whole frame holds the middle of the two centres.
  func added(_ last: Int, _ touched: Int) -> Int? {
    guard fill == .middleNode else { return nil }
    let x = (left(last) + left(touched) + node) / 2
    let y = (top(last) + top(touched) + node) / 2
    return (0..<9).first {
      left($0) <= x && x < left($0) + node && top($0) <= y && y < top($0) + node
    }
  }
}

/// The oracle walking unit by unit.
private struct SeedWalk {
  private static let first = -3000
  private static let count = 15_000
  private let oracle: SeedViewOracle
  private let slots: (x: [UInt8], y: [UInt8])
  private(set) var selected: [NodeIndex] = []

  init(_ oracle: SeedViewOracle) {
    self.oracle = oracle
    slots = oracle.slots(from: Self.first, count: Self.count)
  }

  mutating func press(_ x: Int, _ y: Int) {
    selected = []
    touch(x, y)
  }

  mutating func touch(_ x: Int, _ y: Int) {
    let column = slots.x[x - Self.first]
    guard column < 3 else { return }
    let row = slots.y[y - Self.first]
    guard row < 3 else { return }
    let node = 3 * row + column
    guard !selected.contains(node) else { return }
    if let last = selected.last, let added = oracle.added(Int(last), Int(node)),
      !selected.contains(NodeIndex(added))
    {
      selected.append(NodeIndex(added))
    }
    selected.append(node)
  }

  /// Touches every unit of a straight way in one of the eight directions.
  ///
  /// Written for speed without optimisation: it takes some hundred million steps.
  mutating func walk(from start: Point, to end: Point) {
    let (dx, dy) = (Int(end.x) - Int(start.x), Int(end.y) - Int(start.y))
    let (stepX, stepY) = (dx.signum(), dy.signum())
    var (x, y) = (Int(start.x) - Self.first, Int(start.y) - Self.first)
    var left = max(abs(dx), abs(dy))
    let slots = slots
    slots.x.withUnsafeBufferPointer { columns in
      slots.y.withUnsafeBufferPointer { rows in
        while left > 0 {
          x &+= stepX
          y &+= stepY
          left &-= 1
          if columns[x] != 3, rows[y] != 3 { touch(x + Self.first, y + Self.first) }
        }
      }
    }
  }
}

struct SeedOracleTests {
  /// A stroke of legs along rows, columns and diagonals, whose every unit is a whole position.
  ///
  /// They go from the surroundings of one node to those of another.
  private func legs(_ pad: Pad, _ generator: inout SeededGenerator) -> [Point] {
    func somewhere() -> Point {
      pad.centre(of: .random(in: 0..<9, using: &generator)).offset(
        .random(in: -900...900, using: &generator), .random(in: -900...900, using: &generator))
    }
    var points = [somewhere()]
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let (place, goal) = (points[points.count - 1], somewhere())
      let (dx, dy) = (Int(goal.x) - Int(place.x), Int(goal.y) - Int(place.y))
      let both = min(abs(dx), abs(dy))
      let diagonal = (both * dx.signum(), both * dy.signum())
      let first = [diagonal, (dx, 0), (0, dy)].randomElement(using: &generator) ?? diagonal
      let corner = place.offset(first.0, first.1)
      // What is left of a diagonal leg is along one axis; of the others, along the other one.
      points += [corner, goal]
    }
    return points
  }

  @Test("each seed preset selects what its view did, touched at every unit", arguments: [0, 1, 2])
  func everyUnit(_ seed: Int) {
    let oracle = SeedViewOracle.all[seed]
    let pad = oracle.preset.pad()
    var generator = SeededGenerator(state: UInt64(seed) + 1)
    var walk = SeedWalk(oracle)
    var selectedInAll = 0
    for _ in 0..<2000 {
      let points = legs(pad, &generator)
      walk.press(Int(points[0].x), Int(points[0].y))
      for (start, end) in zip(points, points.dropFirst()) { walk.walk(from: start, to: end) }
      #expect(pad.drawn(points) == walk.selected)
      selectedInAll += walk.selected.count
    }
    #expect(selectedInAll > 3000, "the strokes meet nodes")
  }

  @Test("each seed preset selects what its view did on any dense stroke", arguments: [0, 1, 2])
  func denseStrokes(_ seed: Int) {
    let oracle = SeedViewOracle.all[seed]
    var tracker = GestureTracker(pad: oracle.preset.pad())
    var walk = SeedWalk(oracle)
    var generator = SeededGenerator(state: UInt64(seed) + 10)
    var steps: [GestureStep] = []
    for _ in 0..<60 {
      var place = Point(
        .random(in: 0...8192, using: &generator), .random(in: 0...8192, using: &generator))
      tracker.press(at: place, into: &steps)
      walk.press(Int(place.x), Int(place.y))
      for _ in 0..<3 {
        let goal = Point(
          .random(in: -200...8392, using: &generator), .random(in: -200...8392, using: &generator))
        let (start, far) = (
          place, max(abs(Int(goal.x) - Int(place.x)), abs(Int(goal.y) - Int(place.y)))
        )
        for step in 0..<far {
          place = Point(
            Int(start.x) + (Int(goal.x) - Int(start.x)) * (step + 1) / far,
            Int(start.y) + (Int(goal.y) - Int(start.y)) * (step + 1) / far)
          tracker.move(to: place, into: &steps)
          walk.touch(Int(place.x), Int(place.y))
        }
        steps.removeAll(keepingCapacity: true)
      }
      #expect(tracker.path.nodes == walk.selected)
    }
  }

  @Test("press, release and cancel do to each seed preset what they did to its view")
  func lifeOfAStroke() {
    for oracle in SeedViewOracle.all {
      let pad = oracle.preset.pad()
      #expect(pad.finish.minimumNodes == oracle.minimumNodes)
      var tracker = GestureTracker(pad: pad)
      var steps: [GestureStep] = []
      tracker.press(at: pad.centre(of: 0), into: &steps)
      #expect(tracker.path.nodes == [0])
      #expect(tracker.showsTail == (oracle.preset == .gestureLock))
      tracker.move(to: pad.centre(of: 1), into: &steps)
      #expect(tracker.showsTail == (oracle.preset != .hmView))
      steps = []
      tracker.cancel(into: &steps)
      let submits = oracle.preset == .saScreenLock
      #expect(steps == [submits ? .finished : .cancelled])
      #expect(tracker.path.nodes == (submits ? [0, 1] : []))
      #expect(!tracker.showsTail)
    }
  }

  @Test("a cancel is forgotten on sa-screen-lock too once that is configured")
  func submitTurnedOff() {
    var pad = Preset.saScreenLock.pad()
    pad.finish.cancel = .discard
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.press(at: pad.centre(of: 4), into: &steps)
    steps = []
    tracker.cancel(into: &steps)
    #expect(steps == [.cancelled])
  }

  @Test("jumps of the seed views: only gesture-lock adds the middle")
  func jumps() {
    let corners: [NodeIndex] = [0, 8]
    func around(_ preset: Preset) -> [NodeIndex] {
      let pad = preset.pad()
      let (a, b) = (pad.geometry.columnCentres, pad.geometry.rowCentres)
      let lane = [Point((a[0] + a[1]) / 2, b[0]), Point((a[0] + a[1]) / 2, (b[1] + b[2]) / 2)]
      let end = [Point(a[2], (b[1] + b[2]) / 2), pad.centre(of: corners[1])]
      return pad.drawn([pad.centre(of: corners[0])] + lane + end)
    }
    #expect(around(.gestureLock) == [0, 4, 8])
    #expect(around(.saScreenLock) == [0, 8])
    #expect(around(.hmView) == [0, 8])
  }
}
