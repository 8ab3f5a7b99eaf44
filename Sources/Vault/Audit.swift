import PadModel

/// The append-only record of what was tried and done.
///
/// Never a code, its length or how long it took.
package struct Audit {
  let database: Database
  /// Rows that are kept; older ones go.
  let mostRows: Int

  /// An attempt's end.
  func attempt(
    _ id: AttemptID, lock: LockID, bucket: BucketKind, outcome: Outcome, secret: Int?,
    at wall: Int64
  ) throws(VaultError) {
    try append(
      [
        .integer(wall), .text(lock.text), .blob(id.bytes), .integer(bucket.rawValue),
        .text(outcome.rawValue), secret.map { .integer($0) } ?? .null, .null,
      ])
  }

  /// A reservation that never got its verdict.
  func abandoned(_ id: [UInt8], lock: String, bucket: Int64, at wall: Int64) throws(VaultError) {
    try append(
      [
        .integer(wall), .text(lock), .blob(id), .integer(bucket), .text("abandoned"), .null, .null,
      ])
  }

  /// What an administrator did.
  func action(
    _ action: LockChange.Action, lock: LockID?, secret: Int? = nil, at wall: Int64
  ) throws(VaultError) {
    try append(
      [
        .integer(wall), .text(lock?.text ?? ""), .null, .null, .text(action.rawValue),
        secret.map { .integer($0) } ?? .null, .text("command line"),
      ])
  }

  /// The number of the newest row; 0 if there is none.
  func newest() throws(VaultError) -> Int64 {
    try database.first("SELECT max(id) FROM audit") { $0.integer(0) } ?? 0
  }

  /// What administrators did after one row, up to another.
  func actions(after first: Int64, upTo last: Int64) throws(VaultError) -> [LockChange] {
    try database.all(
      """
      SELECT outcome, lock FROM audit WHERE id > ? AND id <= ? AND actor IS NOT NULL ORDER BY id
      """, [.integer(first), .integer(last)]
    ) { row in
      LockChange.Action(rawValue: row.text(0)).map {
        LockChange($0, lock: try? LockID(row.text(1)))
      }
    }.compactMap { $0 }
  }

  /// A refusal before any reservation: one row a lock, bucket and minute, with a count.
  func refusal(
    _ outcome: Outcome, lock: LockID, bucket: BucketKind, count: Int = 1, at wall: Int64
  ) throws(VaultError) {
    try database.run(
      """
      INSERT INTO audit (time, lock, bucket, outcome, count) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (lock, bucket, outcome, time) WHERE attempt IS NULL AND actor IS NULL
      DO UPDATE SET count = count + excluded.count
      """,
      [
        .integer(wall / 60 * 60), .text(lock.text), .integer(bucket.rawValue),
        .text(outcome.rawValue), .integer(count),
      ])
    try forgetOldest()
  }

  private func append(_ values: [SQLValue]) throws(VaultError) {
    try database.run(
      """
      INSERT INTO audit (time, lock, attempt, bucket, outcome, secret, actor)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, values)
    try forgetOldest()
  }

  private func forgetOldest() throws(VaultError) {
    try database.run(
      "DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", [.integer(mostRows)])
  }
}
