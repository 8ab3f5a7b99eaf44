import Gestures
import PadModel

/// Reads a code from standard input: one line, or an ASCII pad with the order of the nodes.
///
/// A code never stands on the command line, where every user of the machine could see it.
enum CodeInput {
  /// Asks for a code and checks that it can be drawn on the pad.
  ///
  /// - Throws: a data failure that gives the reason but never the code.
  static func read(for pad: Pad, console: Console) throws(CommandFailure) -> Path {
    if console.isInteractive { console.print(prompt(for: pad.grid)) }
    guard let text = console.readInput() else {
      throw CommandFailure(.noInput, "no code came on standard input")
    }
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
      .filter { !$0.allSatisfy(\.isWhitespace) }
    guard !lines.isEmpty else { throw CommandFailure(.badData, GesturesError.empty.message) }
    let notation = PathText(for: pad)
    let nodes = lines.count == 1 ? [] : drawn(lines, on: pad.grid)
    guard let nodes else {
      throw CommandFailure(.badData, "the drawing \(drawingRule(pad.grid))")
    }
    do throws(GesturesError) {
      return lines.count == 1
        ? try notation.parse(lines[0].filter { !$0.isWhitespace }) : try notation.check(nodes)
    } catch {
      throw CommandFailure(.badData, error.message)
    }
  }

  /// The nodes of an ASCII pad in their order: `1 2 3`, `. . 4`, `. . 5`.
  static func drawn(_ lines: [String], on grid: Grid) -> [NodeIndex]? {
    guard lines.count == grid.rows else { return nil }
    var places: [Int: NodeIndex] = [:]
    for (row, line) in lines.enumerated() {
      let cells = line.split(whereSeparator: \.isWhitespace)
      guard cells.count == grid.columns else { return nil }
      for (column, cell) in cells.enumerated() where cell != "." {
        guard let place = Int(cell), place >= 1, places[place] == nil else { return nil }
        places[place] = grid.node(column: column, row: row)
      }
    }
    guard !places.isEmpty else { return nil }
    var nodes: [NodeIndex] = []
    for place in 1...places.count {
      guard let node = places[place] else { return nil }
      nodes.append(node)
    }
    return nodes
  }

  private static func drawingRule(_ grid: Grid) -> String {
    "needs \(grid.rows) lines of \(grid.columns) cells, each a dot or the node's place in the "
      + "order, from 1 without a gap"
  }

  /// The pad with its numbers, for somebody at a terminal.
  private static func prompt(for grid: Grid) -> String {
    let width = "\(grid.nodeCount)".count
    let rows = (0..<grid.rows).map { row in
      (0..<grid.columns).map { column in
        let number = "\(Int(grid.node(column: column, row: row)) + 1)"
        return String(repeating: " ", count: width - number.count) + number
      }.joined(separator: "  ")
    }
    return rows.map { "  \($0)\n" }.joined() + "Code, such as 1-2-3 (it is not shown): "
  }
}

extension GesturesError {
  /// Why a written code is refused, without a word of the code.
  var message: String {
    switch self {
    case .empty: "there is no code"
    case .malformed(let position):
      "node \(position) of the code is not a number; write 1-2-3, or digits up to nine nodes"
    case .unknownNode(let position): "node \(position) of the code is not on the pad"
    case .repeatedNode(let position): "node \(position) of the code is used twice"
    case .jump(let position):
      "nobody can draw the way to node \(position) of the code: a node between must come first, or "
        + "the jump is too far for the lock's rule"
    }
  }
}
