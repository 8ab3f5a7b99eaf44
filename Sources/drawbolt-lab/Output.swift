import DrawboltServer
import Foundation

/// A value as indented JSON with sorted names.
func jsonText(_ value: some Encodable) throws(CommandFailure) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  do {
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  } catch {
    throw CommandFailure(.software, "a report could not be written as JSON")
  }
}

/// Columns of text, the first aligned left, the others right.
func table(_ rows: [[String]]) -> String {
  let columns = rows.map(\.count).max() ?? 0
  let widths = (0..<columns).map { column in
    rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
  }
  return rows.map { row in
    let cells = row.enumerated().map { column, cell in
      let gap = String(repeating: " ", count: widths[column] - cell.count)
      return column == 0 ? cell + gap : gap + cell
    }
    return cells.joined(separator: "  ") + "\n"
  }.joined()
}

/// A number with this many digits behind the point.
func decimal(_ value: Double, _ digits: Int = 1) -> String {
  String(format: "%.\(digits)f", value)
}

extension Option {
  static let json = Option(name: "json", value: nil, help: "Print JSON instead of a table.")
}
