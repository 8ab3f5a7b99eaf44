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

  /// The highest generation that each bucket was seen with.
  var newestGenerations: [Shelf: Int64] = [:]

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

  // MARK: - Keys

  /// Reads the key file again: another process may have rotated the key.
  func readKeys() throws(VaultError) { ring = try Self.readKeys(configuration) }

  private static func readKeys(_ configuration: VaultConfiguration) throws(VaultError) -> ServerKey
  {
    let path = configuration.keyPath
    do throws(VaultError) {
      return try ServerKey(at: path, isCredential: configuration.keyIsCredential)
    } catch .keyMissing where configuration.hasData {
      throw .keyLost(path: path, directory: configuration.directory)
    }
  }

  /// Takes a newer ring, which is in the key file already.
  func use(_ newer: ServerKey) { ring = newer }

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

  /// The ids of all locks, whatever their rows say.
  func lockIDs() throws(VaultError) -> [LockID] {
    try database.all("SELECT id FROM lock ORDER BY id") { try? LockID($0.text(0)) }
      .compactMap { $0 }
  }

  /// A lock; nil if there is none.
  ///
  /// - Throws: ``VaultError/damagedLock(_:)`` if its row was edited: otherwise an edit of its mirror
  ///   would show to all what is drawn next.
  func lock(_ id: LockID) throws(VaultError) -> LockRow? {
    guard let found = try readLock(id) else { return nil }
    guard case .some(let lock) = found else { throw .damagedLock(id) }
    if !ring.holds(lock.seal.key) { try readKeys() }
    guard lock.isSealed(with: ring) else { throw .damagedLock(id) }
    return lock
  }

  /// A lock's row, whatever its seal says; nil if there is none, and nil within if a value is none of
  /// ours.
  func readLock(_ id: LockID) throws(VaultError) -> LockRow?? {
    try database.first(
      "SELECT \(LockRow.columns) FROM lock WHERE id = ?", [.text(id.text)], read: LockRow.init)
  }

  func knownLock(_ id: LockID) throws(VaultError) -> LockRow {
    guard let lock = try lock(id) else { throw .unknownLock(id) }
    return lock
  }

  /// Seals the lock's row anew and writes what of it may change.
  func save(_ lock: inout LockRow) throws(VaultError) {
    lock.seal(with: ring)
    try database.run(
      "UPDATE lock SET last_secret = ?, mirror = ?, key = ?, nonce = ?, sealed = ? WHERE id = ?",
      [.integer(lock.lastSecret), .text(lock.mirror.rawValue)] + lock.seal.values + [
        .text(lock.id.text)
      ])
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
    if rows.contains(where: { !ring.holds($0.seal.key) }) { try readKeys() }
    return rows.map { ($0, $0.open(of: lock, with: ring)) }
  }

  /// What a room is made of, and which of its buckets somebody belongs to; nil if there is no such lock.
  func profile(of id: LockID, for drawer: Drawer, at now: ClockReading) throws(VaultError)
    -> LockProfile?
  {
    guard let lock = try lock(id) else { return nil }
    let own = try bucket(of: drawer, at: lock, now)
    var buckets = [try standing(own, of: lock, at: now)]
    for other in try bucketIDs(of: lock) where other != own {
      buckets.append(try standing(other, of: lock, at: now))
    }
    return LockProfile(
      lock: lock.id, pad: lock.pad, minimumNodes: lock.minimumNodes, mirror: lock.mirror,
      givesDemoGrants: lock.givesDemoGrants, own: own, buckets: buckets)
  }
}
