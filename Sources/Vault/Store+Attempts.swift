import PadModel

/// A counted attempt on its way to the verdict.
struct ReservedAttempt: Sendable {
  let id: AttemptID
  let lock: LockID
  /// The bucket that the drawer was known by, and the one that it was counted against: they differ if
  /// the drawer's own had died.
  let asked: BucketID, bucket: BucketID
  let salt: [UInt8]
  let cost: HashCost
  /// What is hashed.
  let message: [UInt8]
  let connection: UInt64
  let actuators: Int
  /// The last moment for a verdict.
  let judgeBy: Instant
  let reservation: Throttle.Reservation
}

/// What comes of asking for a reservation.
enum ReservationResult {
  case reserved(ReservedAttempt)
  case refused(AttemptAnswer)
}

extension Store {
  /// Counts an attempt on the disk before anything is computed, unless the bucket's delay is not
  /// over or it is too late already, which is free.
  ///
  /// The clock is read within the transaction, here and below: it may have waited seconds for
  /// another process to end its own.
  func reserve(_ attempt: VaultAttempt) throws(VaultError) -> ReservationResult {
    try database.transaction { () throws(VaultError) -> ReservationResult in
      let now = configuration.clock.read()
      guard now.boot <= attempt.judgeBy else { return .refused(AttemptAnswer(.unavailable)) }
      guard let lock = try lock(attempt.lock) else { return .refused(AttemptAnswer(.unavailable)) }
      let bucket = try home(of: attempt.bucket, at: lock, now)
      var throttle = try throttle(bucket, of: lock, at: now)
      guard let reservation = throttle.reserve(lock.schedule.schedule, at: now) else {
        try audit.refusal(.lockedOut, lock: lock.id, bucket: bucket.kind, at: now.wall)
        let standing = BucketStanding(id: bucket, reading: reading(throttle, lock))
        return .refused(AttemptAnswer(.lockedOut, asked: attempt.bucket, standing))
      }
      let id = AttemptID.random()
      try save(throttle, bucket, of: lock)
      try noteWall(now)
      try database.run(
        "INSERT INTO attempt (id, lock, bucket, time) VALUES (?, ?, ?, ?)",
        [
          .blob(id.bytes), .text(lock.id.text), .integer(bucket.kind.rawValue),
          .integer(now.wall),
        ])
      return .reserved(
        ReservedAttempt(
          id: id, lock: lock.id, asked: attempt.bucket, bucket: bucket, salt: lock.salt,
          cost: lock.cost,
          message: lock.canonicalBytes(attempt.nodes), connection: attempt.connection,
          actuators: attempt.actuators, judgeBy: attempt.judgeBy, reservation: reservation))
    }
  }

  /// The one transaction that ends an attempt: the same statements whether the code was right or not.
  ///
  /// `hash` is that of what was drawn, nil if none could be made; `isDuplicate` says whether the
  /// connection tried the same wrong code just before.
  func conclude(
    _ attempt: ReservedAttempt, hash: [UInt8]?, isDuplicate: Bool
  ) throws(VaultError) -> AttemptAnswer {
    try database.transaction { () throws(VaultError) -> AttemptAnswer in
      let now = configuration.clock.read()
      let lock = try knownLock(attempt.lock)
      let match = try match(hash, lock, at: try validityWall(now))
      // A lock that was removed and added anew meanwhile is another one.
      let inTime = hash != nil && now.boot <= attempt.judgeBy && lock.salt == attempt.salt
      let outcome: Outcome = inTime ? (match == nil ? .rejected : .accepted) : .unavailable
      let opens = outcome == .accepted && attempt.actuators > 0
      var throttle = try throttle(attempt.bucket, of: lock, at: now)
      if outcome == .accepted || (outcome == .rejected && isDuplicate) {
        throttle.takeBack(attempt.reservation)
      }
      let given = giveBack(to: &throttle, attempt, match, outcome, at: now)
      try spend(match, opens: opens, givenBack: given, lock)
      try save(throttle, attempt.bucket, of: lock)
      let grant = try offer(opens, lock, at: now)
      let opener = outcome == .accepted ? match?.row.number : nil
      try end(attempt, outcome, secret: opener, at: now)
      try noteWall(now)
      var answer = AttemptAnswer(
        outcome, asked: attempt.asked,
        BucketStanding(id: attempt.bucket, reading: reading(throttle, lock)))
      answer.grant = opens ? grant : nil
      answer.raisesAlarm =
        outcome == .rejected && !isDuplicate
        && lock.schedule.schedule.alarms(at: throttle.failures)
      try changeTrust(attempt.bucket, opener: opener, &answer, of: lock, at: now)
      return answer
    }
  }

  /// An attempt has its verdict, and the audit knows of it.
  private func end(
    _ attempt: ReservedAttempt, _ outcome: Outcome, secret: Int?, at now: ClockReading
  ) throws(VaultError) {
    try database.run("DELETE FROM attempt WHERE id = ?", [.blob(attempt.id.bytes)])
    try audit.attempt(
      attempt.id, lock: attempt.lock, bucket: attempt.bucket.kind, outcome: outcome, secret: secret,
      at: now.wall)
  }

  /// Gives back an attempt that was too late to be hashed; a crash before this keeps it counted.
  func takeBack(_ attempt: ReservedAttempt) throws(VaultError) -> AttemptAnswer {
    try database.transaction { () throws(VaultError) -> AttemptAnswer in
      let now = configuration.clock.read()
      let lock = try knownLock(attempt.lock)
      var throttle = try throttle(attempt.bucket, of: lock, at: now)
      if lock.salt == attempt.salt {
        throttle.takeBack(attempt.reservation)
        try save(throttle, attempt.bucket, of: lock)
      }
      try end(attempt, .unavailable, secret: nil, at: now)
      return AttemptAnswer(
        .unavailable, asked: attempt.asked,
        BucketStanding(id: attempt.bucket, reading: reading(throttle, lock)))
    }
  }

  /// A secret that the hash fits, with the hash it was sealed from.
  private struct Match {
    var row: SecretRow
    let hash: [UInt8]
  }

  /// Compares with every secret of the lock, each in constant time, whichever fits.
  private func match(_ hash: [UInt8]?, _ lock: LockRow, at wall: Int64) throws(VaultError) -> Match?
  {
    var match: Match?
    for (row, stored) in try openedSecrets(of: lock) {
      guard let stored else { continue }
      let fits = Sodium.equal(stored, hash ?? [])
      if fits, row.isValid(at: wall), match == nil { match = Match(row: row, hash: stored) }
    }
    return match
  }

  private func giveBack(
    to throttle: inout Throttle, _ attempt: ReservedAttempt, _ match: Match?, _ outcome: Outcome,
    at now: ClockReading
  ) -> Int {
    guard outcome == .accepted, let row = match?.row else { return 0 }
    let budget = row.expires.map { _ in max(0, Throttle.budgetOfExpiring - Int(row.givenBack)) }
    return throttle.giveBack(after: attempt.reservation, secretBudget: budget, at: now)
  }

  /// Takes one use and notes what was given back, under a new seal; without a match it writes to no
  /// row.
  private func spend(_ match: Match?, opens: Bool, givenBack: Int, _ lock: LockRow)
    throws(VaultError)
  {
    var row = match?.row
    if opens, let left = row?.usesLeft { row?.usesLeft = left - 1 }
    row?.givenBack += Int64(givenBack)
    if let match { row?.seal(match.hash, of: lock, with: ring) }
    try database.run(
      """
      UPDATE secret SET uses_left = ?, given_back = ?, key = ?, nonce = ?, sealed = ?
      WHERE lock = ? AND number = ? AND uses_left IS ?
      """,
      [.optional(row?.usesLeft), .integer(row?.givenBack ?? 0)] + (row?.seal ?? .none).values
        + [
          .text(lock.id.text), .integer(row?.number ?? 0), .optional(match?.row.usesLeft),
        ])
  }

  /// Writes the grant down; nothing is written when none is due, by the same statement.
  ///
  /// Offers that nobody claimed in time go.
  private func offer(_ isDue: Bool, _ lock: LockRow, at now: ClockReading) throws(VaultError)
    -> GrantID
  {
    let id = GrantID.random()
    try forgetOldOffers(at: now)
    try database.run(
      """
      INSERT INTO offer (id, lock, demo, claimed, boot_id, boot) SELECT ?, ?, ?, 0, ?, ? WHERE ?
      """,
      [
        .blob(id.bytes), .text(lock.id.text), .integer(lock.givesDemoGrants ? 1 : 0),
        .text(now.bootID), .integer(now.boot.nanoseconds), .integer(isDue ? 1 : 0),
      ])
    return id
  }

  /// Takes an offered grant, once and in time, and signs it; nil if it can't be had.
  func claim(_ claim: GrantClaim, lock: LockID, audience: MemberID) throws(VaultError) -> Grant? {
    let taken = try database.transaction { () throws(VaultError) -> Bool? in
      try forgetOldOffers(at: configuration.clock.read())
      guard let row = try self.lock(lock) else { return nil }
      let demo = try database.first(
        "SELECT demo FROM offer WHERE id = ? AND lock = ? AND claimed = 0",
        [.blob(claim.id.bytes), .text(lock.text)]
      ) { $0.integer(0) != 0 }
      try database.run(
        "UPDATE offer SET claimed = 1 WHERE id = ? AND lock = ?",
        [.blob(claim.id.bytes), .text(lock.text)])
      // The offer has no seal: what its lock says holds against it.
      return demo.map { $0 || row.givesDemoGrants }
    }
    guard let isDemo = taken else { return nil }
    var grant = Grant(
      id: claim.id, lock: lock, audience: audience, nonce: claim.nonce, isDemo: isDemo,
      keyID: grantKey.id)
    sign(&grant)
    return grant
  }

  private func forgetOldOffers(at now: ClockReading) throws(VaultError) {
    let oldest = now.boot.nanoseconds - limits.grantTime.nanosecondsClamped
    try database.run(
      "DELETE FROM offer WHERE boot_id <> ? OR boot < ?", [.text(now.bootID), .integer(oldest)])
  }

  /// Audits refusals that never came here.
  func note(_ refusals: [Refusals], at now: ClockReading) throws(VaultError) {
    try database.transaction { () throws(VaultError) in
      for one in refusals {
        try audit.refusal(
          one.outcome, lock: one.lock, bucket: one.bucket.kind, count: one.count, at: now.wall)
      }
    }
  }

  /// Audits what a crash or a stop left without a verdict; the counts stay as they are.
  func abandonAttempts(at now: ClockReading) throws(VaultError) {
    try database.transaction { () throws(VaultError) in
      let rows = try database.all("SELECT id, lock, bucket FROM attempt") {
        ($0.blob(0), $0.text(1), $0.integer(2))
      }
      for (id, lock, bucket) in rows {
        try audit.abandoned(id, lock: lock, bucket: bucket, at: now.wall)
      }
      try database.run("DELETE FROM attempt")
    }
  }
}

extension Random128 {
  /// Sixteen bytes from the system's generator.
  static func random() -> Random128 {
    let bytes = Sodium.random(16)
    func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return Random128(high: half(bytes[..<8]), low: half(bytes[8...]))
  }
}
