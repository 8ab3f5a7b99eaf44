import PadModel

/// What is counted against whom.
extension Store {
  func reading(_ throttle: Throttle, _ lock: LockRow) -> BucketReading {
    BucketReading(
      failures: throttle.failures,
      retryAt: throttle.failures == 0 ? .zero : throttle.retryAt(lock.schedule.schedule))
  }

  /// The bucket as it stands; a delay that must begin anew begins now, and that is written down.
  ///
  /// One that was edited, taken away or put back as it was before stops until it is reset.
  func throttle(of lock: LockRow, at now: ClockReading) throws(VaultError) -> Throttle {
    var throttle = try sealedThrottle(of: lock) ?? .stopped(at: now)
    if throttle.failures > 0, throttle.settle(at: now) { try save(throttle, of: lock) }
    return throttle
  }

  /// Begins the delays anew that must be, in all buckets, so that they end one step from now.
  func settleBuckets(at now: ClockReading) throws(VaultError) {
    for id in try lockIDs() {
      do throws(VaultError) {
        if let lock = try lock(id) { _ = try throttle(of: lock, at: now) }
      } catch .damagedLock {
        // Nobody draws at it.
      }
    }
  }

  /// The bucket as it was sealed and nothing older than was seen already; nil otherwise.
  private func sealedThrottle(of lock: LockRow) throws(VaultError) -> Throttle? {
    guard let (throttle, seal) = try storedThrottle(of: lock) else { return nil }
    if !ring.holds(seal.key) { try readKeys() }
    let newest = newestGenerations[lock.salt] ?? 0
    guard throttle.generation >= newest,
      seal.open(bound: bound(throttle, to: lock), for: .bucket, with: ring) != nil
    else { return nil }
    // Of what was read, never of what is being written: that may yet fail.
    newestGenerations[lock.salt] = throttle.generation
    return throttle
  }

  /// The bucket's row, whatever its seal says; nil if there is none.
  func storedThrottle(of lock: LockRow) throws(VaultError) -> (Throttle, Seal)? {
    try database.first(
      """
      SELECT failures, generation, boot_id, boot, wall, budget_used, budget_start, \(Seal.columns)
      FROM bucket WHERE lock = ? AND kind = ?
      """, [.text(lock.id.text), .integer(BucketKind.strangers.rawValue)]
    ) { row in
      let throttle = Throttle(
        anchor: ClockReading(
          boot: Instant(nanoseconds: row.integer(3)), bootID: row.text(2), wall: row.integer(4)),
        failures: row.integer(0), generation: row.integer(1), budgetUsed: row.integer(5),
        budgetStart: row.integer(6))
      return (throttle, Seal(row, at: 7))
    }
  }

  /// Every column, and the salt of the lock: no bucket of an earlier lock of that name fits.
  private func bound(_ throttle: Throttle, to lock: LockRow) -> BoundBytes {
    BoundBytes("drawbolt-bucket", values(throttle, of: lock) + [.blob(lock.salt)])
  }

  private func values(_ throttle: Throttle, of lock: LockRow) -> [SQLValue] {
    [
      .text(lock.id.text), .integer(BucketKind.strangers.rawValue), .integer(throttle.failures),
      .integer(throttle.generation), .text(throttle.anchor.bootID),
      .integer(throttle.anchor.boot.nanoseconds), .integer(throttle.anchor.wall),
      .integer(throttle.budgetUsed), .integer(throttle.budgetStart),
    ]
  }

  func save(_ throttle: Throttle, of lock: LockRow) throws(VaultError) {
    let seal = Seal(bound: bound(throttle, to: lock), for: .bucket, with: ring)
    try database.run(
      """
      INSERT OR REPLACE INTO bucket
      (lock, kind, failures, generation, boot_id, boot, wall, budget_used, budget_start,
      \(Seal.columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, values(throttle, of: lock) + seal.values)
  }
}
