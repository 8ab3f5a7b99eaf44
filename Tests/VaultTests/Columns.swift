import Vault

/// A column as the schema declares it.
struct Column {
  let name: String
  let type: String

  /// Values that differ from what stands in it, as SQL.
  var edits: [String] {
    switch type {
    case "INTEGER": ["\(name) + 1", "\(name) + 256", "\(name) + 4294967296", "-1"]
    case "BLOB":
      [
        "x'00'", "substr(\(name), 1, length(\(name)) - 1)",
        "CAST(substr(\(name), 1, length(\(name)) - 1) || \(otherEnd) AS BLOB)", "zeroblob(24)",
      ]
    default: ["\(name) || 'x'", "\(name) || char(0) || 'x'", "''"]
    }
  }
}

extension Column {
  /// A byte that is not the blob's last.
  private var otherEnd: String {
    "CASE substr(\(name), -1) WHEN x'00' THEN x'01' ELSE x'00' END"
  }
}

extension World {
  /// The columns of a table.
  func columns(of table: String) throws -> [Column] {
    try database().all("PRAGMA table_info(\(table))") { Column(name: $0.text(1), type: $0.text(2)) }
  }
}
