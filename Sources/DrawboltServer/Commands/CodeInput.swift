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
    let nodes = lines.count == 1 ? [] : try drawn(lines, on: pad.grid)
    do throws(GesturesError) {
      return lines.count == 1
        ? try notation.parse(lines[0].filter { !$0.isWhitespace }) : try notation.check(nodes)
    } catch {
      throw CommandFailure(.badData, error.message)
    }
  }

  /// The nodes of an ASCII pad in their order: `1 2 3`, `. . 4`, `. . 5`.
  ///
  /// - Throws: a data failure that names the row or the number, which says nothing of where the code
  ///   goes.
  private static func drawn(_ lines: [String], on grid: Grid) throws(CommandFailure) -> [NodeIndex]
  {
    guard lines.count == grid.rows else {
      throw mistake("it has \(lines.count) rows, but the pad has \(grid.rows)")
    }
    var places: [Int: NodeIndex] = [:]
    for (row, line) in lines.enumerated() {
      let cells = line.split(whereSeparator: \.isWhitespace)
      guard cells.count == grid.columns else {
        throw mistake(
          "row \(row + 1) has \(cells.count) cells, but the pad has \(grid.columns) columns")
      }
      for (column, cell) in cells.enumerated() where cell != "." {
        guard let place = Int(cell), (1...grid.nodeCount).contains(place) else {
          throw mistake(
            "a cell of row \(row + 1) is neither a dot nor a number, 1 to \(grid.nodeCount)")
        }
        guard places.updateValue(grid.node(column: column, row: row), forKey: place) == nil else {
          throw mistake("number \(place) stands twice")
        }
      }
    }
    return try ordered(places)
  }

  private static func ordered(_ places: [Int: NodeIndex]) throws(CommandFailure) -> [NodeIndex] {
    var nodes: [NodeIndex] = []
    while nodes.count < places.count {
      guard let node = places[nodes.count + 1] else {
        throw mistake("number \(nodes.count + 1) is missing")
      }
      nodes.append(node)
    }
    guard !nodes.isEmpty else { throw mistake("it has dots only") }
    return nodes
  }

  private static func mistake(_ what: String) -> CommandFailure {
    CommandFailure(
      .badData,
      "the drawing can't be read: \(what); each cell is a dot, or the node's place in the order")
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
