import Foundation
public import PadModel

/// A backup on its way to become the database.
///
/// It is put in order beside the present one first, so that whatever is wrong with it is found while
/// nothing has changed. The caller keeps servers away from the directory meanwhile. Failures are never
/// fewer than they are now, every delay begins anew with its full step, revoked tokens stay revoked,
/// and what was audited since stays audited.
public final class Restoration {
  /// A secret that opens after the restoration and does not now.
  public struct Revived: Equatable, Sendable {
    /// Its lock.
    public let lock: LockID
    /// Its number.
    public let number: Int
    /// Whose it is.
    public let owner: String
  }

  /// What comes alive again; all secrets if there is no present database that can be read.
  public let revived: [Revived]
  /// Locks of the backup.
  public let locks: Int

  private let configuration: VaultConfiguration
  private let staging: VaultConfiguration

  /// Puts a copy of the backup in order.
  ///
  /// - Throws: ``VaultError/backupDamaged(path:)`` if it is no whole database of this program, or what
  ///   opening any database throws: it must have been sealed with the present server key.
  public static func prepare(_ configuration: VaultConfiguration, from path: String)
    throws(VaultError) -> Restoration
  {
    var staging = configuration
    staging.directory = configuration.directory + "/restoring"
    try DataDirectory.make(configuration.directory)
    discard(staging)
    do throws(VaultError) {
      try copy(path, to: staging)
      return try Restoration(configuration, staging, path)
    } catch {
      discard(staging)
      // SQLITE_CORRUPT and SQLITE_NOTADB.
      if case .database(let code, _) = error, [11, 26].contains(code & 0xff) {
        throw .backupDamaged(path: path)
      }
      throw error
    }
  }

  private init(
    _ configuration: VaultConfiguration, _ staging: VaultConfiguration, _ path: String
  ) throws(VaultError) {
    self.configuration = configuration
    self.staging = staging
    let backup = try Store(staging)
    let isWhole = try backup.database.first("PRAGMA integrity_check") { $0.text(0) } == "ok"
    guard isWhole else { throw .backupDamaged(path: path) }
    let present = configuration.hasData ? try? Store(configuration) : nil
    let now = configuration.clock.read()
    locks = try backup.lockIDs().count
    revived = try Self.revived(backup, present, at: now)
    try backup.database.transaction { () throws(VaultError) in
      if let present { try backup.takeOver(from: present) }
      try backup.beginDelaysAnew(beside: present, at: now)
      try backup.keepAdmins(of: present)
      try backup.database.run("DELETE FROM offer")
      try backup.noteWall(now)
      try backup.audit.action(.restored, at: "", by: .commandLine, at: now.wall)
    }
  }

  deinit { Self.discard(staging) }

  /// Makes it the database.
  ///
  /// - Throws: a storage error, after which the present database is as it was.
  public func commit() throws(VaultError) {
    let (from, to) = (staging.databasePath, configuration.databasePath)
    // The last connection writes a log into its database and deletes it.
    do {
      let database = try Database(path: from)
      try database.run("PRAGMA journal_mode = DELETE")
    }
    // A log that stays, of a database that can't be opened, would be taken for the new one's.
    for suffix in ["-wal", "-shm"] where unlink(to + suffix) != 0 && errno != ENOENT {
      throw .file(path: to + suffix, doing: "remove", errno: errno)
    }
    guard rename(from, to) == 0, Self.syncFolder(of: to) else {
      throw .file(path: to, doing: "replace", errno: errno)
    }
  }

  private static func revived(_ backup: Store, _ present: Store?, at now: ClockReading)
    throws(VaultError) -> [Revived]
  {
    let wall = max(try backup.validityWall(now), try present?.validityWall(now) ?? 0)
    var revived: [Revived] = []
    for lock in try backup.lockIDs() {
      let other = try present?.readLock(lock) ?? nil
      let isSame = try other?.salt == backup.readLock(lock)??.salt
      let alive = isSame ? try present?.secrets(of: lock) ?? [] : []
      for secret in try backup.secrets(of: lock) where secret.isValid(at: wall) {
        let same = alive.first { $0.number == secret.number && $0.isValid(at: wall) }
        if let same, same.usesLeft == secret.usesLeft { continue }
        revived.append(Revived(lock: lock, number: secret.number, owner: secret.owner))
      }
    }
    return revived
  }

  // MARK: - Files

  /// Only whole files: what is still in the log of a database in use would be lost.
  private static func copy(_ path: String, to staging: VaultConfiguration) throws(VaultError) {
    try DataDirectory.make(staging.directory)
    try DataDirectory.check(staging.directory)
    guard access(path + "-wal", F_OK) != 0 else { throw .backupInUse(path: path) }
    guard let contents = FileManager.default.contents(atPath: path) else {
      throw .file(path: path, doing: "read", errno: errno == 0 ? ENOENT : errno)
    }
    guard contents.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw .backupDamaged(path: path)
    }
    if let reason = PrivateFile.create(staging.databasePath, [UInt8](contents)) {
      throw .file(path: staging.databasePath, doing: "write", errno: reason)
    }
  }

  private static func discard(_ staging: VaultConfiguration) {
    for suffix in ["", "-wal", "-shm"] { unlink(staging.databasePath + suffix) }
    rmdir(staging.directory)
  }

  /// Has the disk know of a file's name; whether it does.
  static func syncFolder(of path: String) -> Bool {
    let folder = (path as NSString).deletingLastPathComponent
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }
}

extension Store {
  /// What must not be forgotten of the present database.
  fileprivate func takeOver(from present: Store) throws(VaultError) {
    for revocation in try present.revocations(at: configuration.clock.read()) {
      try database.run(
        """
        INSERT INTO revocation (token, expires) VALUES (?, ?)
        ON CONFLICT (token) DO UPDATE SET expires = max(expires, excluded.expires)
        """, [.text(revocation.token), .integer(revocation.expires)])
    }
    try database.run(
      "UPDATE clock SET wall = max(wall, ?)",
      [.integer(try present.database.first("SELECT wall FROM clock") { $0.integer(0) } ?? 0)])
    let columns = "id, time, lock, attempt, bucket, outcome, secret, actor, count"
    let rows = try present.database.all(
      "SELECT \(columns) FROM audit WHERE id > ? ORDER BY id", [.integer(try audit.newest())]
    ) { row in (0..<9).map { row.value($0) } }
    for row in rows {
      try database.run(
        "INSERT OR IGNORE INTO audit (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    }
  }

  /// Keeps those administrators only who are some now: others were revoked since, as far as is known.
  fileprivate func keepAdmins(of present: Store?) throws(VaultError) {
    let known = try present?.admins() ?? []
    for admin in try admins() where !known.contains(admin) {
      try database.run("DELETE FROM admin WHERE name = ?", [.text(admin.name)])
    }
  }

  /// Puts every lock's full current delay back, with the more failures of the two.
  fileprivate func beginDelaysAnew(beside present: Store?, at now: ClockReading)
    throws(VaultError)
  {
    for id in try lockIDs() {
      do throws(VaultError) {
        guard let lock = try lock(id) else { continue }
        // Trust may have ended since; it is earned again with the next success.
        for secret in try bucketIDs(of: lock).compactMap(\.secret) {
          try distrust(secret, of: lock)
        }
        try database.run("DELETE FROM device WHERE lock = ?", [.text(id.text)])
        try beginDelaysAnew(of: lock, beside: present, at: now)
      } catch .damagedLock {
        // Nobody draws at it.
      }
    }
  }

  private func beginDelaysAnew(of lock: LockRow, beside present: Store?, at now: ClockReading)
    throws(VaultError)
  {
    var buckets = Set(try bucketIDs(of: lock))
    var other: (store: Store, lock: LockRow)?
    // A lock of the same name that was removed since has another salt.
    if let present, let same = try? present.lock(lock.id), same.salt == lock.salt {
      other = (present, same)
      buckets.formUnion(try present.bucketIDs(of: same))
    }
    for bucket in buckets where bucket.secret == nil {
      var throttle = try throttle(bucket, of: lock, at: now)
      if let other {
        throttle.takeOver(from: try other.store.throttle(bucket, of: other.lock, at: now))
      }
      throttle.anchor = now
      try save(throttle, bucket, of: lock)
    }
  }
}
