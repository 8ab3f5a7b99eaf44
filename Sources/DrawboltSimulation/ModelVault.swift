import PadModel
import Rooms

/// A lock's bucket.
struct Account: Hashable {
  let lock: RoomName
  let bucket: BucketKey
}

/// What one room's attempts came to.
struct Ledger: Equatable {
  /// Refused before anything was counted.
  var refused = 0
  /// Counted.
  var reserved = 0
}

/// The vault as rooms know it: its order of work, without its secrets' protection.
///
/// Delay, address, place in the queue, count, hash, verdict. What was counted stays counted, whatever
/// fails after it.
struct ModelVault {
  /// An attempt on its way.
  struct Job {
    let attempt: Attempt
    let lock: RoomName
    /// The room's number.
    let room: Int
    var step = Step.asked
    /// Which of the bucket's lives the count belongs to; nil before it is counted.
    var life: Int?
  }

  enum Step { case asked, hashed, told(VerdictReport) }

  /// What comes of a job's next step.
  enum Progress {
    case goesOn(after: Duration)
    case ends(Job, VerdictReport, times: Int)
    case isLost
  }

  /// A bucket, with the sums that its failures must agree with.
  struct Bucket: Equatable {
    var failures = 0
    var retryAt = Instant.zero
    /// Counts resets.
    var life = 0
    var reserved = 0, accepted = 0, takenBack = 0, givenBack = 0

    var status: BucketStatus { BucketStatus(failures: failures, retryAt: retryAt) }

    /// Whether all failures are accounted for.
    var isSound: Bool { failures == reserved - accepted - takenBack - givenBack }
  }

  private struct Wrong {
    let connection: UInt64
    let lock: RoomName
    let nodes: [NodeIndex]
    let until: Instant
  }

  private struct Offer {
    let lock: RoomName
    let at: Instant
    var isClaimed = false
  }

  private let limits: Limits
  private let secrets: [RoomName: [[NodeIndex]]]
  private var jobs: [Int: Job] = [:]
  private var lastJob = 0
  private var hashing = 0
  private(set) var buckets: [Account: Bucket] = [:]
  private(set) var ledgers: [Int: Ledger] = [:]
  private var wrongs: [Wrong] = []
  private var wrongTimes: [UInt64: [Instant]] = [:]
  private var offers: [GrantID: Offer] = [:]

  init(_ plan: Plan) {
    limits = plan.limits
    secrets = Dictionary(uniqueKeysWithValues: plan.rooms.map { ($0.name, $0.secrets) })
  }

  var isIdle: Bool { jobs.isEmpty }

  /// Attempts of a room that were neither counted nor refused yet.
  func undecided(room: Int) -> Int {
    jobs.values.count {
      if case .asked = $0.step { $0.room == room } else { false }
    }
  }

  func statuses(of lock: RoomName) -> [BucketKey: BucketStatus] {
    var all: [BucketKey: BucketStatus] = [:]
    for (account, bucket) in buckets where account.lock == lock {
      all[account.bucket] = bucket.status
    }
    return all
  }

  /// When a grant was made for a lock, if it was.
  func offered(_ id: GrantID, by lock: RoomName) -> Instant? {
    offers[id].flatMap { $0.lock == lock ? $0.at : nil }
  }

  /// Takes an attempt in; its number is that of its steps.
  mutating func take(_ attempt: Attempt, lock: RoomName, room: Int) -> Int {
    lastJob += 1
    jobs[lastJob] = Job(attempt: attempt, lock: lock, room: room)
    return lastJob
  }

  /// An administrator forgets a bucket's failures.
  mutating func reset(_ account: Account) -> BucketStatus {
    var fresh = Bucket()
    fresh.life = (buckets[account]?.life ?? 0) + 1
    buckets[account] = fresh
    return fresh.status
  }

  mutating func goOn(
    _ number: Int, at now: Instant, _ planted: inout Planted, _ random: inout SplitMix64
  ) -> Progress? {
    guard var job = jobs.removeValue(forKey: number) else { return nil }
    let pause: Duration
    switch job.step {
    case .asked: pause = admit(&job, at: now, &planted, &random)
    case .hashed:
      hashing -= 1
      job.step = .told(conclude(job, at: now, &planted, &random))
      pause = random.milliseconds(0...5)
    case .told(let report):
      if planted.strikes(.loseAnswer) { return .isLost }
      return .ends(job, report, times: planted.strikes(.answerTwice) ? 2 : 1)
    }
    jobs[number] = job
    return .goesOn(after: pause)
  }

  private mutating func admit(
    _ job: inout Job, at now: Instant, _ planted: inout Planted, _ random: inout SplitMix64
  ) -> Duration {
    let account = Account(lock: job.lock, bucket: job.attempt.bucket)
    if let report = refusal(of: job, account, at: now) {
      ledgers[job.room, default: Ledger()].refused += 1
      job.step = .told(report)
      return random.milliseconds(0...5)
    }
    hashing += 1
    job.step = .hashed
    if !planted.strikes(.skipReservation) { reserve(&job, account, at: now) }
    let isSlow = random.once(in: 30)
    return random.milliseconds(isSlow ? 4_000...7_000 : 5...300)
  }

  /// What costs nothing: too late, the bucket's delay, the address's, a full queue.
  private func refusal(of job: Job, _ account: Account, at now: Instant) -> VerdictReport? {
    let bucket = buckets[account] ?? Bucket()
    if now > job.attempt.judgeBy { return VerdictReport(.unavailable) }
    if now < bucket.retryAt { return VerdictReport(.lockedOut, bucket: bucket.status) }
    let wrong = (wrongTimes[job.attempt.origin] ?? []).filter { $0 + .seconds(60) > now }
    if let first = wrong.first, wrong.count >= limits.wrongCodesBurst {
      return VerdictReport(.unavailable, bucket: bucket.status, retryAt: first + .seconds(60))
    }
    return hashing < limits.verifyQueue ? nil : VerdictReport(.unavailable)
  }

  private mutating func reserve(_ job: inout Job, _ account: Account, at now: Instant) {
    ledgers[job.room, default: Ledger()].reserved += 1
    var bucket = buckets[account] ?? Bucket()
    job.life = bucket.life
    bucket.reserved += 1
    bucket.failures += 1
    bucket.delay(from: now)
    buckets[account] = bucket
  }

  private mutating func conclude(
    _ job: Job, at now: Instant, _ planted: inout Planted, _ random: inout SplitMix64
  ) -> VerdictReport {
    let account = Account(lock: job.lock, bucket: job.attempt.bucket)
    // The verdict could not be written down, or came too late: it stays counted.
    guard now <= job.attempt.judgeBy, !random.once(in: 25) else {
      return VerdictReport(.unavailable, bucket: buckets[account]?.status)
    }
    let isRight = secrets[job.lock]?.contains(job.attempt.nodes) == true
    var bucket = buckets[account] ?? Bucket()
    if job.life == bucket.life {
      if isRight {
        bucket.accept(at: now)
      } else if isDuplicate(job, at: now) {
        bucket.takeBack(at: now)
      } else if planted.strikes(.forgetFailure) {
        bucket.failures -= 1
      }
    }
    buckets[account] = bucket
    guard isRight else {
      remember(job, at: now)
      return VerdictReport(.rejected, bucket: bucket.status)
    }
    return VerdictReport(.accepted(grant: offer(job, at: now, &random)), bucket: bucket.status)
  }

  private func isDuplicate(_ job: Job, at now: Instant) -> Bool {
    wrongs.contains {
      $0.connection == job.attempt.connection && $0.lock == job.lock && $0.until > now
        && $0.nodes == job.attempt.nodes
    }
  }

  private mutating func remember(_ job: Job, at now: Instant) {
    wrongs.removeAll { $0.until <= now }
    wrongs.append(
      Wrong(
        connection: job.attempt.connection, lock: job.lock, nodes: job.attempt.nodes,
        until: now + limits.wrongCodesKept))
    let recent = (wrongTimes[job.attempt.origin] ?? []).filter { $0 + .seconds(60) > now }
    wrongTimes[job.attempt.origin] = recent + [now]
  }

  private mutating func offer(
    _ job: Job, at now: Instant, _ random: inout SplitMix64
  ) -> GrantID? {
    guard job.attempt.actuators > 0 else { return nil }
    let id = GrantID(high: random.next(), low: random.next())
    offers[id] = Offer(lock: job.lock, at: now)
    return id
  }

  /// Takes an offered grant for an actuator, once and in time.
  mutating func claim(
    _ claim: GrantClaim, lock: RoomName, audience: MemberID, at now: Instant
  ) -> Grant? {
    guard case .lock(let id) = lock, let offer = offers[claim.id], offer.lock == lock,
      !offer.isClaimed, now <= offer.at + limits.grantTime
    else { return nil }
    offers[claim.id]?.isClaimed = true
    return Grant(
      id: claim.id, lock: id, audience: audience, nonce: claim.nonce, isDemo: false, keyID: 1,
      signature: [UInt8](repeating: 7, count: 64))
  }
}

extension ModelVault.Bucket {
  /// Seconds to wait after so many failures; none before the fourth.
  private static let delays = [2, 4, 8, 15, 30, 60]

  mutating func delay(from now: Instant) {
    let step = failures - 4
    guard step >= 0 else { return retryAt = .zero }
    retryAt = now + .seconds(Self.delays[min(step, Self.delays.count - 1)])
  }

  /// A right code's own count goes, and three more at most.
  mutating func accept(at now: Instant) {
    accepted += 1
    failures -= 1
    let given = min(3, failures)
    givenBack += given
    failures -= given
    delay(from: now)
  }

  /// The same wrong code again does not count.
  mutating func takeBack(at now: Instant) {
    takenBack += 1
    failures -= 1
    delay(from: now)
  }
}
