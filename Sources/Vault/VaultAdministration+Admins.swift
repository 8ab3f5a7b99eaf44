public import PadModel

/// What is shown of an administrator.
public struct AdminSummary: Equatable, Sendable {
  /// The name that the audit has.
  public let name: String
  /// The second since 1970 in which the token was made.
  public let created: Int64
}

/// Administrators of the HTTP interface: a name and a token each, of which a digest is stored.
extension VaultAdministration {
  /// Adds an administrator and gives its token, which nobody can be told again.
  ///
  /// - Throws: ``VaultError/adminName(_:)``, ``VaultError/adminExists(_:)``,
  ///   ``VaultError/tooManyAdmins(limit:)`` or a storage error.
  public func addAdmin(_ name: String) throws(VaultError) -> BearerToken {
    guard (try? LockID(name)) != nil else { throw .adminName(name) }
    let token = BearerToken.random()
    let now = now
    try store.database.transaction { () throws(VaultError) in
      let admins = try store.admins()
      guard !admins.contains(where: { $0.name == name }) else { throw .adminExists(name) }
      let limit = store.limits.admins
      guard admins.count < limit else { throw .tooManyAdmins(limit: limit) }
      // Another process may have rotated the key since this one started.
      try store.readKeys()
      try store.save(AdminRow(name: name, digest: token.digest, created: now.wall))
      try store.audit.action(.adminAdded, at: name, by: actor, at: now.wall)
    }
    return token
  }

  /// Ends what an administrator's token gives.
  ///
  /// - Throws: ``VaultError/unknownAdmin(_:)`` or a storage error.
  public func revokeAdmin(_ name: String) throws(VaultError) {
    try store.database.transaction { () throws(VaultError) in
      let deleted = try store.database.run("DELETE FROM admin WHERE name = ?", [.text(name)])
      guard deleted == 1 else { throw .unknownAdmin(name) }
      try store.audit.action(.adminRevoked, at: name, by: actor, at: now.wall)
    }
    try leaveNoCopy()
  }

  /// All administrators by their names.
  ///
  /// - Throws: a storage error.
  public func admins() throws(VaultError) -> [AdminSummary] {
    try store.admins().map { AdminSummary(name: $0.name, created: $0.created) }
  }

  /// Whose token it is; nil if it is nobody's.
  ///
  /// - Throws: a storage error.
  public func admin(with token: BearerToken) throws(VaultError) -> String? {
    let digest = token.digest
    // All are compared, so that nothing shows where it stopped.
    return try store.admins().filter { Sodium.equal($0.digest.bytes, digest.bytes) }.first?.name
  }

  /// Writes down what was done to a room.
  ///
  /// - Throws: a storage error.
  public func note(_ action: LockChange.Action, room: RoomName) throws(VaultError) {
    try store.audit.action(action, at: "\(room)", by: actor, at: now.wall)
  }

  /// The newest entries of the audit before one, of a lock or of all, the newest first.
  ///
  /// - Throws: a storage error.
  public func audit(of lock: LockID?, before id: Int64, limit: Int) throws(VaultError)
    -> [AuditEntry]
  {
    try store.audit.entries(of: lock, before: id, limit: limit)
  }

  /// Shows strokes at a lock otherwise from now on; its room is closed for its members.
  ///
  /// Each secret's seal covers the lock's columns, so all are sealed anew.
  ///
  /// - Throws: ``VaultError/unknownLock(_:)``, ``VaultError/damagedRows(lock:count:)`` or a storage error.
  public func setMirror(_ mode: MirrorMode, of id: LockID) throws(VaultError) {
    try change(id, .mirrorChanged) { lock throws(VaultError) in
      try store.readKeys()
      let opened = try open(lock)
      var lock = lock
      lock.mirror = mode
      try store.save(&lock)
      for secret in opened { try store.reseal(secret, of: lock) }
    }
  }
}

/// An administrator as the database holds it.
struct AdminRow: Equatable {
  let name: String
  let digest: TokenDigest
  let created: Int64

  var values: [SQLValue] { [.text(name), .blob(digest.bytes), .integer(created)] }
  var bound: BoundBytes { BoundBytes("drawbolt-admin", values) }
}

extension Store {
  /// Those whose rows are as they were sealed: nobody without the key makes himself one.
  func admins() throws(VaultError) -> [AdminRow] {
    let rows = try database.all(
      "SELECT name, digest, created, \(Seal.columns) FROM admin ORDER BY name"
    ) { row in
      let digest = TokenDigest(bytes: row.blob(1))
      return (
        AdminRow(name: row.text(0), digest: digest, created: row.integer(2)), Seal(row, at: 3)
      )
    }
    if rows.contains(where: { !ring.holds($0.1.key) }) { try readKeys() }
    return rows.filter { $1.open(bound: $0.bound, for: .admin, with: ring) != nil }.map(\.0)
  }

  func save(_ admin: AdminRow) throws(VaultError) {
    let seal = Seal(bound: admin.bound, for: .admin, with: ring)
    try database.run(
      "INSERT INTO admin (name, digest, created, \(Seal.columns)) VALUES (?, ?, ?, ?, ?, ?)",
      admin.values + seal.values)
  }

  /// Seals the rows of administrators with the newest key; those that were edited go.
  func resealAdmins() throws(VaultError) {
    let admins = try admins()
    try database.run("DELETE FROM admin")
    for admin in admins { try save(admin) }
  }
}
