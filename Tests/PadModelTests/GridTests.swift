import PadModel
import Testing

struct GridTests {
  @Test("sides from 2 to 10 make a grid, others are refused with their numbers")
  func sides() throws {
    for columns in -1...12 {
      for rows in -1...12 {
        let fits = (2...10).contains(columns) && (2...10).contains(rows)
        do {
          let grid = try Grid(columns: columns, rows: rows)
          #expect(fits && grid.nodeCount == columns * rows)
        } catch {
          #expect(!fits && error == .gridSize(columns: columns, rows: rows))
        }
      }
    }
  }

  @Test("nodes are numbered row by row from the top left")
  func numbering() throws {
    let grid = try Grid(columns: 4, rows: 3)
    #expect(grid.node(column: 0, row: 0) == 0)
    #expect(grid.node(column: 3, row: 0) == 3)
    #expect(grid.node(column: 0, row: 1) == 4)
    #expect(grid.node(column: 3, row: 2) == 11)
    for node in 0..<NodeIndex(grid.nodeCount) {
      #expect(grid.node(column: grid.column(of: node), row: grid.row(of: node)) == node)
      #expect(grid.contains(node))
    }
    #expect(!grid.contains(12) && !grid.contains(255))
    #expect(grid.longerSide == 4)
  }

  @Test(
    "the greatest common divisor",
    arguments: [(0, 0, 0), (0, 3, 3), (4, 6, 2), (9, 8, 1), (6, 3, 3)])
  func divisor(_ known: (a: Int, b: Int, divisor: Int)) {
    #expect(greatestCommonDivisor(known.a, known.b) == known.divisor)
    #expect(greatestCommonDivisor(known.b, known.a) == known.divisor)
  }
}

struct PathTests {
  @Test("a node set knows exactly what was put in, over both of its words")
  func nodeSet() {
    var set = NodeSet()
    for node in [0, 63, 64, 99, 127] as [NodeIndex] { set.insert(node) }
    for node in NodeIndex.min...NodeIndex.max {
      #expect(set.contains(node) == [0, 63, 64, 99, 127].contains(node))
    }
    set.removeAll()
    #expect(set == NodeSet())
  }

  @Test("a path keeps its order and leaves repeats out")
  func order() {
    var path = Path([4, 0, 4, 8, 0])
    #expect(path.nodes == [4, 0, 8])
    #expect(path.last == 8 && path.count == 3 && path.contains(0) && !path.contains(1))
    path.append(1)
    #expect(path == Path([4, 0, 8, 1]))
    path.removeAll()
    #expect(path.isEmpty && path.last == nil && !path.contains(4))
  }

  @Test("a path with room for its grid never moves while it grows, nor when it begins again")
  func storage() throws {
    let grid = try Grid(columns: 10, rows: 10)
    var path = Path(for: grid)
    func place() -> UnsafeRawPointer? { path.nodes.withUnsafeBytes { $0.baseAddress } }
    let before = place()
    for _ in 0..<3 {
      for node in 0..<NodeIndex(100) { path.append(node) }
      #expect(place() == before)
      path.removeAll()
      path.reserve(for: grid)
    }
    #expect(place() == before)
  }

  @Test("what was drawn is in no textual form")
  func redacted() {
    let secrets: [any Redacted] = [
      Path([1, 2, 5]), NodeSet(), Point(x: 125, y: 125),
      Sample(elapsed: 125, position: Point(x: 125, y: 125)),
      SampleBatch(stroke: 125, action: .tap, samples: []),
      RoomState(version: 125, phase: .idle, path: [1, 2, 5]),
    ]
    for secret in secrets {
      var dumped = ""
      dump(secret, to: &dumped)
      for text in ["\(secret)", String(reflecting: secret), String(describing: secret), dumped] {
        let showsDigits = text.contains(where: \.isNumber)
        #expect(!showsDigits, "\(type(of: secret))")
      }
    }
  }
}

struct SampleTests {
  @Test("each action says how many samples fit it")
  func fittingCount() {
    let sample = Sample(elapsed: 0, position: .zero)
    for action in StrokeAction.allCases {
      let empty = SampleBatch(stroke: 1, action: action).hasFittingCount
      let one = SampleBatch(stroke: 1, action: action, samples: [sample]).hasFittingCount
      #expect(empty == (action == .cancel || action == .release), "\(action)")
      #expect(one == (action != .cancel), "\(action)")
    }
  }
}
