import PadModel

/// One setting: its name, what it may be, and how it is read and written.
///
/// A setting `limits.messageBytes` is also the environment's `DRAWBOLT_LIMITS_MESSAGE_BYTES` and the
/// flag `--limits-message-bytes`. There is one table of them, so that file, environment, flags, the
/// default file and the refusals can't disagree.
struct Setting {
  let path: String
  let wanted: String
  let help: String
  /// What text from the environment or a flag is read as.
  let kind: Kind
  /// Changes the configuration, or answers false when the value does not fit.
  let set: (inout Configuration, ConfigurationValue) -> Bool
  /// The value as JSON5.
  let get: (Configuration) -> String

  enum Kind { case list, text, word }

  /// The words of the path, in lower case: `limits`, `message`, `bytes`.
  private var words: [String] {
    path.split(separator: ".").flatMap { part in
      part.reduce(into: [""]) { words, character in
        if character.isUppercase { words.append("") }
        words[words.count - 1] += character.lowercased()
      }
    }
  }
  var variable: String { "DRAWBOLT_" + words.joined(separator: "_").uppercased() }
  var flag: String { words.joined(separator: "-") }

  /// Reads text from the environment or a flag as the kind of value that the setting wants.
  func value(ofText text: String) -> ConfigurationValue {
    switch kind {
    case .list: .list(text.split(whereSeparator: { " ,".contains($0) }).map { .text(String($0)) })
    // A folder may be called 7.
    case .text: .text(text)
    case .word: Int(text).map { .number(Double($0)) } ?? .text(text)
    }
  }
}

extension Setting {
  typealias Place<Value> = WritableKeyPath<Configuration, Value>

  static func integer(
    _ path: String, _ place: Place<Int>, _ range: ClosedRange<Int>, _ help: String
  ) -> Setting {
    Setting(
      path: path, wanted: "a whole number, \(range.lowerBound) to \(range.upperBound)", help: help,
      kind: .word,
      set: { configuration, value in
        guard case .number(let number) = value, let whole = Int(exactly: number),
          range.contains(whole)
        else { return false }
        configuration[keyPath: place] = whole
        return true
      },
      get: { "\($0[keyPath: place])" })
  }

  static func duration(
    _ path: String, _ place: Place<Duration>, _ range: ClosedRange<Duration>, _ help: String
  ) -> Setting {
    let bounds = [range.lowerBound, range.upperBound].map { "\"\(DurationText.format($0))\"" }
    return Setting(
      path: path, wanted: "a duration, \(bounds[0]) to \(bounds[1])", help: help, kind: .word,
      set: { configuration, value in
        guard case .text(let text) = value, let duration = DurationText.parse(text),
          range.contains(duration)
        else { return false }
        configuration[keyPath: place] = duration
        return true
      },
      get: { "\"\(DurationText.format($0[keyPath: place]))\"" })
  }

  static func text(_ path: String, _ place: Place<String>, _ help: String) -> Setting {
    Setting(
      path: path, wanted: "text", help: help, kind: .text,
      set: { configuration, value in
        guard case .text(let text) = value else { return false }
        configuration[keyPath: place] = text
        return true
      },
      get: { quoted($0[keyPath: place]) })
  }

  static func texts(
    _ path: String, _ place: Place<[String]>, wanted: String, _ help: String,
    where accepts: @escaping (String) -> Bool
  ) -> Setting {
    Setting(
      path: path, wanted: "a list of \(wanted)", help: help, kind: .list,
      set: { configuration, value in
        guard case .list(let items) = value else { return false }
        let texts = items.compactMap { if case .text(let text) = $0 { text } else { nil } }
        guard texts.count == items.count, texts.allSatisfy(accepts) else { return false }
        configuration[keyPath: place] = texts
        return true
      },
      get: { "[" + $0[keyPath: place].map(quoted).joined(separator: ", ") + "]" })
  }

  static func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ path: String, _ place: Place<Value>, _ help: String
  ) -> Setting {
    let names = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    return Setting(
      path: path, wanted: "one of \(names)", help: help, kind: .word,
      set: { configuration, value in
        guard case .text(let text) = value, let choice = Value(rawValue: text) else { return false }
        configuration[keyPath: place] = choice
        return true
      },
      get: { quoted($0[keyPath: place].rawValue) })
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
