/// One command of the program.
package struct Command: Sendable {
  /// Its words, such as `lock add`.
  package var name: String
  /// The words behind it, such as `LOCK`.
  var operands = ""
  /// One line for the list of commands.
  var summary: String
  /// More for its own help.
  var details = ""
  var options: [Option] = []
  var run: @Sendable (Arguments, Console) throws(CommandFailure) -> Void

  /// All options, those that every command has among them.
  var allOptions: [Option] { options + [.help] }

  /// Refuses a word that the command would silently leave aside.
  func check(_ arguments: Arguments) throws(CommandFailure) {
    let most = operands.split(separator: " ").count
    guard arguments.words.count > most else { return }
    throw CommandFailure(
      .usage, "unexpected word \(quoted(arguments.words[most])); see drawbolt \(name) --help")
  }

  /// The text of `--help`.
  var help: String {
    let usage = ["drawbolt", name, operands, "[OPTION]…"].filter { !$0.isEmpty }
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
