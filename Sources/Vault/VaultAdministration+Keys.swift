extension VaultAdministration {
  /// Makes the server key, readable by its owner only; never overwrites one.
  ///
  /// - Throws: ``VaultError``.
  public static func createKey(at path: String) throws(VaultError) {
    try ServerKey.create(at: path)
  }

  /// The number of the key that seals.
  public var keyID: UInt32 { store.ring.id }

  /// Seals every row with a new key and forgets the older ones; returns the new key's number.
  ///
  /// The new key is on the disk before any row needs it, and the old one stays until none does.
  ///
  /// - Throws: ``VaultError/damagedLock(_:)`` or ``VaultError/damagedRows(lock:count:)`` if a row does
  ///   not open.
  public func rotateKey() throws(VaultError) -> UInt32 {
    try store.database.transaction { () throws(VaultError) in
      try store.readKeys()
      let locks = try openedLocks()
      try store.addKey()
      for (lock, throttles, secrets) in locks {
        var lock = lock
        try store.save(&lock)
        for (id, throttle) in throttles { try store.save(throttle, id, of: lock) }
        try store.resealDevices(of: lock)
        for secret in secrets { try store.reseal(secret, of: lock) }
      }
      try store.resealAdmins()
      try store.saveKeyCheck()
      // Rows that belong to no lock would need the old key for ever.
      guard try store.keysInUse().isSubset(of: [store.ring.id]) else {
        throw .database(code: 11, doing: "sealing rows that belong to no lock")
      }
      try store.audit.action(.keyRotated, at: "", by: actor, at: now.wall)
    }
    try store.database.run("VACUUM")
    guard try leaveNoCopy() else { throw .database(code: 5, doing: "cutting its log") }
    try store.forgetOlderKeys()
    return store.ring.id
  }

  /// Every lock with what belongs to it, all of which must open.
  private func openedLocks() throws(VaultError) -> [(LockRow, [(BucketID, Throttle)], [Opened])] {
    var locks: [(LockRow, [(BucketID, Throttle)], [Opened])] = []
    for id in try store.lockIDs() {
      let lock = try store.knownLock(id)
      var throttles: [(BucketID, Throttle)] = []
      for bucket in try store.bucketIDs(of: lock) {
        throttles.append((bucket, try store.throttle(bucket, of: lock, at: now)))
      }
      locks.append((lock, throttles, try open(lock)))
    }
    return locks
  }
}
