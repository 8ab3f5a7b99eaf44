/// A configuration file as read: JSON5 without any meaning yet.
indirect enum ConfigurationValue: Equatable, Sendable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([ConfigurationValue])
  case table(ConfigurationTable)
  case nothing

  /// Reads JSON5: comments, single quotes, names without quotes and trailing commas are allowed.
  ///
  /// - Throws: ``ConfigurationError/syntax(file:explanation:)``.
  init(json5 text: String, file: String) throws(ConfigurationError) {
    do throws(JSON5Reader.Failure) { self = try JSON5Reader.read(text) } catch {
      throw .syntax(
        file: file,
        explanation: "line \(error.line), column \(error.column): expected \(error.wanted)")
    }
  }

  /// What kind of value it is, for messages.
  var kind: String {
    switch self {
    case .text: "text"
    case .number: "a number"
    case .flag: "true or false"
    case .list: "a list"
    case .table: "a table"
    case .nothing: "null"
    }
  }

  /// The value itself where that is short, for messages.
  var shown: String {
    switch self {
    case .text(let text): quoted(text)
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    default: kind
    }
  }
}

/// Names with their values, in the order in which they stand in the text.
struct ConfigurationTable: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    let name: String
    let value: ConfigurationValue
  }

  private(set) var entries: [Entry] = []

  subscript(name: String) -> ConfigurationValue? { entries.first { $0.name == name }?.value }

  mutating func append(_ name: String, _ value: ConfigurationValue) {
    entries.append(Entry(name: name, value: value))
  }
}

/// `text` as a JSON string.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\u{0}"..<"\u{20}", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}
