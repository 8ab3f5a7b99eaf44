import Foundation
import PadModel

/// Rows as somebody who can write the database could leave them.
///
/// `.ci/fuzz` compiles this into Vault, since a row is nothing that other modules see.
package enum StoredRows {
  /// What the values are read by: SQLite gives a value of any kind for any column.
  private struct Reader {
    let database: Database
    let ring: ServerKey

    init() {
      let folder = NSTemporaryDirectory() + "drawbolt-fuzz-\(getpid())"
      defer { try? FileManager.default.removeItem(atPath: folder) }
      guard let ring = try? ServerKey.made(at: folder + "/server.key"),
        let database = try? Database(path: folder + "/rows.sqlite")
      else { fatalError("\(folder) can't be written") }
      (self.ring, self.database) = (ring, database)
    }

    /// One row of these values; those that are missing are NULL.
    func row<Value>(_ values: [SQLValue], read: (Statement) -> Value) -> Value {
      let marks = values.map { _ in "?" } + Array(repeating: "NULL", count: 20)
      let sql = "SELECT " + marks.prefix(20).joined(separator: ", ")
      guard let value = try? database.first(sql, Array(values.prefix(20)), read: read) else {
        fatalError("one row can be read")
      }
      return value
    }

    func lock(_ values: [SQLValue]) -> LockRow? { row(values) { LockRow($0) } }
  }

  nonisolated(unsafe) private static let reader = Reader()
  private static let now = ClockReading(
    boot: Instant(nanoseconds: 1_000_000_000), bootID: "now", wall: 1_800_000_000)

  /// A lock, a secret or a bucket, after the first byte, one column of which becomes another value.
  package static func check(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    var values = values(bytes.dropFirst(2))
    guard let other = values.popLast() else { return }
    let place = Int(bytes[1]) % max(1, values.count)
    switch bytes[0] % 3 {
    case 0: lock(values, place, other)
    case 1: secret(values, place, other)
    default: bucket(values, at: now)
    }
  }

  /// What is read is written as it is read, and is sealed until a column changes.
  private static func lock(_ values: [SQLValue], _ place: Int, _ other: SQLValue) {
    guard var lock = reader.lock(values) else { return }
    precondition(!lock.isSealed(with: reader.ring), "nobody can seal but the key")
    _ = (lock.pad, lock.givesDemoGrants, lock.canonicalBytes([0, 1, 2]))
    lock.seal(with: reader.ring)
    let stored = lock.values + lock.seal.values
    precondition(reader.lock(stored)?.isSealed(with: reader.ring) == true, "it is as it was sealed")
    let edited = changed(stored, place, other)
    if let read = reader.lock(edited), read.isSealed(with: reader.ring) {
      precondition(read.values == lock.values, "an edited row is not as it was sealed")
    }
  }

  /// The hash comes out as long as no column changed, of the secret or of its lock.
  private static func secret(_ values: [SQLValue], _ place: Int, _ other: SQLValue) {
    let lock = LockRow(
      NewLock(id: VaultAdministration.demoLock), salt: Array(repeating: 1, count: 16),
      cost: HashCost(memory: 8 << 20, passes: 1))
    let hash = Array(repeating: UInt8(7), count: Sodium.hashBytes)
    var secret = reader.row(values) { SecretRow($0, lock: lock.id) }
    precondition(secret.open(of: lock, with: reader.ring) == nil, "nobody can seal but the key")
    _ = (secret.isValid(at: now.wall), secret.hasExpired(at: now.wall))
    secret.seal(hash, of: lock, with: reader.ring)
    let stored = secret.values + secret.seal.values
    secret = reader.row(stored) { SecretRow($0, lock: lock.id) }
    precondition(secret.open(of: lock, with: reader.ring) == hash, "it is as it was sealed")
    let edited = reader.row(changed(stored, place, other)) { SecretRow($0, lock: lock.id) }
    if edited.open(of: lock, with: reader.ring) != nil {
      precondition(edited.values == secret.values, "an edited row gives no hash")
    }
  }

  /// Numbers that no program writes stop a bucket, and none lets it be asked in vain.
  private static func bucket(_ values: [SQLValue], at now: ClockReading) {
    let (id, stored) = reader.row(values) { row in
      let anchor = ClockReading(
        boot: Instant(nanoseconds: row.integer(4)), bootID: row.text(3), wall: row.integer(5))
      let throttle = Throttle(
        anchor: anchor, failures: row.integer(2), generation: row.integer(6),
        budgetUsed: row.integer(7), budgetStart: row.integer(8), easedAt: row.integer(9))
      return (BucketID(kind: row.integer(0), holder: row.integer(1)), throttle)
    }
    precondition(id.flatMap { BucketID(number: $0.number) } == id, "a number names one bucket")
    for schedule in SchedulePreset.allCases.map(\.schedule) {
      var throttle = stored
      _ = throttle.retryAt(schedule)
      let before = throttle.failures
      if let reservation = throttle.reserve(schedule, at: now) {
        precondition(throttle.failures == before + 1, "each attempt is counted")
        _ = throttle.giveBack(after: reservation, secretBudget: nil, at: now)
        throttle.takeBack(reservation)
      }
      throttle.takeOver(from: stored)
      precondition(throttle.failures >= before, "an older state forgets nothing")
    }
  }

  private static func changed(_ values: [SQLValue], _ place: Int, _ other: SQLValue) -> [SQLValue] {
    var values = values
    values[place % values.count] = other
    return values
  }

  /// Each value behind its kind; numbers have eight bytes, all others their count before them.
  private static func values(_ bytes: ArraySlice<UInt8>) -> [SQLValue] {
    var (rest, values) = (bytes, [SQLValue]())
    while let kind = rest.popFirst(), values.count < 21 {
      switch kind & 3 {
      case 0: values.append(.null)
      case 1:
        values.append(.integer(rest.prefix(8).reduce(0) { $0 << 8 | Int64($1) }))
        rest = rest.dropFirst(8)
      case let kind:
        let part = Array(rest.dropFirst().prefix(Int(rest.first ?? 0)))
        rest = rest.dropFirst(part.count + 1)
        values.append(kind == 2 ? .text(String(decoding: part, as: UTF8.self)) : .blob(part))
      }
    }
    return values
  }
}

extension ServerKey {
  /// A new file, and what is read of it.
  fileprivate static func made(at path: String) throws(VaultError) -> ServerKey {
    try create(at: path)
    return try ServerKey(at: path)
  }
}
