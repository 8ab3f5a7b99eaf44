import PadModel

/// What is counted against whom.
extension Store {
  func reading(_ throttle: Throttle, _ lock: LockRow) -> BucketReading {
    BucketReading(
      failures: throttle.failures,
      retryAt: throttle.failures == 0 ? .zero : throttle.retryAt(lock.schedule.schedule))
  }

  /// Where a bucket stands.
  func standing(_ id: BucketID, of lock: LockRow, at now: ClockReading) throws(VaultError)
    -> BucketStanding
  {
    BucketStanding(id: id, reading: reading(try throttle(id, of: lock, at: now), lock))
  }

  /// Where the bucket stands that an attempt would count against now; nil without its lock.
  func standing(for attempt: VaultAttempt, at now: ClockReading) throws(VaultError)
    -> BucketStanding?
  {
    guard let lock = try lock(attempt.lock) else { return nil }
    return try standing(try home(of: attempt.bucket, at: lock, now), of: lock, at: now)
  }

  /// The bucket as it stands; a delay that must begin anew begins now, and that is written down.
  ///
  /// One that was edited, taken away or put back as it was before stops until it is reset. A shared pad
  /// has none until its first attempt.
  func throttle(_ id: BucketID, of lock: LockRow, at now: ClockReading) throws(VaultError)
    -> Throttle
  {
    guard let (stored, seal) = try storedThrottle(id, of: lock) else {
      let isNew = id.kind == .sharedPad && newestGenerations[Shelf(lock, id)] == nil
      return isNew ? Throttle(at: now) : .stopped(at: now)
    }
    var throttle = try sealed(stored, seal, id, lock) ?? .stopped(at: now)
    if throttle.failures > 0, throttle.settle(at: now) { try save(throttle, id, of: lock) }
    return throttle
  }

  /// Begins the delays anew that must be, in all buckets, so that they end one step from now.
  func settleBuckets(at now: ClockReading) throws(VaultError) {
    for id in try lockIDs() {
      do throws(VaultError) {
        guard let lock = try lock(id) else { continue }
        for bucket in try bucketIDs(of: lock) { _ = try throttle(bucket, of: lock, at: now) }
      } catch .damagedLock {
        // Nobody draws at it.
      }
    }
  }

  /// The buckets that a lock has; that of the strangers is always there.
  func bucketIDs(of lock: LockRow) throws(VaultError) -> [BucketID] {
    let stored = try database.all(
      "SELECT kind, holder FROM bucket WHERE lock = ? ORDER BY kind, holder", [.text(lock.id.text)]
    ) { BucketID(kind: $0.integer(0), holder: $0.integer(1)) }
    return [.strangers] + stored.compactMap(\.self).filter { $0 != .strangers }
  }

  /// The bucket as it was sealed and nothing older than was seen already; nil otherwise.
  private func sealed(_ throttle: Throttle, _ seal: Seal, _ id: BucketID, _ lock: LockRow)
    throws(VaultError) -> Throttle?
  {
    if !ring.holds(seal.key) { try readKeys() }
    let newest = newestGenerations[Shelf(lock, id)] ?? 0
    guard throttle.generation >= newest,
      seal.open(bound: bound(throttle, id, of: lock), for: .bucket, with: ring) != nil
    else { return nil }
    // Of what was read, never of what is being written: that may yet fail.
    newestGenerations[Shelf(lock, id)] = throttle.generation
    return throttle
  }

  /// The bucket's row, whatever its seal says; nil if there is none.
  func storedThrottle(_ id: BucketID, of lock: LockRow) throws(VaultError) -> (Throttle, Seal)? {
    try database.first(
      """
      SELECT failures, generation, boot_id, boot, wall, budget_used, budget_start, eased,
      \(Seal.columns) FROM bucket WHERE lock = ? AND kind = ? AND holder = ?
      """, [.text(lock.id.text), .integer(id.kind.rawValue), .integer(id.holder)]
    ) { row in
      let throttle = Throttle(
        anchor: ClockReading(
          boot: Instant(nanoseconds: row.integer(3)), bootID: row.text(2), wall: row.integer(4)),
        failures: row.integer(0), generation: row.integer(1), budgetUsed: row.integer(5),
        budgetStart: row.integer(6), easedAt: row.integer(7))
      return (throttle, Seal(row, at: 8))
    }
  }

  /// Every column, and the salt of the lock: no bucket of an earlier lock of that name fits.
  ///
  /// Rows of the strangers are sealed as when there were no others, until they are eased.
  private func bound(_ throttle: Throttle, _ id: BucketID, of lock: LockRow) -> BoundBytes {
    var bound = BoundBytes("drawbolt-bucket", values(throttle, id, of: lock) + [.blob(lock.salt)])
    if id.holder != 0 { bound.add(.text("\(id.holder)")) }
    if throttle.easedAt != 0 { bound.add(.integer(throttle.easedAt)) }
    return bound
  }

  private func values(_ throttle: Throttle, _ id: BucketID, of lock: LockRow) -> [SQLValue] {
    [
      .text(lock.id.text), .integer(id.kind.rawValue), .integer(throttle.failures),
      .integer(throttle.generation), .text(throttle.anchor.bootID),
      .integer(throttle.anchor.boot.nanoseconds), .integer(throttle.anchor.wall),
      .integer(throttle.budgetUsed), .integer(throttle.budgetStart),
    ]
  }

  /// Writes the bucket, if that is due; the same statement if not.
  func save(
    _ throttle: Throttle, _ id: BucketID, of lock: LockRow, if isDue: Bool = true
  ) throws(VaultError) {
    let seal = Seal(bound: bound(throttle, id, of: lock), for: .bucket, with: ring)
    try database.run(
      """
      INSERT OR REPLACE INTO bucket
      (lock, kind, failures, generation, boot_id, boot, wall, budget_used, budget_start,
      holder, eased, \(Seal.columns))
      SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE ?
      """,
      values(throttle, id, of: lock) + [.integer(id.holder), .integer(throttle.easedAt)]
        + seal.values + [.integer(isDue ? 1 : 0)])
  }
}

/// Which bucket of which lock, by the lock's salt, which tells it from an earlier one of its name.
struct Shelf: Hashable {
  private let salt: [UInt8]
  private let bucket: BucketID

  init(_ lock: LockRow, _ bucket: BucketID) {
    salt = lock.salt
    self.bucket = bucket
  }
}
