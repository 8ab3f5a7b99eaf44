/// The named pads: the default, and the three published views that Drawbolt grew out of.
public enum Preset: String, CaseIterable, Sendable {
  /// Circles of 0.6 of half a cell, `fill`, four nodes at least, any grid.
  case android
  /// Square zones of half the node's frame; nothing is added; a cancel submits. 3×3 only.
  case saScreenLock = "sa-screen-lock"
  /// The whole frame hits; the node in the middle of a jump is added; four nodes at least. 3×3 only.
  case gestureLock = "gesture-lock"
  /// The whole frame hits; nothing is added; the line has no tail. 3×3 only.
  case hmView = "hm-view"

  /// Whether the preset can have grids other than 3×3.
  public var hasAnyGrid: Bool { self == .android }

  /// Whether the preset is laid out for a view's width.
  public var hasViewWidth: Bool { self != .android }

  /// The widths in view points that a seed preset can be laid out for.
  public static let allowedViewWidths = 200...2000
  /// The width that a seed preset has unless it is told otherwise.
  public static let standardViewWidth = 375

  /// The preset's pad on `grid`; seed presets, which are 3×3 only, ignore it.
  ///
  /// `viewWidth`, one of ``allowedViewWidths``, is for the seed presets: their nodes have a size in
  /// view points, so they stand the further apart the wider the view is.
  public func pad(
    _ grid: Grid = .threeByThree, viewWidth: Int = Preset.standardViewWidth
  ) -> Pad {
    precondition(Self.allowedViewWidths.contains(viewWidth), "callers check the width")
    return switch self {
    case .android: Self.androidPad(grid)
    case .saScreenLock:
      SeedView(width: viewWidth, node: 64, top: .none, hit: .centralHalf).pad(
        self, rule: .free,
        finish: FinishRule(minimumNodes: 1, cancel: .submit, clearsOnRelease: true),
        line: (8, "rgba(122, 214, 250, 0.7)", true, true))
    case .gestureLock:
      SeedView(width: viewWidth, node: 64, top: .marginAnd(70), hit: .wholeFrame).pad(
        self, rule: .midpoint, finish: FinishRule(minimumNodes: 4),
        line: (10, "rgb(227, 54, 58)", true, true))
    case .hmView:
      SeedView(width: viewWidth, node: 36, top: .marginAnd(0), hit: .wholeFrame).pad(
        self, rule: .free, finish: FinishRule(minimumNodes: 1, clearsOnRelease: true),
        line: (10, "white", false, false))
    }
  }

  /// The recent Android view: strict circles, the full zone at the press, a narrower one between
  /// samples so that no straight stroke picks up a node beside its line.
  private static func androidPad(_ grid: Grid) -> Pad {
    let side = grid.longerSide
    let pitch = Double(Point.unitsPerSide) / Double(side)
    let radius = Int((0.6 * pitch / 2).rounded())
    let unhijacked = max(0.75 * closestPass(on: grid), 0.19) * pitch
    func centres(_ count: Int, per unit: Int) -> [Int] {
      (0..<count).map { ((2 * $0 + 1) * unit + side) / (2 * side) }
    }
    return Pad(
      preset: .android, viewWidth: nil, grid: grid,
      geometry: Geometry(
        width: (grid.columns * Point.unitsPerSide + side / 2) / side,
        height: (grid.rows * Point.unitsPerSide + side / 2) / side,
        columnCentres: centres(grid.columns, per: Point.unitsPerSide),
        rowCentres: centres(grid.rows, per: Point.unitsPerSide),
        columnDecimals: centres(grid.columns, per: 10_000),
        rowDecimals: centres(grid.rows, per: 10_000),
        hit: .circle(radius: radius, sweep: min(radius, Int(unhijacked.rounded(.down)))),
        nodeSize: Int((0.3 * pitch).rounded())),
      rule: .fill, finish: FinishRule(minimumNodes: 4),
      theme: Theme(lineWidth: Int((0.06 * pitch).rounded())), pressUsesFullZone: true)
  }

  /// How close a straight line between two nodes comes to a third beside it, in pitches.
  ///
  /// 1/√(p²+q²) for the primitive step with the largest p²+q² that fits on the grid.
  private static func closestPass(on grid: Grid) -> Double {
    var longest = 2
    for p in 1..<grid.rows {
      for q in 1..<grid.columns where greatestCommonDivisor(p, q) == 1 {
        longest = max(longest, p * p + q * q)
      }
    }
    return 1 / Double(longest).squareRoot()
  }
}

/// The greatest common divisor of two whole numbers that are not negative.
public func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}

/// A seed view's layout in view points, in quarters so that all are whole.
///
/// Node frames stand at m + column·(d + m), where m = (width − 3·d) / 4 is the gap.
private struct SeedView {
  enum Top { case none, marginAnd(Int) }
  enum Hit { case centralHalf, wholeFrame }

  let width: Int
  let node: Int
  let top: Top
  let hit: Hit

  /// Lengths below are in quarter points.
  private var gap: Int { width - 3 * node }
  private var pitch: Int { 4 * node + gap }
  private var topEdge: Int {
    switch top {
    case .none: 0
    case .marginAnd(let extra): 4 * extra + gap
    }
  }
  /// Without a top margin the view shrinks to its nodes; else a gap stands below the last row too.
  private var height: Int {
    switch top {
    case .none: 2 * pitch + 4 * node
    case .marginAnd: topEdge + 2 * pitch + 4 * node + gap
    }
  }
  private var longerSide: Int { max(4 * width, height) }

  /// The first whole unit at or after `length` quarter points.
  private func unitAtOrAfter(_ length: Int) -> Int {
    (length * Point.unitsPerSide + longerSide - 1) / longerSide
  }

  private func rounded(_ length: Int, per unit: Int) -> Int {
    (2 * length * unit + longerSide) / (2 * longerSide)
  }

  /// Half-open [edge, edge + size) holds exactly these whole units.
  private func span(_ frameEdge: Int) -> ClosedRange<Int> {
    let inset = hit == .centralHalf ? node : 0
    return unitAtOrAfter(frameEdge + inset)...unitAtOrAfter(frameEdge + 4 * node - inset) - 1
  }

  func pad(
    _ preset: Preset, rule: SelectionRule, finish: FinishRule,
    line: (width: Int, colour: String, round: Bool, tail: Bool)
  ) -> Pad {
    let lefts = (0..<3).map { gap + $0 * pitch }
    let tops = (0..<3).map { topEdge + $0 * pitch }
    func centres(_ edges: [Int], per unit: Int) -> [Int] {
      edges.map { rounded($0 + 2 * node, per: unit) }
    }
    let units = Point.unitsPerSide
    return Pad(
      preset: preset, viewWidth: width, grid: .threeByThree,
      geometry: Geometry(
        width: rounded(4 * width, per: units), height: rounded(height, per: units),
        columnCentres: centres(lefts, per: units), rowCentres: centres(tops, per: units),
        columnDecimals: centres(lefts, per: 10_000), rowDecimals: centres(tops, per: 10_000),
        hit: .box(columns: lefts.map(span), rows: tops.map(span)),
        nodeSize: rounded(4 * node, per: units)),
      rule: rule, finish: finish,
      theme: Theme(
        lineWidth: rounded(4 * line.width, per: units), lineColour: line.colour,
        roundCaps: line.round, tail: line.tail),
      pressUsesFullZone: false)
  }
}
