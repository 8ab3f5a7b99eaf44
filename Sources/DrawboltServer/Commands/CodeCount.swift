import Gestures
package import PadModel

/// How many codes a lock may have: the paths that its rule lets somebody draw.
package struct CodeCount {
  /// A node that may come next, once all nodes of `needed` are used.
  private struct Step {
    let node: Int
    let bit: UInt128
    let needed: UInt128
  }

  private let minimumNodes: Int
  /// From each node the jumps that the rule allows.
  private let steps: [[Step]]
  private var wanted = 0
  private var found = 0
  private var visits = 0

  /// Visits after which a number that was not reached counts as not reached.
  ///
  /// Where nearly every way is a dead end (all hundred nodes under `neighbours`, for example) the
  /// search would not end.
  private static let mostVisits = 2_000_000

  /// Counts the codes of at least `minimumNodes` nodes on `grid` under `rule`.
  package init(grid: Grid, rule: SelectionRule, minimumNodes: Int) {
    self.minimumNodes = minimumNodes
    let nodes = 0..<NodeIndex(grid.nodeCount)
    steps = nodes.map { from in
      nodes.compactMap { to in
        to == from ? nil : Self.step(Jump(from: from, to: to, on: grid), to, grid, rule)
      }
    }
  }

  private static func step(
    _ jump: Jump, _ node: NodeIndex, _ grid: Grid, _ rule: SelectionRule
  ) -> Step? {
    guard jump.isAllowed(by: rule) else { return nil }
    let needed = jump.added(by: rule).reduce(UInt128(0)) { mask, multiple in
      mask | 1 << UInt128(jump.node(multiple, on: grid))
    }
    return Step(node: Int(node), bit: 1 << UInt128(node), needed: needed)
  }

  /// Whether there are `limit` codes or more; the search stops there.
  package func reaches(_ limit: Int) -> Bool {
    var search = self
    search.wanted = limit
    for node in steps.indices { search.visit(node, used: 1 << UInt128(node), count: 1) }
    return search.found >= limit
  }

  /// Counts the path to `node` if it is long enough, and all that begin with it, until there are
  /// enough.
  private mutating func visit(_ node: Int, used: UInt128, count: Int) {
    guard found < wanted, visits < Self.mostVisits else { return }
    visits += 1
    if count >= minimumNodes { found += 1 }
    for step in steps[node] where step.bit & used == 0 && step.needed & ~used == 0 {
      visit(step.node, used: used | step.bit, count: count + 1)
    }
  }
}
