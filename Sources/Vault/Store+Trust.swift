import PadModel

/// What an attempt does to trust, within the transaction of its verdict.
extension Store {
  /// So many failures are left of those that strangers made.
  private static let failuresLeft = 5
  /// Seconds from one easing of a lock to the next.
  private static let easingInterval: Int64 = 86_400

  /// Earns trust by a success, or eases the other buckets if it was trusted already.
  ///
  /// The last failure of a secret's devices ends their trust. The same statements whatever it was.
  /// With its first device a secret's bucket begins without failures: whoever was let in knew the code.
  func changeTrust(
    _ bucket: BucketID, opener: Int?, _ answer: inout AttemptAnswer, of lock: LockRow,
    at now: ClockReading
  ) throws(VaultError) {
    let earns =
      opener != nil && opener != bucket.secret && bucket.kind != .sharedPad
      && limits.devicesPerSecret > 0
    let dies = answer.outcome == .rejected && answer.bucket?.retryAt == .distantFuture
    let token = BearerToken.random()
    // No secret has the number 0.
    let secret = opener ?? 0
    let isKnown = try hasDevice(of: secret, at: lock, try validityWall(now))
    let isFirst = earns && !isKnown
    try distrust(isFirst ? secret : dies ? bucket.secret ?? 0 : 0, of: lock)
    try save(Throttle(at: now), .trusted(secret), of: lock, if: isFirst)
    try trust(token.digest, for: secret, of: lock, if: earns, at: now)
    let isOwner = opener != nil && opener == bucket.secret
    if bucket.kind == .trusted {
      answer.easesOthers = try easeOthers(than: bucket, of: lock, if: isOwner, at: now)
    }
    if earns {
      answer.device = token
      answer.home = try standing(.trusted(secret), of: lock, at: now)
    } else if dies, bucket.kind == .trusted {
      answer.home = try standing(.strangers, of: lock, at: now)
    }
  }

  /// Puts a lock's other buckets back to the fifth failure, at most once a day; whether it did.
  ///
  /// An owner who comes home shows that the lock is in use, so strangers' mistakes, or their malice,
  /// don't keep guests out for days. A bucket that was edited stays stopped.
  private func easeOthers(
    than id: BucketID, of lock: LockRow, if isDue: Bool, at now: ClockReading
  ) throws(VaultError) -> Bool {
    let wall = try validityWall(now)
    var strangers = try throttle(.strangers, of: lock, at: now)
    let isTime = isDue && wall >= strangers.easedAt + Self.easingInterval
    var isEased = false
    for other in try bucketIDs(of: lock) where other != id && other != .strangers {
      var throttle = try throttle(other, of: lock, at: now)
      if isTime, throttle.ease(to: Self.failuresLeft) { isEased = true }
      try save(throttle, other, of: lock)
    }
    if isTime, strangers.ease(to: Self.failuresLeft) { isEased = true }
    if isEased { strangers.easedAt = wall }
    try save(strangers, .strangers, of: lock)
    return isEased
  }
}
