/// The number of columns and rows of a pad, each 2 … 10.
public struct Grid: Hashable, Sendable {
  /// Columns and rows that a pad may have.
  public static let allowedSides = 2...10

  /// The most nodes that any grid has, and so the longest path.
  public static let mostNodes = 100

  /// Number of columns.
  public let columns: Int

  /// Number of rows.
  public let rows: Int

  /// Makes a grid.
  ///
  /// - Throws: ``PadModelError/gridSize(columns:rows:)`` when a side is not 2 … 10.
  public init(columns: Int, rows: Int) throws(PadModelError) {
    guard Self.allowedSides.contains(columns), Self.allowedSides.contains(rows) else {
      throw .gridSize(columns: columns, rows: rows)
    }
    self.columns = columns
    self.rows = rows
  }

  private init(square side: Int) {
    columns = side
    rows = side
  }

  /// The usual pad of nine nodes.
  public static let threeByThree = Grid(square: 3)

  /// Number of nodes, 4 … 100.
  public var nodeCount: Int { columns * rows }

  /// The longer side, in nodes.
  public var longerSide: Int { max(columns, rows) }

  /// Whether `node` is one of this grid's nodes.
  public func contains(_ node: NodeIndex) -> Bool { Int(node) < nodeCount }

  /// The column of `node`, counted from 0.
  public func column(of node: NodeIndex) -> Int { Int(node) % columns }

  /// The row of `node`, counted from 0.
  public func row(of node: NodeIndex) -> Int { Int(node) / columns }

  /// The node at `column` and `row`, which must lie on the grid.
  public func node(column: Int, row: Int) -> NodeIndex { NodeIndex(row * columns + column) }
}

/// A node's number: row-major from 0 at the top left, below ``Grid/mostNodes``.
public typealias NodeIndex = UInt8

/// A set of node numbers, without any allocation.
public struct NodeSet: Equatable, Sendable, Redacted {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// Makes an empty set.
  public init() {}

  /// Whether `node` (below 128) is a member.
  public func contains(_ node: NodeIndex) -> Bool {
    node < 64 ? low >> UInt64(node) & 1 == 1 : high >> UInt64(node - 64) & 1 == 1
  }

  /// Adds `node`, which must be below 128.
  public mutating func insert(_ node: NodeIndex) {
    if node < 64 { low |= 1 << UInt64(node) } else { high |= 1 << UInt64(node - 64) }
  }

  /// Empties the set.
  public mutating func removeAll() {
    low = 0
    high = 0
  }
}

/// The nodes selected so far, in order, none twice.
public struct Path: Equatable, Sendable, Redacted {
  /// The nodes in the order in which they were selected.
  public private(set) var nodes: [NodeIndex] = []

  private var members = NodeSet()

  /// Makes an empty path with room for every node of `grid`, so that appending never allocates.
  public init(for grid: Grid) { reserve(for: grid) }

  /// Makes an empty path.
  public init() {}

  /// Makes a path of `nodes`, whose repeats are left out.
  public init(_ nodes: some Sequence<NodeIndex>) {
    for node in nodes where !contains(node) { append(node) }
  }

  /// Number of nodes.
  public var count: Int { nodes.count }

  /// Whether no node is selected.
  public var isEmpty: Bool { nodes.isEmpty }

  /// The node selected last.
  public var last: NodeIndex? { nodes.last }

  /// Whether `node` is on the path, in constant time.
  public func contains(_ node: NodeIndex) -> Bool { members.contains(node) }

  /// Appends `node`, which must not be on the path.
  public mutating func append(_ node: NodeIndex) {
    precondition(!members.contains(node), "a node is selected once")
    members.insert(node)
    nodes.append(node)
  }

  /// Makes room for every node of `grid`, unless there is.
  public mutating func reserve(for grid: Grid) { nodes.reserveCapacity(grid.nodeCount) }

  /// Empties the path and keeps its storage, unless somebody else holds it too.
  public mutating func removeAll() {
    nodes.removeAll(keepingCapacity: true)
    members.removeAll()
  }
}
