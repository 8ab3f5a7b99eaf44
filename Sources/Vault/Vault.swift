import CLinux
import Dispatch
public import PadModel
import Synchronization

/// Keeps codes, judges attempts and signs grants, on threads of its own.
///
/// One thread owns the database; at most two others hash, and one more if these get
/// nowhere. Answers come on the vault's threads and must
/// not wait there. What a method promises to have written is on the disk before it answers.
public final class Vault: Sendable {
  /// The public half of the key that signs grants.
  public let grantKey: GrantKey

  private let configuration: VaultConfiguration
  private let store: WorkThread<Desk>
  private let hashing: HashingThreads
  private let watchers: Watchers
  private let entry = EntryBoard()

  /// Opens the database, audits what a crash left, and starts the threads.
  ///
  /// - Throws: ``VaultError``, whose ``VaultError/message`` says what to do.
  public static func open(_ configuration: VaultConfiguration) throws(VaultError) -> Vault {
    try Vault(configuration)
  }

  private init(_ configuration: VaultConfiguration) throws(VaultError) {
    self.configuration = configuration
    let watchers = Watchers()
    self.watchers = watchers
    let key = Mutex<GrantKey?>(nil)
    // Half a second, so that a change by the command line is seen within one.
    store = try WorkThread(
      name: "store", idleEvery: .milliseconds(500),
      make: { [entry] () throws(VaultError) in
        // A loop on the same core must not wait for a transaction.
        _ = clinux_set_background_scheduling()
        let desk = try Desk(configuration, watchers, entry)
        key.withLock { $0 = desk.store.grantKey }
        return desk
      },
      idle: { $0.lookAround() })
    guard let made = key.withLock({ $0 }) else {
      preconditionFailure("a desk that was made has a key")
    }
    grantKey = made
    hashing = HashingThreads(
      count: configuration.hashThreads, limit: configuration.limits.verifyQueue,
      reserved: configuration.limits.verifyQueueTrusted,
      patience: configuration.hashPatience, whenIdle: configuration.hashesWhenIdle,
      isLate: { [clock = configuration.clock] in clock.read().boot > $0.judgeBy })
  }

  /// Calls `callback` within a second of a change by another process, with what its audit says of it:
  /// nothing, if it was written to in another way.
  public func whenChanged(_ callback: @escaping @Sendable ([LockChange]) -> Void) {
    watchers.whenChanged(callback)
  }

  /// Calls `callback` whenever the storage failed, on one of the vault's threads.
  ///
  /// Whoever asked was answered already, by what promises nothing; this is for those who run it.
  public func whenFailed(_ callback: @escaping @Sendable (StoreDuty, VaultError) -> Void) {
    watchers.whenFailed(callback)
  }

  /// What is to be known of who may come in, as it stood half a second ago or later.
  public var entryRules: EntryRules { entry.rules }

  /// How often the storage failed so far.
  public var failures: Int { watchers.failures }

  /// Hashes made so far, one an attempt that was reserved.
  package var hashCount: Int { hashing.hashes }

  /// Attempts that wait for a hash.
  public var queueLength: Int { hashing.queueLength }

  /// What a server must know of a lock, and which of its buckets a drawer belongs to.
  public func profile(
    of lock: LockID, for drawer: Drawer = .stranger, reply: @escaping @Sendable (LockAnswer) -> Void
  ) {
    let clock = configuration.clock
    let isOpen = store.submit { [watchers] desk in
      do throws(VaultError) {
        let profile = try desk.store.profile(of: lock, for: drawer, at: clock.read())
        reply(profile.map(LockAnswer.found) ?? .missing)
      } catch {
        watchers.failed(.reading, error)
        reply(.unreadable)
      }
    }
    if !isOpen { reply(.unreadable) }
  }

  /// Puts an attempt before the lock's secrets.
  ///
  /// In this order: the bucket's delay, the address's own, a place in the queue, the reservation on the
  /// disk, the hash, the verdict's one transaction. `reply` is called exactly once.
  public func judge(
    _ attempt: VaultAttempt, reply: @escaping @Sendable (AttemptAnswer) -> Void
  ) {
    let isOpen = store.submit { [self] desk in admit(attempt, at: desk, reply) }
    if !isOpen { reply(AttemptAnswer(.unavailable)) }
  }

  private func admit(
    _ attempt: VaultAttempt, at desk: Desk, _ reply: @escaping @Sendable (AttemptAnswer) -> Void
  ) {
    let now = configuration.clock.read()
    // Nobody waits for it any more, so it must not be counted either.
    guard now.boot <= attempt.judgeBy else { return reply(AttemptAnswer(.unavailable)) }
    do throws(VaultError) {
      guard let standing = try desk.store.standing(for: attempt, at: now) else {
        return reply(AttemptAnswer(.unavailable))
      }
      if let refusal = try refusal(of: attempt, standing, at: desk, now) { return reply(refusal) }
      guard hashing.takePlace(trusted: standing.id.kind == .trusted) else {
        return reply(AttemptAnswer(.unavailable))
      }
      let result: ReservationResult
      do throws(VaultError) {
        result = try desk.store.reserve(attempt)
      } catch {
        hashing.leavePlace()
        throw error
      }
      switch result {
      case .refused(let answer):
        hashing.leavePlace()
        reply(answer)
      case .reserved(let reserved):
        // Its own bucket is what counts for a trusted device: others may share its address.
        let address = reserved.bucket.kind == .trusted ? nil : attempt.address
        if let address { desk.addresses.count(address, at: now.boot) }
        hash(reserved, address: address, reply)
      }
    } catch {
      watchers.failed(.judging, error)
      reply(AttemptAnswer(.unavailable))
    }
  }

  /// A refusal that costs nothing: the bucket's delay, then the address's.
  private func refusal(
    of attempt: VaultAttempt, _ standing: BucketStanding, at desk: Desk, _ now: ClockReading
  ) throws(VaultError) -> AttemptAnswer? {
    let (audit, bucket) = (desk.store.audit, standing.id)
    if standing.reading.retryAt > now.boot {
      try audit.refusal(.lockedOut, lock: attempt.lock, bucket: bucket.kind, at: now.wall)
      return AttemptAnswer(.lockedOut, asked: attempt.bucket, standing)
    }
    if bucket.kind != .trusted, let address = attempt.address,
      let retryAt = desk.addresses.retryAt(address, at: now.boot)
    {
      try audit.refusal(.unavailable, lock: attempt.lock, bucket: bucket.kind, at: now.wall)
      var answer = AttemptAnswer(.unavailable, asked: attempt.bucket, standing)
      answer.retryAt = retryAt
      return answer
    }
    return nil
  }

  private func hash(
    _ attempt: ReservedAttempt, address: UInt64?,
    _ reply: @escaping @Sendable (AttemptAnswer) -> Void
  ) {
    hashing.submit(
      HashingThreads.Job(attempt: attempt) { [self] ending in
        let isOpen = store.submit { [self] desk in
          switch ending {
          case .hashed(let hash): reply(conclude(attempt, hash, address: address, at: desk))
          case .tooLate: reply(takeBack(attempt, address: address, at: desk))
          // It keeps its row, which `close` audits as abandoned.
          case .givenUp: reply(AttemptAnswer(.unavailable))
          }
        }
        if !isOpen { reply(AttemptAnswer(.unavailable)) }
      })
  }

  /// Ends an attempt of which nothing was learned, since it was not even hashed: it does not count.
  private func takeBack(_ attempt: ReservedAttempt, address: UInt64?, at desk: Desk)
    -> AttemptAnswer
  {
    if let address { desk.addresses.takeBack(address) }
    do throws(VaultError) {
      return try desk.store.takeBack(attempt)
    } catch {
      watchers.failed(.judging, error)
      return AttemptAnswer(.unavailable)
    }
  }

  private func conclude(
    _ attempt: ReservedAttempt, _ hash: [UInt8]?, address: UInt64?, at desk: Desk
  ) -> AttemptAnswer {
    let now = configuration.clock.read()
    if hash == nil { watchers.failed(.hashing, .hashMemory(bytes: attempt.cost.memory)) }
    var isWrong = false
    defer { if !isWrong, let address { desk.addresses.takeBack(address) } }
    let isDuplicate = desk.wrongCodes.contains(
      hash ?? [], lock: attempt.lock, connection: attempt.connection, at: now.boot)
    do throws(VaultError) {
      let answer = try desk.store.conclude(attempt, hash: hash, isDuplicate: isDuplicate)
      if answer.outcome == .rejected, let hash {
        isWrong = true
        desk.wrongCodes.remember(
          hash, lock: attempt.lock, connection: attempt.connection, at: now.boot)
      }
      return answer
    } catch {
      // Whether it was right is not known to anybody: nothing was written, and it stays counted.
      watchers.failed(.judging, error)
      return AttemptAnswer(.unavailable)
    }
  }

  /// Takes an offered grant for an actuator, once, and signs it; nil if it can't be had.
  public func claim(
    _ claim: GrantClaim, lock: LockID, audience: MemberID,
    reply: @escaping @Sendable (Grant?) -> Void
  ) {
    let isOpen = store.submit { [watchers] desk in
      do throws(VaultError) {
        reply(try desk.store.claim(claim, lock: lock, audience: audience))
      } catch {
        watchers.failed(.signing, error)
        reply(nil)
      }
    }
    if !isOpen { reply(nil) }
  }

  /// Writes down refusals that were decided elsewhere, in one transaction.
  public func note(_ refusals: [Refusals]) {
    let clock = configuration.clock
    store.submit { [watchers] desk in
      do throws(VaultError) {
        try desk.store.note(refusals, at: clock.read())
      } catch {
        watchers.failed(.refusing, error)
      }
    }
  }

  /// Ends the threads; what has no verdict stays counted and is audited as abandoned.
  public func close() {
    hashing.close()
    let clock = configuration.clock
    store.submit { [watchers] desk in
      do throws(VaultError) {
        try desk.store.abandonAttempts(at: clock.read())
      } catch {
        watchers.failed(.closing, error)
      }
    }
    store.close()
  }

  /// Makes a write of the store fail, for tests: `fault` is called before each.
  package func setFault(_ fault: @escaping @Sendable () throws(VaultError) -> Void) {
    store.submit { desk in desk.store.database.beforeWrite = fault }
  }

  /// Has `hook` called before each hash, on its thread, for tests.
  package func setHashHook(_ hook: @escaping @Sendable () -> Void) { hashing.setHook(hook) }
}
