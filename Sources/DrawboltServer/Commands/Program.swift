import Foundation

/// The program `drawbolt`: finds the command and runs it.
public enum Program {
  /// The version, as `drawbolt version` prints it.
  public static let version = "0.1.0"

  /// Runs the command in `arguments` (without the program's own name) and says how it ended.
  ///
  /// Whatever goes wrong is one line on standard error; a configuration has one for each mistake.
  public static func run(_ arguments: [String]) -> ExitStatus {
    CommandSet.drawbolt.runStandard(arguments)
  }

  /// Runs one command with these streams.
  package static func run(_ arguments: [String], console: Console) throws(CommandFailure) {
    try CommandSet.drawbolt.run(arguments, console: console)
  }
}

/// The commands of one program.
package struct CommandSet: Sendable {
  /// The program's name.
  package var program: String
  /// One line on what it is.
  package var summary: String
  /// In the order of the overview.
  package var commands: [Command]

  package init(program: String, summary: String, commands: [Command]) {
    self.program = program
    self.summary = summary
    self.commands = commands
  }

  static let drawbolt = CommandSet(
    program: "drawbolt",
    summary:
      "A live pattern-lock server: draw in a browser, every viewer sees it, the lock opens.",
    commands: Command.all)

  /// Runs a command with the process's own streams; each mistake is one line on standard error.
  package func runStandard(_ arguments: [String]) -> ExitStatus {
    do {
      try run(arguments, console: .standard)
      return .success
    } catch {
      for line in error.message.split(separator: "\n") { Log.toError("\(program): \(line)\n") }
      return error.status
    }
  }

  /// Runs one command with these streams.
  package func run(_ arguments: [String], console: Console) throws(CommandFailure) {
    guard let first = arguments.first, first != "--help", first != "-h", first != "help" else {
      console.print(overview(of: commands))
      return
    }
    if arguments == ["--version"] { return try run(["version"], console: console) }
    if arguments.count == 2, ["--help", "-h"].contains(arguments[1]) {
      let group = commands.filter { $0.name.hasPrefix(first + " ") }
      if !group.isEmpty { return console.print(overview(of: group)) }
    }
    let matching = commands.filter { command in
      let words = command.name.split(separator: " ").map(String.init)
      return arguments.starts(with: words)
    }
    guard let command = matching.first else { throw unknown(arguments) }
    let rest = arguments.dropFirst(command.name.split(separator: " ").count)
    let parsed = try Arguments(Array(rest), options: command.allOptions)
    if parsed.has("help") {
      console.print(command.help(in: program))
    } else {
      try command.check(parsed, program: program)
      try command.run(parsed, console)
    }
  }

  private func unknown(_ arguments: [String]) -> CommandFailure {
    let group = commands.filter { $0.name.hasPrefix(arguments[0] + " ") }
    if !group.isEmpty {
      let given = arguments.prefix(2).joined(separator: " ")
      if arguments.count > 1, let nearest = nearestName(to: given, among: group.map(\.name)) {
        return CommandFailure(
          .usage, "unknown command \(quoted(given)); did you mean \(program) \(nearest)?")
      }
      let names = group.map { "\(program) \($0.name)" }.joined(separator: ", ")
      return CommandFailure(.usage, "\(arguments[0]) needs one more word: \(names)")
    }
    let given = arguments.prefix(2).filter { !$0.hasPrefix("-") }.joined(separator: " ")
    let nearest = nearestName(to: given, among: commands.map(\.name))
    return CommandFailure(
      .usage,
      "unknown command \(quoted(given))"
        + (nearest.map { "; did you mean \(program) \($0)?" } ?? "; see \(program) --help"))
  }

  private func overview(of commands: [Command]) -> String {
    let width = commands.map(\.name.count).max() ?? 0
    let lines = commands.map { command in
      let gap = String(repeating: " ", count: width - command.name.count + 2)
      return "  \(command.name)\(gap)\(command.summary)"
    }
    return """
      Usage: \(program) COMMAND [OPTION]…

      \(summary)

      Commands:
      \(lines.joined(separator: "\n"))

      \(program) COMMAND --help explains each.

      """
  }
}
