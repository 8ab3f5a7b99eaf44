import PadModel

/// The database with what is decided on it; it belongs to one thread at a time.
final class Store {
  let database: Database
  let configuration: VaultConfiguration
  private(set) var ring: ServerKey
  /// What signs grants until the program ends: actuators were told its public half, so a rotation
  /// changes it with the next start only.
  let grantKey: GrantKey
  private let grantSecret: [UInt8]
  let audit: Audit

  init(_ configuration: VaultConfiguration) throws(VaultError) {
    self.configuration = configuration
    let ring = try Self.readKeys(configuration)
    self.ring = ring
    let pair = ring.grantPair
    grantKey = GrantKey(id: ring.id, publicKey: pair.publicKey)
    grantSecret = pair.secretKey
    try DataDirectory.make(configuration.directory)
    try DataDirectory.check(configuration.directory)
    database = try Database(path: configuration.databasePath)
    audit = Audit(database: database, mostRows: configuration.limits.auditRows)
    try checkKeys()
  }

  var limits: Limits { configuration.limits }

  /// Refuses to work when rows are sealed with a key that is not there.
  private func checkKeys() throws(VaultError) {
    for id in try keysInUse().sorted() where !ring.holds(id) {
      throw .keyUnknown(path: configuration.keyPath, id: id)
    }
  }

  /// The numbers of the keys that rows are sealed with.
  func keysInUse() throws(VaultError) -> Set<UInt32> {
    Set(
      try database.all("SELECT DISTINCT key FROM secret") { UInt32(clamping: $0.integer(0)) })
  }

  // MARK: - Keys

  /// Reads the key file again: another process may have rotated the key.
  func readKeys() throws(VaultError) { ring = try Self.readKeys(configuration) }

  private static func readKeys(_ configuration: VaultConfiguration) throws(VaultError) -> ServerKey
  {
    try ServerKey(at: configuration.keyPath, isCredential: configuration.keyIsCredential)
  }

  /// Adds a key that seals from now on.
  func addKey() throws(VaultError) {
    ring = try ring.addingKey(inUse: try keysInUse())
  }

  /// Forgets the keys that no row needs any more.
  ///
  /// Within a transaction, and by what the file holds now: another rotation may have added a key, to
  /// write the file without which would lose every row for good.
  func forgetOlderKeys() throws(VaultError) {
    try database.transaction { () throws(VaultError) in
      try readKeys()
      ring = try ring.forgettingOlder(inUse: try keysInUse())
    }
  }

  /// Signs a grant.
  func sign(_ grant: inout Grant) {
    grant.signature = Sodium.sign(grant.signedBytes, secretKey: grantSecret)
  }

  // MARK: - Clock

  /// The clocks, with a wall clock that never goes back: the newest that was ever seen counts.
  func validityWall(_ now: ClockReading) throws(VaultError) -> Int64 {
    max(now.wall, try database.first("SELECT wall FROM clock") { $0.integer(0) } ?? 0)
  }

  func noteWall(_ now: ClockReading) throws(VaultError) {
    try database.run("UPDATE clock SET wall = max(wall, ?)", [.integer(now.wall)])
  }

  // MARK: - Locks

  func lock(_ id: LockID) throws(VaultError) -> LockRow? {
    try database.first(
      "SELECT \(LockRow.columns) FROM lock WHERE id = ?", [.text(id.text)], read: LockRow.init)
      ?? nil
  }

  func knownLock(_ id: LockID) throws(VaultError) -> LockRow {
    guard let lock = try lock(id) else { throw .unknownLock(id) }
    return lock
  }

  func secrets(of lock: LockID) throws(VaultError) -> [SecretRow] {
    try database.all(
      "SELECT \(SecretRow.columns) FROM secret WHERE lock = ? ORDER BY number", [.text(lock.text)]
    ) { SecretRow($0, lock: lock) }
  }

  /// The lock's secrets, each with its hash, or nil if the row was edited.
  ///
  /// Within a transaction no rotation can come between the rows and their keys.
  func openedSecrets(of lock: LockRow) throws(VaultError) -> [(row: SecretRow, hash: [UInt8]?)] {
    let rows = try secrets(of: lock.id)
    if rows.contains(where: { !ring.holds($0.key) }) { try readKeys() }
    return rows.map { ($0, $0.open(of: lock, with: ring)) }
  }

  /// What a room is made of; nil if there is no such lock.
  ///
  /// The lock's row has no seal of its own, so its secrets must vouch for it: otherwise an edit of its
  /// mirror would show to all what is drawn next.
  ///
  /// - Throws: ``VaultError/damagedLock(_:)``, or why it can't be read.
  func trustedProfile(of id: LockID, at now: ClockReading) throws(VaultError) -> LockProfile? {
    let trusted = try database.snapshot { () throws(VaultError) -> LockRow? in
      guard let lock = try lock(id) else {
        let rows = try database.first(
          "SELECT count(*) FROM lock WHERE id = ?", [.text(id.text)]
        ) { $0.integer(0) }
        guard rows == 0 else { throw .damagedLock(id) }
        return nil
      }
      let secrets = try openedSecrets(of: lock)
      guard secrets.isEmpty || secrets.contains(where: { $0.hash != nil }) else {
        throw .damagedLock(id)
      }
      return lock
    }
    // Of the row that was vouched for: it may be edited at any moment.
    return try trusted.map { lock throws(VaultError) in try profile(of: lock, at: now) }
  }

  func profile(of id: LockID, at now: ClockReading) throws(VaultError) -> LockProfile? {
    guard let lock = try lock(id) else { return nil }
    return try profile(of: lock, at: now)
  }

  private func profile(of lock: LockRow, at now: ClockReading) throws(VaultError) -> LockProfile {
    let throttle = try throttle(of: lock, at: now)
    return LockProfile(
      lock: lock.id, pad: lock.pad, minimumNodes: lock.minimumNodes, mirror: lock.mirror,
      givesDemoGrants: lock.givesDemoGrants, origins: lock.origins,
      bucket: reading(throttle, lock))
  }

  // MARK: - Buckets

  func reading(_ throttle: Throttle, _ lock: LockRow) -> BucketReading {
    BucketReading(
      failures: throttle.failures,
      retryAt: throttle.failures == 0 ? .zero : throttle.retryAt(lock.schedule.schedule))
  }

  /// The bucket as it stands; a delay that must begin anew begins now, and that is written down.
  func throttle(of lock: LockRow, at now: ClockReading) throws(VaultError) -> Throttle {
    var throttle = try storedThrottle(of: lock.id) ?? Throttle(at: now)
    if throttle.failures > 0, throttle.settle(at: now) { try save(throttle, of: lock.id) }
    return throttle
  }

  /// Begins the delays anew that must be, in all buckets, so that they end one step from now.
  func settleBuckets(at now: ClockReading) throws(VaultError) {
    let names = try database.all("SELECT lock FROM bucket WHERE failures <> 0") { $0.text(0) }
    for name in names {
      guard let id = try? LockID(name), let lock = try lock(id) else { continue }
      _ = try throttle(of: lock, at: now)
    }
  }

  private func storedThrottle(of lock: LockID) throws(VaultError) -> Throttle? {
    try database.first(
      """
      SELECT failures, generation, boot_id, boot, wall, budget_used, budget_start
      FROM bucket WHERE lock = ? AND kind = ?
      """, [.text(lock.text), .integer(BucketKind.strangers.rawValue)]
    ) { row in
      Throttle(
        anchor: ClockReading(
          boot: Instant(nanoseconds: row.integer(3)), bootID: row.text(2), wall: row.integer(4)),
        failures: row.integer(0), generation: row.integer(1), budgetUsed: row.integer(5),
        budgetStart: row.integer(6))
    }
  }

  func save(_ throttle: Throttle, of lock: LockID) throws(VaultError) {
    try database.run(
      """
      INSERT OR REPLACE INTO bucket
      (lock, kind, failures, generation, boot_id, boot, wall, budget_used, budget_start)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .text(lock.text), .integer(BucketKind.strangers.rawValue), .integer(throttle.failures),
        .integer(throttle.generation), .text(throttle.anchor.bootID),
        .integer(throttle.anchor.boot.nanoseconds), .integer(throttle.anchor.wall),
        .integer(throttle.budgetUsed), .integer(throttle.budgetStart),
      ])
  }
}
