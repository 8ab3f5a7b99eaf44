import PadModel

/// A secret with the hash that it seals.
typealias Opened = (row: SecretRow, hash: [UInt8])

/// Which key the data need.
extension Store {
  /// Refuses to work with another key than that of the data.
  func checkKeys() throws(VaultError) {
    if try keyCheck() == nil { try adopt() }
    guard let seal = try keyCheck() else { throw foreignKey }
    guard ring.holds(seal.key) else {
      throw .keyUnknown(path: configuration.keyPath, id: seal.key)
    }
    guard seal.open(bound: checked, for: .check, with: ring) != nil else { throw foreignKey }
  }

  private var checked: BoundBytes { BoundBytes("drawbolt-key-check") }

  private var foreignKey: VaultError {
    .keyForeign(path: configuration.keyPath, directory: configuration.directory)
  }

  private func keyCheck() throws(VaultError) -> Seal? {
    try database.first("SELECT \(Seal.columns) FROM key_check") { Seal($0, at: 0) }
  }

  /// Writes down, under seal, which key the data have.
  func saveKeyCheck() throws(VaultError) {
    try database.run(
      "INSERT OR REPLACE INTO key_check (id, \(Seal.columns)) VALUES (1, ?, ?, ?)",
      Seal(bound: checked, for: .check, with: ring).values)
  }

  /// The numbers of the keys that rows are sealed with.
  func keysInUse() throws(VaultError) -> Set<UInt32> {
    Set(
      try database.all(
        """
        SELECT key FROM secret UNION SELECT key FROM lock UNION SELECT key FROM bucket
        UNION SELECT key FROM device UNION SELECT key FROM admin UNION SELECT key FROM key_check
        """
      ) { UInt32(clamping: $0.integer(0)) }
    ).subtracting([Seal.none.key])
  }

  /// Adds a key that seals from now on.
  func addKey() throws(VaultError) {
    use(try ring.addingKey(inUse: try keysInUse()))
  }

  /// Forgets the keys that no row needs any more.
  ///
  /// Within a transaction, and by what the file holds now: another rotation may have added a key, to
  /// write the file without which would lose every row for good.
  func forgetOlderKeys() throws(VaultError) {
    try database.transaction { () throws(VaultError) in
      try readKeys()
      use(try ring.forgettingOlder(inUse: try keysInUse()))
    }
  }

  // MARK: - Data of an older program

  /// Takes up data that are new, or of a program which sealed nothing but secrets.
  ///
  /// Only a secret's seal of that program vouches for a lock's row then, and each lock is taken up once:
  /// afterwards no such seal is left. A lock that none vouches for stays without a seal, like an edited
  /// one.
  private func adopt() throws(VaultError) {
    try database.transaction { () throws(VaultError) in
      guard try keyCheck() == nil else { return }
      var (isForeign, isKnown) = (false, false)
      for id in try lockIDs() {
        guard case .some(.some(var lock)) = try readLock(id) else { continue }
        let rows = try secrets(of: id)
        if rows.contains(where: { $0.open(of: lock, with: ring) != nil }) { isKnown = true }
        let old = rows.compactMap { row in
          row.open(of: lock, with: ring, version: SecretRow.oldVersion).map { (row: row, hash: $0) }
        }
        if old.isEmpty {
          isForeign = isForeign || !rows.isEmpty
        } else {
          isKnown = true
          try adopt(&lock, old)
        }
      }
      guard isKnown || !isForeign else { throw foreignKey }
      try saveKeyCheck()
    }
  }

  private func adopt(_ lock: inout LockRow, _ secrets: [Opened]) throws(VaultError) {
    try save(&lock)
    for secret in secrets { try reseal(secret, of: lock) }
    let now = configuration.clock.read()
    try save(try storedThrottle(.strangers, of: lock)?.0 ?? Throttle(at: now), .strangers, of: lock)
  }

  /// Seals a secret with the newest key and what the lock's row says now.
  func reseal(_ secret: Opened, of lock: LockRow) throws(VaultError) {
    var row = secret.row
    row.seal(secret.hash, of: lock, with: ring)
    try database.run(
      """
      UPDATE secret SET version = ?, key = ?, nonce = ?, sealed = ? WHERE lock = ? AND number = ?
      """,
      [.integer(row.version)] + row.seal.values + [.text(lock.id.text), .integer(row.number)])
  }
}
