/// Which nodes a jump from one node to another adds, or whether it is allowed.
public enum SelectionRule: String, CaseIterable, Sendable {
  /// Every unused lattice node exactly between the two is added first, in travel order; used ones
  /// are passed over. (Android on 3×3.)
  case fill
  /// The same, but only along rows, columns and exact diagonals. (Recent Android on larger grids.)
  case rowColumnDiagonal
  /// Only the node at the middle of the two centres is added first, if it is unused.
  case midpoint
  /// Nothing is added.
  case free
  /// Nothing is added, and a jump further than one column and one row is refused.
  case neighbours
}

/// What a cancelled stroke comes to.
public enum CancelRule: String, CaseIterable, Sendable {
  /// It is forgotten.
  case discard
  /// It is finished as if it had been released. (`sa-screen-lock`, as its origin does.)
  case submit
}

/// When a stroke is finished and what remains of it.
public struct FinishRule: Equatable, Sendable {
  /// Fewer nodes than this are too short: not checked, not counted.
  public var minimumNodes: Int
  /// What a cancel comes to.
  public var cancel: CancelRule
  /// Whether the page clears the path at once on release instead of keeping it lit.
  public var clearsOnRelease: Bool

  /// Makes a rule.
  public init(minimumNodes: Int, cancel: CancelRule = .discard, clearsOnRelease: Bool = false) {
    self.minimumNodes = minimumNodes
    self.cancel = cancel
    self.clearsOnRelease = clearsOnRelease
  }
}

/// Where a pointer hits a node.
///
/// All numbers are in ``Point/unitsPerSide`` units.
public enum HitZone: Equatable, Sendable {
  /// Strictly nearer to the centre than `radius`, or than `sweep` while passing between two samples.
  case circle(radius: Int, sweep: Int)
  /// Inside the node's column span and row span, both ends included; the same when passing.
  ///
  /// A half-open zone whose edges lie between units is exactly such a span of whole units.
  case box(columns: [ClosedRange<Int>], rows: [ClosedRange<Int>])
}

/// Where a pad's nodes are.
///
/// Nodes stand on a lattice: each column has one x and each row one y.
public struct Geometry: Equatable, Sendable {
  /// The pad's width and height in units; the longer is ``Point/unitsPerSide``.
  public let width: Int, height: Int
  /// The x of each column's centre in units.
  public let columnCentres: [Int]
  /// The y of each row's centre in units.
  public let rowCentres: [Int]
  /// The same in ten-thousandths of the longer side, rounded from the exact place, for JSON.
  package let columnDecimals: [Int], rowDecimals: [Int]
  /// Where a pointer hits a node.
  public let hit: HitZone
  /// A node's drawn diameter in units.
  public let nodeSize: Int

  /// The x of the centre of column `column` in ten-thousandths of the longer side.
  public func xDecimal(column: Int) -> Int { columnDecimals[column] }

  /// The y of the centre of row `row` in ten-thousandths of the longer side.
  public func yDecimal(row: Int) -> Int { rowDecimals[row] }
}

/// How a pad is drawn.
///
/// Behaviour never depends on it.
public struct Theme: Equatable, Sendable {
  /// The line's width in units of ``Point/unitsPerSide``.
  public var lineWidth: Int
  /// The line's colour as in CSS; empty leaves it to the page.
  public var lineColour: String
  /// Whether the line's ends and joins are round.
  public var roundCaps: Bool
  /// Whether the line follows the pointer beyond the last node.
  public var tail: Bool

  /// Makes a theme.
  public init(lineWidth: Int, lineColour: String = "", roundCaps: Bool = true, tail: Bool = true) {
    self.lineWidth = lineWidth
    self.lineColour = lineColour
    self.roundCaps = roundCaps
    self.tail = tail
  }
}

/// The dots somebody draws on: grid, geometry, selection and finish rules, theme.
public struct Pad: Equatable, Sendable {
  /// The name of the preset that it was made from.
  public let preset: Preset
  /// The width in view points that a seed preset's pad was laid out for; nil for other presets.
  public let viewWidth: Int?
  /// Columns and rows.
  public let grid: Grid
  /// Centres and hit zones.
  public let geometry: Geometry
  /// What a jump adds.
  public var rule: SelectionRule
  /// When a stroke is finished.
  public var finish: FinishRule
  /// How it is drawn.
  public var theme: Theme
  /// Whether the press, and at release the last moved-to sample, hit the full zone while all else
  /// sweeps with the narrower one.
  public var pressUsesFullZone: Bool
}
