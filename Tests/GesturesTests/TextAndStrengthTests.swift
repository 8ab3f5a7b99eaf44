import Gestures
import PadModel
import Testing

struct PathTextTests {
  private let small = PathText(for: Preset.android.pad())

  private func failure(_ text: PathText, _ code: String) -> GesturesError? {
    do {
      _ = try text.parse(code)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "up to nine nodes are written as digits in both bases",
    arguments: [
      ([0, 1, 2, 5], "1236", "0125"), ([4], "5", "4"), ([1, 4, 7, 8, 5], "25896", "14785"),
    ]
      as [([NodeIndex], String, String)])
  func digits(_ known: (nodes: [NodeIndex], one: String, zero: String)) throws {
    let path = Path(known.nodes)
    let fromZero = PathText(for: Preset.android.pad(), base: .zero)
    #expect(small.write(path) == known.one && fromZero.write(path) == known.zero)
    #expect(try small.parse(known.one) == path)
    #expect(try fromZero.parse(known.zero) == path)
  }

  @Test("more than nine nodes are written with dashes, which small pads understand too")
  func dashes() throws {
    let large = PathText(grid: try Grid(columns: 4, rows: 4), rule: .free)
    #expect(large.write(Path([0, 1, 11])) == "1-2-12")
    #expect(try large.parse("1-2-12").nodes == [0, 1, 11])
    #expect(try large.parse("12").nodes == [11], "a code of one node")
    #expect(try small.parse("1-2-3-6").nodes == [0, 1, 2, 5])
    #expect(try small.parse("1-2-03").nodes == [0, 1, 2])
  }

  @Test("what was written is read again, on every grid and in both bases")
  func roundTrip() throws {
    for grid in try everyGrid() {
      for base in PathText.Base.allCases {
        let text = PathText(grid: grid, rule: .free, base: base)
        let path = Path((0..<NodeIndex(grid.nodeCount)).reversed())
        #expect(try text.parse(text.write(path)) == path)
      }
    }
  }

  @Test(
    "a code that is none is refused with the reason and the place",
    arguments: [
      ("", .empty), ("1214", .repeatedNode(position: 3)), ("1204", .unknownNode(position: 3)),
      ("0", .unknownNode(position: 1)), ("13", .jump(position: 2)), ("1397", .jump(position: 2)),
      ("12-", .unknownNode(position: 1)), ("1-2-", .malformed(position: 3)),
      ("1--2", .malformed(position: 2)), ("-", .malformed(position: 1)),
      ("12a4", .malformed(position: 3)), ("1 2", .malformed(position: 2)),
      ("١٢", .malformed(position: 1)), ("1-10", .unknownNode(position: 2)),
      ("1-0002", .malformed(position: 2)), ("1-999999999999999999999", .malformed(position: 2)),
      ("1-256", .unknownNode(position: 2)), ("+1", .malformed(position: 1)),
      ("1234567891", .repeatedNode(position: 10)), ("1236547891", .repeatedNode(position: 10)),
    ] as [(String, GesturesError)])
  func refusals(_ known: (code: String, error: GesturesError)) {
    #expect(failure(small, known.code) == known.error)
  }

  @Test("a text without end is refused")
  func longText() {
    #expect(failure(small, String(repeating: "1", count: 100_000)) == .repeatedNode(position: 2))
    #expect(
      failure(small, String(repeating: "1-", count: 100_000)) == .malformed(position: 10))
  }

  @Test(
    "nodes are checked as the published validity table says",
    arguments: [
      ([0, 1, 2, 5], nil), ([0, 2, 5, 8], .jump(position: 2)), ([1, 0, 2, 5], nil),
      ([0, 1, 0, 3], .repeatedNode(position: 3)), ([0, 1, 9, 3], .unknownNode(position: 3)),
      ([3, 4, 6, 0, 8], nil), ([200], .unknownNode(position: 1)), ([], .empty),
    ] as [([NodeIndex], GesturesError?)])
  func validity(_ known: (nodes: [NodeIndex], error: GesturesError?)) {
    do {
      let path = try small.check(known.nodes)
      #expect(known.error == nil && path.nodes == known.nodes)
    } catch {
      #expect(error == known.error)
    }
  }

  @Test("each rule refuses the jumps that it would not let somebody draw")
  func rules() throws {
    let grid = try Grid(columns: 5, rows: 5)
    func allows(_ rule: SelectionRule, _ nodes: [NodeIndex]) -> Bool {
      (try? PathText(grid: grid, rule: rule).check(nodes)) != nil
    }
    // (0,0) → (2,4) passes (1,2), which is node 7.
    #expect(!allows(.fill, [0, 14]) && allows(.fill, [7, 0, 14]))
    #expect(allows(.rowColumnDiagonal, [0, 14]) && !allows(.rowColumnDiagonal, [0, 3]))
    #expect(!allows(.midpoint, [0, 14]) && allows(.midpoint, [0, 3]))
    #expect(allows(.free, [0, 4, 24]))
    #expect(!allows(.neighbours, [0, 2]) && !allows(.neighbours, [1, 0, 2]))
    #expect(allows(.neighbours, [0, 6, 12]))
  }
}

struct PathStrengthTests {
  @Test(
    "the meter gives the published values",
    arguments: [
      ([0, 1, 2, 5], 6.339850002884625), ([0, 1, 2, 5, 8], 10.0),
      ([0, 3, 6, 7, 8, 5], 13.931568569324174), ([0, 3, 6, 7, 8, 5, 2], 18.094737505048094),
      ([0, 1, 2, 4], 7.086213212654448), ([6, 3, 0, 1], 6.339850002884625),
      ([0, 1, 2, 5, 8, 7, 6, 3], 22.458839376460833),
      ([4, 0, 8, 1, 7, 2, 6, 5, 3], 46.80738907682584),
    ] as [([NodeIndex], Double)])
  func publishedValues(_ known: (nodes: [NodeIndex], strength: Double)) {
    let strength = PathStrength(of: Path(known.nodes), on: .threeByThree)
    #expect(abs(strength.value - known.strength) < 1e-12)
  }

  @Test("crossings, touches and overlaps count as published")
  func features() {
    // L 7.064…, two crossings; L 4, one touch and one overlap; L 4·√2, likewise.
    func size(_ nodes: [NodeIndex]) -> Double {
      PathStrength(of: Path(nodes), on: .threeByThree).value / Double(nodes.count)
    }
    #expect(abs(size([3, 1, 4, 6, 7, 0]) - 3.180_226_7) < 1e-6)  // log₂ 9.064 495 1
    #expect(abs(size([1, 4, 5, 3]) - 2.584_962_5) < 1e-6)  // log₂ 6
    #expect(abs(size([0, 4, 2, 6]) - 2.936_751_8) < 1e-6)  // log₂ 7.656 854 2
  }

  @Test("nothing and a single node have no strength")
  func trivial() {
    #expect(PathStrength(of: Path(), on: .threeByThree).value == 0)
    #expect(PathStrength(of: Path([4]), on: .threeByThree).value == 0)
  }

  @Test("enrolment refuses below 7, warns below 19")
  func advice() {
    func advice(_ nodes: [NodeIndex]) -> PathStrength.Advice {
      PathStrength(of: Path(nodes), on: .threeByThree).advice
    }
    #expect(advice([0, 1, 2, 5]) == .refuse)
    #expect(advice([0, 1, 2, 4]) == .warn)
    #expect(advice([1, 4, 7, 8, 5]) == .warn)
    #expect(advice([0, 1, 2, 5, 8, 7, 6, 3]) == .take)
  }
}

struct PopularShapesTests {
  @Test(
    "the shapes that sources name are known, whichever way they are drawn",
    arguments: ["14789", "1235789", "12369874", "14563", "7415963", "1478963", "3214789", "98741"])
  func named(_ code: String) throws {
    let path = try PathText(grid: .threeByThree, rule: .fill).parse(code)
    let isS = code == "14563"
    #expect(PopularShapes.contains(path, on: .threeByThree) == !isS)
  }

  @Test("mirror images and the way back are the same shape; the size does not matter")
  func images() throws {
    let grid = try Grid(columns: 5, rows: 4)
    let text = PathText(grid: grid, rule: .fill)
    for code in [
      "1-2-3-4-5-10-15-20", "20-19-18-17-16-11-6-1", "7-8-9-14-19", "1-2-3-4", "1-7-13-19",
    ] {
      #expect(PopularShapes.contains(try text.parse(code), on: grid), "\(code)")
    }
  }

  @Test(
    "the nodes in the order of reading are, however one reads and however far",
    arguments: [
      "123456789", "147258369", "987654321", "321654987", "123654789", "147852369", "12345",
      "3698", "7412589",
    ])
  func reading(_ code: String) throws {
    let path = try PathText(grid: .threeByThree, rule: .fill).parse(code)
    #expect(PopularShapes.contains(path, on: .threeByThree))
    let wide = try Grid(columns: 4, rows: 2)
    let text = PathText(grid: wide, rule: .fill)
    for code in ["12345", "15263748", "87651", "1562", "2615"] {
      let isOne = !code.hasPrefix("2")
      #expect(PopularShapes.contains(try text.parse(code), on: wide) == isOne, "\(code)")
    }
  }

  @Test(
    "others are not, the demonstration's among them",
    arguments: ["25896", "258963", "519283764", "1624", "276951438"])
  func unpopular(_ code: String) throws {
    let path = try PathText(grid: .threeByThree, rule: .fill).parse(code)
    #expect(!PopularShapes.contains(path, on: .threeByThree))
  }

  @Test("there are between 100 and 250 of them among the codes of 3×3")
  func number() {
    let text = PathText(grid: .threeByThree, rule: .fill)
    var count = 0
    // None has more than four turns, so codes with more need not be looked at.
    func visit(_ path: Path, turns: Int) {
      if path.count >= 4, PopularShapes.contains(path, on: .threeByThree) { count += 1 }
      for node in 0..<NodeIndex(9) where !path.contains(node) && text.allows(node, after: path) {
        let more = turns + (Self.turns(path, node) ? 1 : 0)
        guard more <= 4 else { continue }
        var next = path
        next.append(node)
        visit(next, turns: more)
      }
    }
    visit(Path(), turns: 0)
    #expect((100...250).contains(count))
  }

  private static func turns(_ path: Path, _ node: NodeIndex) -> Bool {
    guard path.count >= 2 else { return false }
    let (a, b) = (Int(path.nodes[path.count - 2]), Int(path.nodes[path.count - 1]))
    let (dx, dy) = (b % 3 - a % 3, b / 3 - a / 3)
    let (ex, ey) = (Int(node) % 3 - b % 3, Int(node) / 3 - b / 3)
    return dx * ey != dy * ex || dx * ex + dy * ey < 0
  }
}
