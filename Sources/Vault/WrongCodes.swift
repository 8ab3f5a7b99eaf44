import PadModel

/// The last wrong codes of each connection, as hashes, for some minutes.
///
/// The same wrong code again, judged after the same hash, is most often a finger that did not notice;
/// it is not counted twice. Another connection's is.
struct WrongCodes {
  static let mostConnections = 4096

  private let perConnection: Int
  private let kept: Duration

  private struct Entry {
    let lock: LockID
    let hash: [UInt8]
    let until: Instant
  }

  private var entries: [UInt64: [Entry]] = [:]

  init(limits: Limits) {
    perConnection = limits.wrongCodesRemembered
    kept = limits.wrongCodesKept
  }

  /// Whether the connection tried this at the lock just before.
  func contains(_ hash: [UInt8], lock: LockID, connection: UInt64, at now: Instant) -> Bool {
    (entries[connection] ?? []).reduce(false) { found, entry in
      let same = entry.lock == lock && entry.until > now && Sodium.equal(entry.hash, hash)
      return found || same
    }
  }

  /// Remembers a wrong code.
  mutating func remember(_ hash: [UInt8], lock: LockID, connection: UInt64, at now: Instant) {
    if entries.count >= Self.mostConnections {
      entries = entries.filter { $0.value.contains { $0.until > now } }
      if entries.count >= Self.mostConnections { entries.removeAll() }
    }
    guard perConnection > 0 else { return }
    let entry = Entry(lock: lock, hash: hash, until: now + kept)
    // The same code again must not push the others out.
    let others = (entries[connection] ?? []).filter {
      $0.lock != lock || !Sodium.equal($0.hash, hash)
    }
    entries[connection] = others.suffix(perConnection - 1) + [entry]
  }
}
