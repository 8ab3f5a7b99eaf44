/// One option that a command knows: `--name VALUE`, or `--name` alone.
package struct Option: Sendable {
  package var name: String
  /// What stands for the value in the help; nil for a flag without one.
  package var value: String?
  package var help: String

  package init(name: String, value: String?, help: String) {
    self.name = name
    self.value = value
    self.help = help
  }

  static let help = Option(name: "help", value: nil, help: "Print this help and exit.")
}

/// The words behind a command's name, in the GNU way.
///
/// `--name value`, `--name=value`, flags, and words; `--` ends the options. Options and words may
/// mix.
package struct Arguments: Equatable {
  package private(set) var words: [String] = []
  private var values: [String: String] = [:]
  private var order: [String] = []

  /// Reads `arguments` as far as the `options` allow.
  ///
  /// - Throws: a usage failure that names the option and the nearest known one.
  init(_ arguments: [String], options: [Option]) throws(CommandFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      }
      guard argument.hasPrefix("--") else {
        guard !argument.hasPrefix("-") || argument == "-" else {
          let long = argument == "-h" ? "; use --help" : "; options are long, such as --help"
          throw CommandFailure(.usage, "unknown option \(argument)\(long)")
        }
        words.append(argument)
        continue
      }
      try take(String(argument.dropFirst(2)), from: &rest, options: options)
    }
  }

  private mutating func take(
    _ argument: String, from rest: inout ArraySlice<String>, options: [Option]
  ) throws(CommandFailure) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = options.first(where: { $0.name == name }) else {
      let known = options.map(\.name)
      let meant = name == "port" && known.contains("listen") ? "listen" : nil
      let nearest = meant ?? nearestName(to: name, among: known)
      throw CommandFailure(
        .usage, "unknown option --\(name)" + (nearest.map { "; did you mean --\($0)?" } ?? ""))
    }
    let attached = parts.count > 1 ? String(parts[1]) : nil
    if let placeholder = option.value {
      guard let value = attached ?? rest.popFirst() else {
        throw CommandFailure(.usage, "--\(name) needs a value: --\(name) \(placeholder)")
      }
      values[name] = value
    } else {
      guard attached == nil else {
        throw CommandFailure(.usage, "--\(name) takes no value")
      }
      values[name] = ""
    }
    order.append(name)
  }

  /// The value of an option, the last one if it stands twice.
  package subscript(_ name: String) -> String? { values[name] }

  /// Whether the option stands there.
  package func has(_ name: String) -> Bool { values[name] != nil }

  /// The options that stand there, in order, once each.
  var optionNames: [String] {
    order.reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
  }

  /// The options that say which data a command works on, as they were given, each behind a blank.
  var place: String {
    ConfigurationOptions.forData.filter { has($0.name) }.map { option in
      " --\(option.name)" + (option.value == nil ? "" : " " + shellWord(values[option.name] ?? ""))
    }.joined()
  }

  /// The option as a whole number in `range`.
  package func integer(_ name: String, in range: ClosedRange<Int>, default standard: Int)
    throws(CommandFailure) -> Int
  {
    guard let text = values[name] else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw CommandFailure(
        .usage, "--\(name) is \(text), but must be \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The option as one of the values of an enum.
  package func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ name: String, default standard: Value
  ) throws(CommandFailure) -> Value {
    guard let text = values[name] else { return standard }
    guard let value = Value(rawValue: text) else {
      let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.usage, "--\(name) is \(text), but must be one of \(names)")
    }
    return value
  }

  /// The only word, which the usage calls `what`.
  package func onlyWord(_ what: String) throws(CommandFailure) -> String {
    guard words.count == 1 else {
      throw CommandFailure(
        .usage, words.isEmpty ? "\(what) is missing" : "too many words: only \(what) is expected")
    }
    return words[0]
  }
}

/// `text` as a shell reads it back.
private func shellWord(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "/._-+:@%,=".utf8.contains(byte)
    }
  }
  guard !isPlain || text.isEmpty else { return text }
  return "'"
    + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
