/// One command of the program.
package struct Command: Sendable {
  /// Its words, such as `lock add`.
  package var name: String
  /// The words behind it, such as `LOCK`.
  package var operands = ""
  /// One line for the list of commands.
  package var summary: String
  /// More for its own help.
  package var details = ""
  package var options: [Option] = []
  package var run: @Sendable (Arguments, Console) throws(CommandFailure) -> Void

  package init(
    name: String, operands: String = "", summary: String, details: String = "",
    options: [Option] = [],
    run: @escaping @Sendable (Arguments, Console) throws(CommandFailure) -> Void
  ) {
    self.name = name
    self.operands = operands
    self.summary = summary
    self.details = details
    self.options = options
    self.run = run
  }

  /// All options, those that every command has among them.
  var allOptions: [Option] { options + [.help] }

  /// Refuses a word that the command would silently leave aside.
  func check(_ arguments: Arguments, program: String) throws(CommandFailure) {
    let most = operands.split(separator: " ").count
    guard arguments.words.count > most else { return }
    throw CommandFailure(
      .usage, "unexpected word \(quoted(arguments.words[most])); see \(program) \(name) --help")
  }

  /// The text of `--help` in the program of this name.
  func help(in program: String) -> String {
    let usage = [program, name, operands, "[OPTION]…"].filter { !$0.isEmpty }
    var lines = ["Usage: " + usage.joined(separator: " "), "", summary]
    if !details.isEmpty { lines += ["", details] }
    lines += ["", "Options:"]
    let heads = allOptions.map { "  --\($0.name)" + ($0.value.map { " \($0)" } ?? "") }
    let width = min(32, heads.map(\.count).max() ?? 0)
    for (head, option) in zip(heads, allOptions) {
      let gap = String(repeating: " ", count: max(2, width - head.count + 2))
      lines.append(head + gap + option.help)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
