public import PadModel

/// A code as people write it.
///
/// On pads of up to nine nodes it is one digit a node (`1236`), else the nodes' numbers with dashes
/// between them (`1-2-12`), which is understood on small pads too. It is never a number type: `0125`
/// and `125` differ.
public struct PathText: Sendable {
  /// From what the nodes are counted.
  public enum Base: Int, CaseIterable, Sendable {
    /// The top left node is 0, as in messages and code.
    case zero = 0
    /// The top left node is 1, as people count.
    case one = 1
  }

  private let grid: Grid
  private let rule: SelectionRule
  private let base: Base

  /// Makes a reader and writer for codes of `pad`.
  public init(for pad: Pad, base: Base = .one) {
    self.init(grid: pad.grid, rule: pad.rule, base: base)
  }

  /// Makes a reader and writer for codes on `grid` under `rule`.
  public init(grid: Grid, rule: SelectionRule, base: Base = .one) {
    self.grid = grid
    self.rule = rule
    self.base = base
  }

  private var usesDigits: Bool { grid.nodeCount <= 9 }

  /// Writes a path down.
  public func write(_ path: Path) -> String {
    path.nodes.map { String(Int($0) + base.rawValue) }.joined(separator: usesDigits ? "" : "-")
  }

  /// Reads a code, whose every jump must be one that the rule lets somebody draw.
  ///
  /// - Throws: ``GesturesError`` with the reason and the place of the first node that is wrong.
  public func parse(_ text: some StringProtocol) throws(GesturesError) -> Path {
    guard !text.isEmpty else { throw .empty }
    let dashed = !usesDigits || text.utf8.contains(UInt8(ascii: "-"))
    var nodes: [NodeIndex] = []
    // No path is longer than the grid, so a much longer text is refused without being read on.
    if dashed {
      for part in text.utf8.split(
        separator: UInt8(ascii: "-"), maxSplits: grid.nodeCount, omittingEmptySubsequences: false)
      { nodes.append(try node(part, position: nodes.count + 1)) }
    } else {
      for digit in text.utf8.prefix(grid.nodeCount + 1) {
        nodes.append(try node(CollectionOfOne(digit), position: nodes.count + 1))
      }
    }
    return try check(nodes)
  }

  /// Makes a path of `nodes`, whose every jump must be one that the rule lets somebody draw.
  ///
  /// - Throws: ``GesturesError`` with the reason and the place of the first node that is wrong.
  public func check(_ nodes: some Collection<NodeIndex>) throws(GesturesError) -> Path {
    guard !nodes.isEmpty else { throw .empty }
    var path = Path()
    var position = 0
    for node in nodes {
      position += 1
      guard grid.contains(node) else { throw .unknownNode(position: position) }
      guard !path.contains(node) else { throw .repeatedNode(position: position) }
      guard allows(node, after: path) else { throw .jump(position: position) }
      path.append(node)
    }
    return path
  }

  /// Whether a stroke that has selected `path` can come to `node` next, with nothing added between.
  package func allows(_ node: NodeIndex, after path: Path) -> Bool {
    guard let last = path.last else { return true }
    let jump = Jump(from: last, to: node, on: grid)
    return jump.isAllowed(by: rule)
      && jump.added(by: rule).allSatisfy { path.contains(jump.node($0, on: grid)) }
  }

  private func node(
    _ digits: some Collection<UInt8>, position: Int
  ) throws(GesturesError) -> NodeIndex {
    guard (1...3).contains(digits.count) else { throw .malformed(position: position) }
    var number = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else {
        throw .malformed(position: position)
      }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    guard let node = NodeIndex(exactly: number - base.rawValue), grid.contains(node) else {
      throw .unknownNode(position: position)
    }
    return node
  }
}
