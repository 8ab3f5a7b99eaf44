import PadModel

/// Which devices are trusted.
extension Store {
  /// So many seconds after a device was last shown it is not trusted any more.
  static let deviceTime: Int64 = 90 * 86_400
  /// Seconds between two notes that a device was shown, so that not every hello writes.
  private static let deviceNoteInterval: Int64 = 86_400

  /// The bucket that a drawer's failures count against.
  ///
  /// Whoever can't show a good token is a stranger, which tells nothing of why.
  func bucket(of drawer: Drawer, at lock: LockRow, _ now: ClockReading) throws(VaultError)
    -> BucketID
  {
    switch drawer {
    case .stranger: return .strangers
    case .sharedPad(let name):
      return try home(of: .sharedPad(name), at: lock, now)
    case .device(let digest):
      guard let secret = try secret(of: digest, at: lock, now) else { return .strangers }
      return try home(of: .trusted(secret), at: lock, now)
    }
  }

  /// The bucket itself, or that of the strangers if it has died.
  func home(of id: BucketID, at lock: LockRow, _ now: ClockReading) throws(VaultError) -> BucketID {
    switch id.kind {
    case .strangers: return id
    case .sharedPad:
      if try storedThrottle(id, of: lock) != nil { return id }
      let pads = try bucketIDs(of: lock).count { $0.kind == .sharedPad }
      return pads < limits.sharedPadsPerLock ? id : .strangers
    case .trusted:
      let wall = try validityWall(now)
      let rows = try secrets(of: lock.id)
      guard let row = rows.first(where: { $0.number == id.secret }), row.isValid(at: wall),
        try hasDevice(of: row.number, at: lock, wall)
      else { return .strangers }
      return id
    }
  }

  /// The secret that a device is trusted for; notes that it was shown.
  private func secret(of digest: TokenDigest, at lock: LockRow, _ now: ClockReading)
    throws(VaultError) -> Int?
  {
    let wall = try validityWall(now)
    guard let device = try devices(of: lock).first(where: { $0.digest == digest }),
      device.isAlive(at: wall)
    else { return nil }
    if device.used + Self.deviceNoteInterval <= wall {
      try save(Device(digest: digest, secret: device.secret, used: wall), of: lock)
    }
    return device.secret
  }

  func hasDevice(of secret: Int, at lock: LockRow, _ wall: Int64) throws(VaultError) -> Bool {
    try devices(of: lock).contains { $0.secret == secret && $0.isAlive(at: wall) }
  }

  /// Trusts a device for a secret from now on, if that is due; the same statements if not.
  ///
  /// Devices that were not shown for too long go, and of a secret's the one shown longest ago if there
  /// are too many.
  func trust(
    _ digest: TokenDigest, for secret: Int, of lock: LockRow, if isDue: Bool, at now: ClockReading
  ) throws(VaultError) {
    let wall = try validityWall(now)
    try save(Device(digest: digest, secret: secret, used: wall), of: lock, if: isDue)
    try database.run(
      """
      DELETE FROM device WHERE used + ? <= ? OR lock = ? AND secret = ? AND digest NOT IN
      (SELECT digest FROM device WHERE lock = ? AND secret = ? ORDER BY used DESC, rowid DESC LIMIT ?)
      """,
      [
        .integer(Self.deviceTime), .integer(wall), .text(lock.id.text), .integer(secret),
        .text(lock.id.text), .integer(secret), .integer(limits.devicesPerSecret),
      ])
  }

  /// Forgets a secret's devices and what is counted against them.
  func distrust(_ secret: Int, of lock: LockRow) throws(VaultError) {
    try database.run(
      "DELETE FROM device WHERE lock = ? AND secret = ?", [.text(lock.id.text), .integer(secret)])
    try database.run(
      "DELETE FROM bucket WHERE lock = ? AND kind = ? AND holder = ?",
      [.text(lock.id.text), .integer(BucketKind.trusted.rawValue), .integer(secret)])
    newestGenerations[Shelf(lock, .trusted(secret))] = nil
  }

  /// Seals the rows of a lock's devices with the newest key; those that were edited go.
  func resealDevices(of lock: LockRow) throws(VaultError) {
    let devices = try devices(of: lock)
    try database.run("DELETE FROM device WHERE lock = ?", [.text(lock.id.text)])
    for device in devices { try save(device, of: lock) }
  }

  /// The devices whose rows are as they were sealed.
  private func devices(of lock: LockRow) throws(VaultError) -> [Device] {
    let rows = try database.all(
      "SELECT digest, secret, used, \(Seal.columns) FROM device WHERE lock = ? ORDER BY used, rowid",
      [.text(lock.id.text)]
    ) { row in
      let digest = TokenDigest(bytes: row.blob(0))
      return (
        Device(digest: digest, secret: Int(row.integer(1)), used: row.integer(2)), Seal(row, at: 3)
      )
    }
    if rows.contains(where: { !ring.holds($0.1.key) }) { try readKeys() }
    return rows.filter { device, seal in
      seal.open(bound: bound(device, to: lock), for: .device, with: ring) != nil
    }.map(\.0)
  }

  private func save(_ device: Device, of lock: LockRow, if isDue: Bool = true) throws(VaultError) {
    let seal = Seal(bound: bound(device, to: lock), for: .device, with: ring)
    try database.run(
      """
      INSERT OR REPLACE INTO device (digest, secret, used, lock, \(Seal.columns))
      SELECT ?, ?, ?, ?, ?, ?, ? WHERE ?
      """, device.values + [.text(lock.id.text)] + seal.values + [.integer(isDue ? 1 : 0)])
  }

  private func bound(_ device: Device, to lock: LockRow) -> BoundBytes {
    BoundBytes("drawbolt-device", device.values + [.text(lock.id.text), .blob(lock.salt)])
  }
}

/// A device as the database holds it.
private struct Device {
  let digest: TokenDigest
  let secret: Int
  /// The second since 1970 in which it was last shown, to within a day.
  let used: Int64

  var values: [SQLValue] { [.blob(digest.bytes), .integer(secret), .integer(used)] }

  func isAlive(at wall: Int64) -> Bool { wall < used + Store.deviceTime }
}
