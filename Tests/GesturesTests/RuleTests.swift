import Gestures
import PadModel
import Testing

/// A jump of the differential table: what two rules add between two nodes.
struct TableRow: Sendable, CustomTestStringConvertible {
  let side: Int
  let from: (row: Int, column: Int)
  let to: (row: Int, column: Int)
  let exact: [(row: Int, column: Int)]
  let straightOnly: [(row: Int, column: Int)]

  var testDescription: String { "\(side)×\(side) \(from)→\(to)" }

  static let all = [
    TableRow(side: 5, from: (0, 0), to: (0, 2), exact: [(0, 1)], straightOnly: [(0, 1)]),
    TableRow(
      side: 5, from: (0, 0), to: (0, 3), exact: [(0, 1), (0, 2)], straightOnly: [(0, 1), (0, 2)]),
    TableRow(
      side: 5, from: (0, 4), to: (0, 0), exact: [(0, 3), (0, 2), (0, 1)],
      straightOnly: [(0, 3), (0, 2), (0, 1)]),
    TableRow(
      side: 5, from: (4, 4), to: (0, 0), exact: [(3, 3), (2, 2), (1, 1)],
      straightOnly: [(3, 3), (2, 2), (1, 1)]),
    TableRow(side: 5, from: (0, 0), to: (2, 3), exact: [], straightOnly: []),
    TableRow(side: 5, from: (0, 0), to: (2, 4), exact: [(1, 2)], straightOnly: []),
    TableRow(side: 5, from: (0, 0), to: (4, 2), exact: [(2, 1)], straightOnly: []),
    TableRow(side: 7, from: (0, 0), to: (4, 6), exact: [(2, 3)], straightOnly: []),
  ]
}

struct RuleTests {
  @Test(
    "a jump around the nodes between adds what the differential table says", arguments: TableRow.all
  )
  func differentialTable(_ row: TableRow) throws {
    let grid = try Grid(columns: row.side, rows: row.side)
    func node(_ place: (row: Int, column: Int)) -> NodeIndex {
      grid.node(column: place.column, row: place.row)
    }
    let (from, to) = (node(row.from), node(row.to))
    let pad = Preset.android.pad(grid)
    #expect(pad.drawn(around: [from, to]) == [from] + row.exact.map(node) + [to])
    #expect(
      pad.with(.rowColumnDiagonal).drawn(around: [from, to])
        == [from] + row.straightOnly.map(node) + [to])
    #expect(pad.with(.free).drawn(around: [from, to]) == [from, to])
  }

  @Test(
    "as many jumps need a fill, and as many differ between the rules, as the table says",
    arguments: [(3, 72, 16, 0), (4, 240, 68, 0), (5, 600, 200, 24), (6, 1260, 424, 64)])
  func pairCounts(_ known: (side: Int, pairs: Int, fills: Int, differ: Int)) throws {
    let grid = try Grid(columns: known.side, rows: known.side)
    let nodes = 0..<NodeIndex(grid.nodeCount)
    let jumps = nodes.flatMap { from in
      nodes.filter { $0 != from }.map { Jump(from: from, to: $0, on: grid) }
    }
    #expect(jumps.count == known.pairs)
    #expect(jumps.count { !$0.added(by: .fill).isEmpty } == known.fills)
    #expect(
      jumps.count { $0.added(by: .fill) != $0.added(by: .rowColumnDiagonal) } == known.differ)
  }

  @Test(
    "touches become the path they should, drawn straight or around",
    arguments: [
      (3, [0, 2], [0, 1, 2]), (3, [0, 8], [0, 4, 8]), (3, [2, 6], [2, 4, 6]),
      (3, [1, 7], [1, 4, 7]), (3, [3, 5], [3, 4, 5]), (3, [0, 5, 6], [0, 5, 6]),
      (3, [1, 0, 2], [1, 0, 2]), (3, [0, 0, 1, 1, 0, 2], [0, 1, 2]),
      (3, [0, 8, 2, 6], [0, 4, 8, 5, 2, 6]), (4, [0, 15], [0, 5, 10, 15]),
      (4, [0, 3], [0, 1, 2, 3]), (4, [0, 9], [0, 9]),
      // Users' reports: around 2, around 5, around 4, all nine, across the centre.
      (3, [0, 2, 8], [0, 1, 2, 5, 8]), (3, [0, 8, 7, 4, 3], [0, 4, 8, 7, 3]),
      (3, [0, 6], [0, 3, 6]), (3, [0, 2, 5, 3, 6, 8], [0, 1, 2, 5, 4, 3, 6, 7, 8]),
      (3, [7, 1], [7, 4, 1]), (3, [5, 3], [5, 4, 3]),
    ] as [(Int, [NodeIndex], [NodeIndex])])
  func normalisation(_ known: (side: Int, touches: [NodeIndex], path: [NodeIndex])) throws {
    let pad = Preset.android.pad(try Grid(columns: known.side, rows: known.side))
    #expect(pad.drawn(through: known.touches) == known.path)
    #expect(pad.drawn(around: known.touches) == known.path)
  }

  @Test(
    "rows, columns and diagonals of large grids are filled in travel order",
    arguments: [
      (1, 9, 10, [2, 3, 4, 5, 6, 7, 8]), (9, 6, 5, [8, 7]), (24, 4, 5, [19, 14, 9]),
      (24, 0, 5, [18, 12, 6]), (56, 35, 8, [49, 42]), (32, 59, 8, [41, 50]), (25, 33, 10, []),
    ] as [(NodeIndex, NodeIndex, Int, [NodeIndex])])
  func largeGrids(_ known: (from: NodeIndex, to: NodeIndex, side: Int, between: [NodeIndex])) throws
  {
    let grid = try Grid(columns: known.side, rows: known.side)
    let jump = Jump(from: known.from, to: known.to, on: grid)
    #expect(jump.added(by: .rowColumnDiagonal).map { jump.node($0, on: grid) } == known.between)
  }

  @Test("midpoint adds the middle only, and only if there is one")
  func midpoint() throws {
    let pad = Preset.android.pad(try Grid(columns: 5, rows: 5)).with(.midpoint)
    #expect(pad.drawn(around: [0, 4]) == [0, 2, 4])
    #expect(pad.drawn(around: [0, 3]) == [0, 3])
    #expect(pad.drawn(around: [0, 14]) == [0, 7, 14])
    #expect(pad.drawn(around: [2, 0, 4]) == [2, 1, 0, 4])
  }

  @Test("a refused jump changes nothing, and the stroke goes on from where it was")
  func refusedJump() {
    let pad = Preset.android.pad().with(.neighbours)
    #expect(pad.drawn(around: [0, 2, 4]) == [0, 4])
    #expect(pad.drawn(around: [0, 5, 8, 1]) == [0, 1])
    #expect(pad.drawn(through: [0, 5, 3]) == [0, 4, 3])
    #expect(pad.drawn(through: [0, 2]) == [0, 1, 2])
  }

  @Test("filled and touched nodes are told apart, the filled first")
  func stepsTellFills() {
    let pad = Preset.android.pad()
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.drag([pad.centre(of: 0)] + pad.detour(from: 0, to: 2), into: &steps)
    let entered = steps.filter { if case .entered = $0 { true } else { false } }
    #expect(
      entered == [
        .entered(0, filledIn: false), .entered(1, filledIn: true), .entered(2, filledIn: false),
      ])
  }
}
