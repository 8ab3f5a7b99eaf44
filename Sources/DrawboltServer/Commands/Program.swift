import Foundation

/// The program `drawbolt`: finds the command and runs it.
public enum Program {
  /// The version, as `drawbolt version` prints it.
  public static let version = "0.1.0"

  /// Runs the command in `arguments` (without the program's own name) and says how it ended.
  ///
  /// Whatever goes wrong is one line on standard error.
  public static func run(_ arguments: [String]) -> ExitStatus {
    do {
      try run(arguments, commands: Command.all, console: .standard)
      return .success
    } catch {
      Log.toError("drawbolt: \(error.message)\n")
      return error.status
    }
  }

  /// Runs one command with these streams.
  package static func run(
    _ arguments: [String], commands: [Command] = Command.all, console: Console
  ) throws(CommandFailure) {
    guard let first = arguments.first, first != "--help", first != "-h", first != "help" else {
      console.print(overview(commands))
      return
    }
    let matching = commands.filter { command in
      let words = command.name.split(separator: " ").map(String.init)
      return arguments.starts(with: words)
    }
    guard let command = matching.first else { throw unknown(arguments, commands) }
    let rest = arguments.dropFirst(command.name.split(separator: " ").count)
    let parsed = try Arguments(Array(rest), options: command.allOptions)
    if parsed.has("help") {
      console.print(command.help)
    } else {
      try command.check(parsed)
      try command.run(parsed, console)
    }
  }

  private static func unknown(_ arguments: [String], _ commands: [Command]) -> CommandFailure {
    let group = commands.filter { $0.name.hasPrefix(arguments[0] + " ") }
    if !group.isEmpty {
      let names = group.map { "drawbolt \($0.name)" }.joined(separator: ", ")
      return CommandFailure(.usage, "\(arguments[0]) needs one more word: \(names)")
    }
    let given = arguments.prefix(2).filter { !$0.hasPrefix("-") }.joined(separator: " ")
    let nearest = nearestName(to: given, among: commands.map(\.name))
    return CommandFailure(
      .usage,
      "unknown command \(quoted(given))"
        + (nearest.map { "; did you mean drawbolt \($0)?" } ?? "; see drawbolt --help"))
  }

  private static func overview(_ commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    let lines = commands.map { command in
      let gap = String(repeating: " ", count: width - command.name.count + 2)
      return "  \(command.name)\(gap)\(command.summary)"
    }
    return """
      Usage: drawbolt COMMAND [OPTION]…

      A live pattern-lock server: draw in a browser, every viewer sees it, the lock opens.

      Commands:
      \(lines.joined(separator: "\n"))

      drawbolt COMMAND --help explains each.

      """
  }
}
