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
  /// Changes the configuration, or answers what does not fit.
  let set: (inout Configuration, ConfigurationValue) -> [Misfit]
  /// The value as JSON5.
  let get: (Configuration) -> String

  enum Kind { case list, text, word }

  /// A value, or an item of a list, that is not what the setting wants.
  struct Misfit {
    let found: String
    let wanted: String
  }

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

  /// A setting of one value, which `read` makes of what stands there; nil if it does not fit.
  static func single<Value>(
    _ path: String, _ place: Place<Value>, wanted: String, _ help: String, kind: Kind = .word,
    read: @escaping (ConfigurationValue) -> Value?, write: @escaping (Value) -> String
  ) -> Setting {
    Setting(
      path: path, wanted: wanted, help: help, kind: kind,
      set: { configuration, value in
        guard let fitting = read(value) else {
          return [Misfit(found: value.shown, wanted: wanted)]
        }
        configuration[keyPath: place] = fitting
        return []
      },
      get: { write($0[keyPath: place]) })
  }

  static func integer(
    _ path: String, _ place: Place<Int>, _ range: ClosedRange<Int>, _ help: String
  ) -> Setting {
    single(
      path, place, wanted: "a whole number, \(range.lowerBound) to \(range.upperBound)", help,
      read: { value in
        guard case .number(let number) = value, let whole = Int(exactly: number),
          range.contains(whole)
        else { return nil }
        return whole
      }, write: { "\($0)" })
  }

  static func duration(
    _ path: String, _ place: Place<Duration>, _ range: ClosedRange<Duration>, _ help: String
  ) -> Setting {
    let bounds = [range.lowerBound, range.upperBound].map { "\"\(DurationText.format($0))\"" }
    return single(
      path, place, wanted: "a duration, \(bounds[0]) to \(bounds[1])", help,
      read: { value in
        guard case .text(let text) = value, let duration = DurationText.parse(text),
          range.contains(duration)
        else { return nil }
        return duration
      }, write: { "\"\(DurationText.format($0))\"" })
  }

  static func text(_ path: String, _ place: Place<String>, _ help: String) -> Setting {
    single(
      path, place, wanted: "text", help, kind: .text,
      read: { if case .text(let text) = $0 { text } else { nil } }, write: quoted)
  }

  static func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ path: String, _ place: Place<Value>, _ help: String
  ) -> Setting {
    let names = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    return single(
      path, place, wanted: "one of \(names)", help,
      read: { if case .text(let text) = $0 { Value(rawValue: text) } else { nil } },
      write: { quoted($0.rawValue) })
  }

  /// A setting that is a list of texts; `mistake` says what is wrong with one.
  static func texts(
    _ path: String, _ place: Place<[String]>, wanted: String, _ help: String,
    mistake: @escaping (String) -> String?
  ) -> Setting {
    Setting(
      path: path, wanted: "a list of \(wanted)", help: help, kind: .list,
      set: { configuration, value in
        guard case .list(let items) = value else {
          return [Misfit(found: value.shown, wanted: "a list of \(wanted)")]
        }
        let misfits = items.compactMap { item -> Misfit? in
          guard case .text(let text) = item else {
            return Misfit(found: item.shown, wanted: wanted)
          }
          return mistake(text).map { Misfit(found: quoted(text), wanted: "\(wanted): \($0)") }
        }
        guard misfits.isEmpty else { return misfits }
        configuration[keyPath: place] = items.compactMap {
          if case .text(let text) = $0 { text } else { nil }
        }
        return []
      },
      get: { "[" + $0[keyPath: place].map(quoted).joined(separator: ", ") + "]" })
  }
}
