public import PadModel

/// Adds and removes locks and secrets; works while a server runs.
///
/// It has a connection of its own and waits for others' transactions; a running server notices what
/// was changed within a second. Not for use by several threads at once.
public final class VaultAdministration {
  /// A lock with fewer possible codes is a toy.
  public static let fewestCodes = 100_000

  private let configuration: VaultConfiguration
  let store: Store

  /// Opens the database.
  ///
  /// - Throws: ``VaultError``.
  public static func open(_ configuration: VaultConfiguration) throws(VaultError)
    -> VaultAdministration
  {
    VaultAdministration(configuration, try Store(configuration))
  }

  private init(_ configuration: VaultConfiguration, _ store: Store) {
    self.configuration = configuration
    self.store = store
  }

  /// Makes the server key, readable by its owner only; never overwrites one.
  ///
  /// - Throws: ``VaultError``.
  public static func createKey(at path: String) throws(VaultError) {
    try ServerKey.create(at: path)
  }

  /// The number of the key that seals.
  public var keyID: UInt32 { store.ring.id }

  private var wall: Int64 { configuration.clock.read().wall }

  /// Has `hook` called before each write, for tests, which make it throw or do something meanwhile.
  package func setFault(_ hook: @escaping () throws(VaultError) -> Void) {
    store.database.beforeWrite = hook
  }

  // MARK: - Locks

  /// Adds a lock.
  ///
  /// - Throws: ``VaultError/lockExists(_:)``, ``VaultError/toy(reason:)``,
  ///   ``VaultError/tooManyOrigins(lock:limit:)``, ``VaultError/lockRefused(_:)`` or a storage error.
  public func addLock(_ lock: NewLock) throws(VaultError) {
    guard (1...lock.grid.nodeCount).contains(lock.minimumNodes) else {
      throw .lockRefused(lock.id)
    }
    let mostOrigins = configuration.limits.originsPerRoom
    guard lock.origins.count <= mostOrigins else {
      throw .tooManyOrigins(lock: lock.id, limit: mostOrigins)
    }
    try checkToy(lock)
    try store.database.transaction { () throws(VaultError) in
      guard try store.lock(lock.id) == nil else { throw .lockExists(lock.id) }
      let row = LockRow(
        lock, salt: Sodium.random(Sodium.saltBytes), cost: configuration.hashCost)
      try store.database.run(
        "INSERT INTO lock (\(LockRow.columns)) VALUES (\(LockRow.marks))",
        row.values)
      // What can't be read back could be neither drawn at nor listed.
      guard try store.lock(lock.id) != nil else { throw .lockRefused(lock.id) }
      try store.audit.action("lock added", lock: lock.id.text, at: wall)
    }
  }

  private func checkToy(_ lock: NewLock) throws(VaultError) {
    guard !lock.isToy else { return }
    if lock.minimumNodes < 4 { throw .toy(reason: .shortCodes(minimum: lock.minimumNodes)) }
    if lock.hasFewCodes { throw .toy(reason: .fewCodes(limit: Self.fewestCodes)) }
    if lock.cancel == .submit { throw .toy(reason: .submitsOnCancel) }
  }

  /// All locks by their ids.
  ///
  /// - Throws: ``VaultError``.
  public func locks() throws(VaultError) -> [LockSummary] {
    let rows = try store.database.all(
      "SELECT \(LockRow.columns) FROM lock ORDER BY id", read: LockRow.init)
    var summaries: [LockSummary] = []
    for row in rows.compactMap({ $0 }) { summaries.append(try summary(row)) }
    return summaries
  }

  /// One lock.
  ///
  /// - Throws: ``VaultError/unknownLock(_:)``.
  public func lock(_ id: LockID) throws(VaultError) -> LockSummary {
    try summary(try store.knownLock(id))
  }

  private func summary(_ row: LockRow) throws(VaultError) -> LockSummary {
    let throttle = try store.throttle(of: row, at: configuration.clock.read())
    return LockSummary(
      id: row.id, preset: row.preset, pad: row.pad, mirror: row.mirror,
      minimumNodes: row.minimumNodes, isToy: row.isToy,
      secrets: try store.secrets(of: row.id).count, failures: throttle.failures,
      origins: row.origins)
  }

  /// Removes a lock with its secrets, also one whose row was edited so that it can't be read.
  ///
  /// - Throws: ``VaultError/unknownLock(_:)``.
  public func removeLock(_ id: LockID) throws(VaultError) {
    try store.database.transaction { () throws(VaultError) in
      try store.database.run("DELETE FROM offer WHERE lock = ?", [.text(id.text)])
      guard try store.database.run("DELETE FROM lock WHERE id = ?", [.text(id.text)]) == 1 else {
        throw .unknownLock(id)
      }
      try store.audit.action("lock removed", lock: id.text, at: wall)
    }
    try leaveNoCopy()
  }

  /// Forgets the failures counted against a lock's strangers.
  ///
  /// - Throws: ``VaultError/unknownLock(_:)``.
  public func resetLock(_ id: LockID) throws(VaultError) {
    try change(id, "lock reset") { () throws(VaultError) in
      try store.database.run(
        """
        UPDATE bucket SET failures = 0, generation =
          CASE WHEN generation >= 0 AND generation < ?2 THEN (generation >> 32) + 1 ELSE 1 END << 32,
          budget_used = CASE WHEN budget_used BETWEEN 0 AND ?3 THEN budget_used ELSE ?3 END
        WHERE lock = ?1
        """, [.text(id.text), .integer(Throttle.mostGenerations), .integer(Throttle.budget)])
    }
  }

  /// One audited transaction on a lock that must exist.
  @discardableResult
  private func change<Result>(
    _ id: LockID, _ action: String, secret: Int? = nil,
    _ work: () throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    try store.database.transaction { () throws(VaultError) in
      _ = try store.knownLock(id)
      try store.audit.action(action, lock: id.text, secret: secret, at: wall)
      return try work()
    }
  }

  // MARK: - Secrets

  /// Enrols a code and returns its number.
  ///
  /// The caller has made sure that the pad's rule allows the path and that it is not too weak.
  ///
  /// - Throws: ``VaultError``.
  public func addSecret(_ secret: NewSecret) throws(VaultError) -> Int {
    try checkOwner(secret.owner)
    let lock = try store.knownLock(secret.lock)
    guard secret.nodes.count >= lock.minimumNodes, secret.nodes.allSatisfy(lock.grid.contains),
      Set(secret.nodes).count == secret.nodes.count
    else {
      throw .codeRefused(minimum: lock.minimumNodes)
    }
    let hash = try Sodium.hash(
      lock.canonicalBytes(secret.nodes), salt: lock.salt, cost: lock.cost)
    return try store.database.transaction { () throws(VaultError) in
      let salt = lock.salt
      var lock = try store.knownLock(secret.lock)
      // It may have been removed and added anew while this one hashed.
      guard lock.salt == salt else { throw .unknownLock(lock.id) }
      let limit = configuration.limits.secretsPerLock
      guard try store.secrets(of: lock.id).filter(\.isEnabled).count < limit else {
        throw .tooManySecrets(lock: lock.id, limit: limit)
      }
      // Another process may have rotated the key since this one started.
      try store.readKeys()
      let opened = try open(lock)
      let number = lock.lastSecret + 1
      lock.lastSecret = number
      try reseal(opened, of: lock)
      var row = SecretRow(secret, number: number, created: wall)
      row.seal(hash, of: lock, with: store.ring)
      try store.database.run(
        "UPDATE lock SET last_secret = ? WHERE id = ?", [.integer(number), .text(lock.id.text)])
      try insert(row)
      try store.audit.action("secret added", lock: lock.id.text, secret: number, at: wall)
      return number
    }
  }

  private func insert(_ row: SecretRow) throws(VaultError) {
    try store.database.run(
      """
      INSERT INTO secret (\(SecretRow.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, row.values)
  }

  private func checkOwner(_ owner: String) throws(VaultError) {
    let limit = configuration.ownerBytes
    guard owner.isEmpty || (try? MemberName(owner, limit: limit)) != nil else {
      throw .ownerLabel(byteCount: owner.utf8.count, limit: limit)
    }
  }

  /// The secrets of a lock, without anything of their codes.
  ///
  /// - Throws: ``VaultError/unknownLock(_:)``.
  public func secrets(of id: LockID) throws(VaultError) -> [SecretSummary] {
    _ = try store.knownLock(id)
    return try store.secrets(of: id).map { row in
      SecretSummary(
        number: row.number, owner: row.owner, expires: row.expires,
        usesLeft: row.usesLeft.map { Int(clamping: $0) })
    }
  }

  /// Deletes a secret.
  ///
  /// - Throws: ``VaultError/unknownSecret(lock:number:)``.
  public func revokeSecret(lock: LockID, number: Int) throws(VaultError) {
    try change(lock, "secret revoked", secret: number) { () throws(VaultError) in
      let deleted = try store.database.run(
        "DELETE FROM secret WHERE lock = ? AND number = ?", [.text(lock.text), .integer(number)])
      guard deleted == 1 else { throw .unknownSecret(lock: lock, number: number) }
    }
    try leaveNoCopy()
  }

  // MARK: - Keys

  /// Seals every row with a new key and forgets the older ones; returns the new key's number.
  ///
  /// The new key is on the disk before any row needs it, and the old one stays until none does.
  ///
  /// - Throws: ``VaultError/damagedRows(lock:count:)`` if a row does not open.
  public func rotateKey() throws(VaultError) -> UInt32 {
    try store.database.transaction { () throws(VaultError) in
      try store.readKeys()
      let locks = try store.database.all(
        "SELECT \(LockRow.columns) FROM lock ORDER BY id", read: LockRow.init)
      var opened: [(LockRow, [Opened])] = []
      for lock in locks.compactMap({ $0 }) { opened.append((lock, try open(lock))) }
      try store.addKey()
      for (lock, rows) in opened { try reseal(rows, of: lock) }
      // The rows of a lock that can't be read would need the old key for ever.
      guard try store.keysInUse().isSubset(of: [store.ring.id]) else {
        throw .database(code: 11, doing: "sealing the rows of a damaged lock")
      }
      try store.audit.action("key rotated", lock: "", at: wall)
    }
    try store.database.run("VACUUM")
    guard try leaveNoCopy() else { throw .database(code: 5, doing: "cutting its log") }
    try store.forgetOlderKeys()
    return store.ring.id
  }

  /// A row with the hash that it seals.
  private typealias Opened = (row: SecretRow, hash: [UInt8])

  /// The secrets of a lock, all of which must open.
  private func open(_ lock: LockRow) throws(VaultError) -> [Opened] {
    let rows = try store.openedSecrets(of: lock)
    let opened = rows.compactMap { row, hash in hash.map { (row, $0) } }
    guard opened.count == rows.count else {
      throw .damagedRows(lock: lock.id, count: rows.count - opened.count)
    }
    return opened
  }

  /// Seals the secrets of a lock with the newest key and what the lock's row says now.
  private func reseal(_ rows: [Opened], of lock: LockRow) throws(VaultError) {
    for (old, hash) in rows {
      var row = old
      row.seal(hash, of: lock, with: store.ring)
      try store.database.run(
        "UPDATE secret SET key = ?, nonce = ?, sealed = ? WHERE lock = ? AND number = ?",
        [
          .integer(Int(row.key)), .blob(row.nonce), .blob(row.sealed), .text(lock.id.text),
          .integer(row.number),
        ])
    }
  }

  /// Moves the log into the database and cuts it, so that what was deleted is in neither.
  ///
  /// - Returns: whether it could; a reader that does not end keeps the log.
  @discardableResult
  private func leaveNoCopy() throws(VaultError) -> Bool {
    try store.database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) } == 0
  }
}
