/// Durations as people write them: `250ms`, `25s`, `5m`, `2h`, `30d`.
package enum DurationText {
  private static let units: [(suffix: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  /// Reads a whole number and a unit; nil if it is not that or too large.
  package static func parse(_ text: String) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let suffix = text.dropFirst(digits.count)
    guard let number = Int64(digits), let unit = units.first(where: { $0.suffix == suffix })
    else { return nil }
    let (total, overflow) = number.multipliedReportingOverflow(by: unit.milliseconds)
    return overflow ? nil : .milliseconds(total)
  }

  /// Writes the duration in the largest unit that leaves a whole number.
  package static func format(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    let unit = units.last { milliseconds % $0.milliseconds == 0 && milliseconds != 0 } ?? units[1]
    return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
  }
}
