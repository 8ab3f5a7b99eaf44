/// Turns an event into one line; nothing in a value can begin another.
package enum LogLine {
  /// The line without its line end.
  ///
  /// `time` is text such as `2026-01-31T12:00:00.123Z`.
  package static func render(_ event: LogEvent, time: String, format: LogFormat) -> String {
    switch format {
    case .text:
      ([time, event.level.rawValue, event.name]
        + event.fields.map { "\($0.name)=\(word($0.value))" }).joined(separator: " ")
    case .json:
      "{"
        + ([("time", time), ("level", event.level.rawValue), ("event", event.name)] + event.fields)
        .map { "\(quoted($0.0)):\(quoted($0.1))" }.joined(separator: ",") + "}"
    }
  }

  /// The value as it is if it is one plain word, else in quotes with all else escaped.
  private static func word(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy {
      $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
        && $0 != UInt8(ascii: "\\")
    }
    return isPlain && !value.isEmpty ? value : quoted(value)
  }
}
