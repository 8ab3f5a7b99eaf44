package import PadModel

/// The way from one node to another, as a number of equal lattice steps.
///
/// With d the greatest common divisor of the column and row distance, exactly the d − 1 nodes at the
/// multiples 1 … d − 1 of the step lie on the straight line between the two: a smaller lattice
/// step in that direction does not exist.
package struct Jump {
  private let start: (column: Int, row: Int)
  private let step: (columns: Int, rows: Int)
  /// The number of steps, and so one more than the nodes between.
  package let steps: Int

  /// Makes the jump between two different nodes of `grid`.
  package init(from: NodeIndex, to: NodeIndex, on grid: Grid) {
    start = (grid.column(of: from), grid.row(of: from))
    let columns = grid.column(of: to) - start.column
    let rows = grid.row(of: to) - start.row
    steps = greatestCommonDivisor(abs(columns), abs(rows))
    precondition(steps > 0, "a jump goes to another node")
    step = (columns / steps, rows / steps)
  }

  /// Whether it goes along a row, a column or an exact diagonal.
  private var isStraight: Bool {
    step.columns == 0 || step.rows == 0 || abs(step.columns) == abs(step.rows)
  }

  /// Whether `rule` lets somebody draw it at all.
  package func isAllowed(by rule: SelectionRule) -> Bool {
    switch rule {
    case .fill, .rowColumnDiagonal, .midpoint, .free: true
    case .neighbours: steps == 1 && abs(step.columns) <= 1 && abs(step.rows) <= 1
    }
  }

  /// The multiples of the step whose nodes `rule` adds on the way, as far as they are unused.
  ///
  /// The seed's rule asks for the node whose frame holds the middle of the two centres. Frames are
  /// narrower than a pitch and the middle is a whole or a half number of pitches away, so that is
  /// the lattice node in the middle if there is one, and else none.
  package func added(by rule: SelectionRule) -> Range<Int> {
    switch rule {
    case .fill: 1..<steps
    case .rowColumnDiagonal: isStraight ? 1..<steps : 1..<1
    case .midpoint: steps.isMultiple(of: 2) ? steps / 2..<steps / 2 + 1 : 1..<1
    case .free, .neighbours: 1..<1
    }
  }

  /// The node `multiple` steps from the start.
  package func node(_ multiple: Int, on grid: Grid) -> NodeIndex {
    grid.node(
      column: start.column + multiple * step.columns, row: start.row + multiple * step.rows)
  }
}

/// The path of a stroke together with the rule by which it grows.
struct Selection: Equatable, Sendable, Redacted {
  let grid: Grid
  let rule: SelectionRule
  private(set) var path: Path

  init(grid: Grid, rule: SelectionRule) {
    self.grid = grid
    self.rule = rule
    path = Path(for: grid)
  }

  /// Empties the path.
  ///
  /// Its storage is made anew only if somebody else still holds it.
  mutating func removeAll() {
    path.removeAll()
    path.reserve(for: grid)
  }

  /// Takes up a node that the pointer touched, after those that the jump adds before it.
  ///
  /// A used node and a refused jump leave everything as it was.
  mutating func touch(_ node: NodeIndex, into steps: inout [GestureStep]) {
    guard !path.contains(node) else { return }
    if let last = path.last {
      let jump = Jump(from: last, to: node, on: grid)
      guard jump.isAllowed(by: rule) else { return }
      for multiple in jump.added(by: rule) {
        let between = jump.node(multiple, on: grid)
        if !path.contains(between) { append(between, filledIn: true, into: &steps) }
      }
    }
    append(node, filledIn: false, into: &steps)
  }

  private mutating func append(
    _ node: NodeIndex, filledIn: Bool, into steps: inout [GestureStep]
  ) {
    path.append(node)
    steps.append(.entered(node, filledIn: filledIn))
  }
}
