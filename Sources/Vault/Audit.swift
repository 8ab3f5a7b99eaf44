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
    _ action: LockChange.Action, at place: String, secret: Int? = nil, by actor: Actor,
    at wall: Int64
  ) throws(VaultError) {
    try append(
      [
        .integer(wall), .text(place), .null, .null, .text(action.rawValue),
        secret.map { .integer($0) } ?? .null, .text(actor.text),
      ])
  }

  /// The newest entries before one, of one lock or of all.
  func entries(of lock: LockID?, before id: Int64, limit: Int) throws(VaultError) -> [AuditEntry] {
    try database.all(
      """
      SELECT id, time, lock, outcome, bucket, secret, actor, count FROM audit
      WHERE id < ? AND (? IS NULL OR lock = ?) ORDER BY id DESC LIMIT ?
      """,
      [
        .integer(id), lock.map { .text($0.text) } ?? .null, lock.map { .text($0.text) } ?? .null,
        .integer(limit),
      ], read: AuditEntry.init)
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
      LockChange.Action(rawValue: row.text(0)).map { action in
        LockChange(action, lock: action.concernsLock ? try? LockID(row.text(1)) : nil)
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

/// Who administers.
public enum Actor: Equatable, Sendable {
  /// Whoever may use the program on this machine.
  case commandLine
  /// An administrator by the HTTP interface.
  case admin(String)

  var text: String {
    switch self {
    case .commandLine: "command line"
    case .admin(let name): "admin:\(name)"
    }
  }
}

/// A row of the audit.
public struct AuditEntry: Equatable, Sendable {
  /// Its number; newer ones have higher numbers.
  public let id: Int64
  /// The second since 1970, of a refusal the first of its minute.
  public let time: Int64
  /// The lock or board; empty if it was about all.
  public let place: String
  /// How an attempt ended, or what an administrator did.
  public let what: String
  /// Whose failures an attempt counted with: `strangers`, `trusted` or `sharedPad`; nil if it was none.
  public let bucket: String?
  /// The secret that opened, or that was changed.
  public let secret: Int?
  /// Who did it; nil for an attempt.
  public let actor: String?
  /// How many refusals it stands for; 1 for anything else.
  public let count: Int

  init(_ row: Statement) {
    id = row.integer(0)
    time = row.integer(1)
    place = row.text(2)
    what = row.text(3)
    bucket = row.optionalInteger(4).flatMap(BucketKind.init).map { "\($0)" }
    secret = row.optionalInteger(5).map { Int($0) }
    if case .text(let text) = row.value(6) { actor = text } else { actor = nil }
    count = Int(row.integer(7))
  }
}
