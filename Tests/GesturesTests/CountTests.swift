import Gestures
import PadModel
import Testing

/// Counts the codes of a rule without drawing them, from what the rule says of each jump.
///
/// The number of codes that end in a node depends only on the set of nodes used and that node.
private struct Counter {
  private let nodeCount: Int
  /// For each jump the nodes that must be used before; nil where the rule refuses it.
  private var needed: [UInt32?]

  init(_ grid: Grid, allows: (Jump) -> Range<Int>?) {
    nodeCount = grid.nodeCount
    needed = [UInt32?](repeating: nil, count: nodeCount * nodeCount)
    for from in 0..<nodeCount {
      for to in 0..<nodeCount where to != from {
        let jump = Jump(from: NodeIndex(from), to: NodeIndex(to), on: grid)
        guard let between = allows(jump) else { continue }
        needed[from * nodeCount + to] = between.reduce(0) {
          $0 | 1 << UInt32(jump.node($1, on: grid))
        }
      }
    }
  }

  init(_ grid: Grid, _ rule: SelectionRule) {
    self.init(grid) { $0.isAllowed(by: rule) ? $0.added(by: rule) : nil }
  }

  /// The number of codes of each length from 1 to `longest`.
  func counts(upTo longest: Int) -> [Int] {
    var ending = [UInt64: Int]()
    for node in 0..<nodeCount { ending[1 << UInt64(node + 8) | UInt64(node)] = 1 }
    var counts = [nodeCount]
    while counts.count < longest {
      var next = [UInt64: Int]()
      var total = 0
      let keeps = counts.count + 1 < longest
      for (state, count) in ending {
        let used = UInt32(truncatingIfNeeded: state >> 8)
        let from = Int(state & 255) * nodeCount
        for to in 0..<nodeCount where used & 1 << UInt32(to) == 0 {
          guard let needs = needed[from + to], needs & ~used == 0 else { continue }
          total += count
          if keeps { next[(UInt64(used) | 1 << UInt64(to)) << 8 | UInt64(to), default: 0] += count }
        }
      }
      counts.append(total)
      ending = next
    }
    return counts
  }
}

struct CountTests {
  @Test(
    "each rule allows the known number of codes on 3×3",
    arguments: [
      (SelectionRule.fill, 389_112), (.rowColumnDiagonal, 389_112), (.midpoint, 389_112),
      (.free, 985_824), (.neighbours, 10_096),
    ])
  func rules(_ known: (rule: SelectionRule, total: Int)) {
    let counts = Counter(.threeByThree, known.rule).counts(upTo: 9)
    #expect(counts[3...].reduce(0, +) == known.total)
  }

  @Test("free and the policy that refuses every straight skip count as published")
  func variants() {
    #expect(
      Counter(.threeByThree, .free).counts(upTo: 9)[3...]
        == [3024, 15_120, 60_480, 181_440, 362_880, 362_880])
    let withoutSkips = Counter(.threeByThree) { $0.steps == 1 ? 1..<1 : nil }
    #expect(withoutSkips.counts(upTo: 9)[3...] == [1400, 5328, 16_032, 35_328, 49_536, 32_256])
  }

  @Test("fill counts as published on 2×3, 2×5, 3×4")
  func smallGrids() throws {
    #expect(
      Counter(try Grid(columns: 3, rows: 2), .fill).counts(upTo: 6)[3...] == [260, 504, 504])
    #expect(
      Counter(try Grid(columns: 5, rows: 2), .fill).counts(upTo: 10)[3...]
        == [2060, 9760, 40_424, 140_144, 381_328, 721_504, 721_504])
    let counts = Counter(try Grid(columns: 4, rows: 3), .fill).counts(upTo: 12)
    #expect(
      counts[3...] == [
        5268, 34_276, 201_412, 1_046_052, 4_656_484, 17_043_160, 48_087_520, 93_100_144, 93_100_144,
      ])
    #expect(counts[3...].reduce(0, +) == 257_274_460)
  }

  @Test("4×4 counts as published up to seven nodes")
  func sixteen() throws {
    let counts = Counter(try Grid(columns: 4, rows: 4), .fill).counts(upTo: 7)
    #expect(counts[3...] == [16_880, 154_680, 1_331_944, 10_690_096])
  }

  @Test(
    "5×5 tells fill and rowColumnDiagonal apart",
    arguments: [
      (SelectionRule.fill, [25, 400, 6192, 93_152, 1_358_672, 19_174_112]),
      (.rowColumnDiagonal, [25, 424, 6888, 108_440, 1_650_440, 24_235_352]),
    ])
  func twentyFive(_ known: (rule: SelectionRule, counts: [Int])) throws {
    #expect(Counter(try Grid(columns: 5, rows: 5), known.rule).counts(upTo: 6) == known.counts)
  }
}
