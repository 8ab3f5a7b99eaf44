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
  /// Who is at work, as the audit is to say.
  public var actor = Actor.commandLine

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

  var now: ClockReading { configuration.clock.read() }

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
      // Another process may have rotated the key since this one started.
      try store.readKeys()
      var row = LockRow(
        lock, salt: Sodium.random(Sodium.saltBytes), cost: configuration.hashCost)
      row.seal(with: store.ring)
      try store.database.run(
        "INSERT INTO lock (\(LockRow.columns)) VALUES (\(LockRow.marks))",
        row.values + row.seal.values)
      // What can't be read back could be neither drawn at nor listed.
      guard case .some(.some) = try store.readLock(lock.id) else { throw .lockRefused(lock.id) }
      try store.save(Throttle(at: now), .strangers, of: row)
      try store.audit.action(.lockAdded, at: lock.id.text, by: actor, at: now.wall)
    }
  }

  private func checkToy(_ lock: NewLock) throws(VaultError) {
    guard !lock.isToy else { return }
    if lock.minimumNodes < 4 { throw .toy(reason: .shortCodes(minimum: lock.minimumNodes)) }
    if lock.hasFewCodes { throw .toy(reason: .fewCodes(limit: Self.fewestCodes)) }
    if lock.cancel == .submit { throw .toy(reason: .submitsOnCancel) }
  }

  /// All locks by their ids, and the ids of those whose rows were edited.
  ///
  /// - Throws: ``VaultError``.
  public func locks() throws(VaultError) -> (good: [LockSummary], damaged: [LockID]) {
    var (good, damaged): ([LockSummary], [LockID]) = ([], [])
    for id in try store.lockIDs() {
      do throws(VaultError) {
        if let lock = try store.lock(id) { good.append(try summary(lock)) }
      } catch .damagedLock {
        damaged.append(id)
      }
    }
    return (good, damaged)
  }

  /// One lock.
  ///
  /// - Throws: ``VaultError/unknownLock(_:)``.
  public func lock(_ id: LockID) throws(VaultError) -> LockSummary {
    try summary(try store.knownLock(id))
  }

  private func summary(_ row: LockRow) throws(VaultError) -> LockSummary {
    let throttle = try store.throttle(.strangers, of: row, at: now)
    let wall = try store.validityWall(now)
    return LockSummary(
      id: row.id, preset: row.preset, pad: row.pad, mirror: row.mirror,
      minimumNodes: row.minimumNodes, isToy: row.isToy,
      secrets: try store.secrets(of: row.id).filter { $0.isValid(at: wall) }.count,
      failures: throttle.failures, origins: row.origins)
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
      try store.audit.action(.lockRemoved, at: id.text, by: actor, at: now.wall)
    }
    try leaveNoCopy()
  }

  /// Forgets the failures counted against a lock's strangers, its pads and its trusted devices.
  ///
  /// - Throws: ``VaultError/unknownLock(_:)``.
  public func resetLock(_ id: LockID) throws(VaultError) {
    try change(id, .lockReset) { lock throws(VaultError) in
      for bucket in try store.bucketIDs(of: lock) {
        var throttle = try store.throttle(bucket, of: lock, at: now)
        throttle.reset(at: now)
        try store.save(throttle, bucket, of: lock)
      }
    }
  }

  /// One audited transaction on a lock that must exist.
  func change(
    _ id: LockID, _ action: LockChange.Action, secret: Int? = nil,
    _ work: (LockRow) throws(VaultError) -> Void
  ) throws(VaultError) {
    try store.database.transaction { () throws(VaultError) in
      let lock = try store.knownLock(id)
      try store.audit.action(action, at: id.text, secret: secret, by: actor, at: now.wall)
      try work(lock)
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
      try store.save(&lock)
      for other in opened { try store.reseal(other, of: lock) }
      var row = SecretRow(secret, number: number, created: now.wall)
      row.seal(hash, of: lock, with: store.ring)
      try insert(row)
      try store.audit.action(
        .secretAdded, at: lock.id.text, secret: number, by: actor, at: now.wall)
      return number
    }
  }

  private func insert(_ row: SecretRow) throws(VaultError) {
    try store.database.run(
      """
      INSERT INTO secret (\(SecretRow.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, row.values + row.seal.values)
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
    let wall = try store.validityWall(now)
    return try store.secrets(of: id).map { row in
      SecretSummary(
        number: row.number, owner: row.owner, expires: row.expires,
        usesLeft: row.usesLeft.map { Int(clamping: $0) }, hasExpired: row.hasExpired(at: wall))
    }
  }

  /// Deletes a secret.
  ///
  /// - Throws: ``VaultError/unknownSecret(lock:number:)``.
  public func revokeSecret(lock: LockID, number: Int) throws(VaultError) {
    try change(lock, .secretRevoked, secret: number) { row throws(VaultError) in
      let deleted = try store.database.run(
        "DELETE FROM secret WHERE lock = ? AND number = ?", [.text(lock.text), .integer(number)])
      guard deleted == 1 else { throw .unknownSecret(lock: lock, number: number) }
      try store.distrust(number, of: row)
    }
    try leaveNoCopy()
  }

  /// Has a secret's devices be strangers from now on; each earns trust again with the next right code.
  ///
  /// - Throws: ``VaultError/unknownSecret(lock:number:)``.
  public func endTrust(lock id: LockID, number: Int) throws(VaultError) {
    try change(id, .trustEnded, secret: number) { lock throws(VaultError) in
      guard try store.secrets(of: id).contains(where: { $0.number == number }) else {
        throw .unknownSecret(lock: id, number: number)
      }
      try store.distrust(number, of: lock)
    }
  }

  /// The secrets of a lock, all of which must open.
  func open(_ lock: LockRow) throws(VaultError) -> [Opened] {
    let rows = try store.openedSecrets(of: lock)
    let opened = rows.compactMap { row, hash in hash.map { (row: row, hash: $0) } }
    guard opened.count == rows.count else {
      throw .damagedRows(lock: lock.id, count: rows.count - opened.count)
    }
    return opened
  }

  /// Moves the log into the database and cuts it, so that what was deleted is in neither.
  ///
  /// - Returns: whether it could; a reader that does not end keeps the log.
  @discardableResult
  func leaveNoCopy() throws(VaultError) -> Bool {
    try store.database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) } == 0
  }
}
