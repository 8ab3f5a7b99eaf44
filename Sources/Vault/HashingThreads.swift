import Dispatch
import Foundation
import PadModel
import Synchronization

/// The threads that hash and never touch the database: patient ones, at most two, and a rescuer.
///
/// The patient ones have each hash made aside under `SCHED_IDLE` (``AsideHash``): it takes some fifteen
/// milliseconds of a core and its memory, which a loop on the same core would feel in every frame. The
/// rescuer sleeps unless the machine is so busy that they get nowhere (``HashDesk``).
final class HashingThreads: Sendable {
  struct Job: Sendable {
    let attempt: ReservedAttempt
    let done: @Sendable (Ending) -> Void
  }

  /// What becomes of a job.
  enum Ending: Sendable {
    /// The hash, or nil if it could not be made.
    case hashed([UInt8]?)
    /// It was too late for a verdict before its turn came, and nothing was hashed.
    case tooLate
    /// The threads end before its turn, or before its end.
    case givenUp
  }

  private struct State {
    var desk: HashDesk<LockID, AttemptID, Job>
    /// Places taken by attempts that are being reserved.
    var places = 0
    var isClosed = false
    /// The hashes that patient threads wait for.
    var asides: [AsideHash] = []
    /// Jobs that somebody has hashed or hashes.
    var hashes = 0
    /// Called before each hash, for tests.
    var hook: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>
  private let patientWakeUp = DispatchSemaphore(value: 0)
  private let rescuerWakeUp = DispatchSemaphore(value: 0)
  private let ended = DispatchGroup()
  private let limit: Int
  /// Of them so many are for trusted devices only.
  private let reserved: Int
  private let isLate: @Sendable (ReservedAttempt) -> Bool
  private let count: Int
  private let whenIdle: Bool
  /// What the rescuer has from the start: enough for a hash of the standard cost.
  private static let rescueMemory = HashCost.standard.memory

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - count: how many of them are patient.
  ///   - limit: how many jobs may wait.
  ///   - reserved: for how many of them only trusted devices' may.
  ///   - patience: how long a patient thread may have a job before the rescuer helps.
  ///   - whenIdle: whether patient threads hash only when nothing else runs.
  ///   - isLate: whether it is too late to hash for an attempt.
  init(
    count: Int, limit: Int, reserved: Int, patience: Duration, whenIdle: Bool,
    isLate: @escaping @Sendable (ReservedAttempt) -> Bool
  ) {
    self.isLate = isLate
    self.count = count
    self.whenIdle = whenIdle
    self.limit = limit
    self.reserved = reserved
    state = Mutex(State(desk: HashDesk(hands: count, patience: patience)))
    for number in 1...count { start("patient\(number)") { [self] in hashPatiently() } }
    let hasMemory = DispatchSemaphore(value: 0)
    start("rescue") { [self] in
      let memory = HashMemory(bytes: Self.rescueMemory)
      hasMemory.signal()
      rescue(in: memory)
    }
    // A vault that is open has all that it needs; who measures a server then finds it in its place.
    hasMemory.wait()
  }

  private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    ended.enter()
    let thread = Thread { [ended] in
      body()
      ended.leave()
    }
    thread.name = name
    thread.stackSize = 512 * 1024
    thread.start()
  }

  /// Attempts that wait for a thread.
  var queueLength: Int { state.withLock { $0.desk.waitingCount } }

  /// Attempts that were hashed so far, or are being hashed.
  var hashes: Int { state.withLock { $0.hashes } }

  func setHook(_ hook: @escaping @Sendable () -> Void) { state.withLock { $0.hook = hook } }

  /// Takes a place in the queue before the attempt is reserved; false if it is full.
  func takePlace(trusted: Bool) -> Bool {
    let most = trusted ? limit : max(0, limit - reserved)
    return state.withLock { state in
      guard !state.isClosed, state.places + state.desk.waitingCount < most else { return false }
      state.places += 1
      return true
    }
  }

  /// Gives a place back whose attempt was refused.
  func leavePlace() { state.withLock { $0.places -= 1 } }

  /// Queues a job whose place was taken.
  func submit(_ job: Job) {
    let isOpen = state.withLock { state in
      state.places -= 1
      if !state.isClosed {
        state.desk.append(
          job, id: job.attempt.id, of: job.attempt.lock,
          first: job.attempt.bucket.kind == .trusted, at: Self.now())
      }
      return !state.isClosed
    }
    guard isOpen else { return job.done(.givenUp) }
    patientWakeUp.signal()
    rescuerWakeUp.signal()
  }

  /// Ends the threads; what still waits is given up, and what is hashed aside too, since nobody knows
  /// when that would end.
  func close() {
    let rest = state.withLock { state in
      state.isClosed = true
      for aside in state.asides { aside.leave() }
      return state.desk.removeWaiting()
    }
    for job in rest { job.done(.givenUp) }
    for _ in 0..<count { patientWakeUp.signal() }
    rescuerWakeUp.signal()
    ended.wait()
  }

  private func hashPatiently() {
    while true {
      patientWakeUp.wait()
      let (taken, isClosed) = state.withLock { state in
        (state.desk.take(at: Self.now()), state.isClosed)
      }
      if let (id, job) = taken {
        let ending = end(job, hashAside)
        if state.withLock({ $0.desk.finish(id, at: Self.now()) }) { job.done(ending) }
      } else if isClosed {
        return
      }
    }
  }

  private func rescue(in memory: HashMemory) {
    func hashInMemory(_ attempt: ReservedAttempt) -> Ending {
      state.withLock(\.hook)?()
      return .hashed(try? memory.hash(attempt.message, salt: attempt.salt, cost: attempt.cost))
    }
    while true {
      let (rescue, isClosed) = state.withLock { state in
        (state.desk.rescue(at: Self.now()), state.isClosed)
      }
      switch rescue {
      case .again(let id, let job):
        let ending = end(job, isAgain: true, hashInMemory)
        if state.withLock({ $0.desk.answer(id) }) { job.done(ending) }
      case .next(let job): job.done(end(job, hashInMemory))
      case _ where isClosed: return
      case .look(let moment): _ = rescuerWakeUp.wait(timeout: Self.dispatchTime(moment))
      case .rest: rescuerWakeUp.wait()
      }
    }
  }

  /// Hashes, unless it is too late: on a machine that is busy enough to make attempts late, hashing
  /// for nobody would make the next ones late as well.
  private func end(
    _ job: Job, isAgain: Bool = false, _ hash: (ReservedAttempt) -> Ending
  ) -> Ending {
    guard !isLate(job.attempt) else { return .tooLate }
    if !isAgain { state.withLock { $0.hashes += 1 } }
    return hash(job.attempt)
  }

  private func hashAside(_ attempt: ReservedAttempt) -> Ending {
    let hook = state.withLock(\.hook)
    let aside = AsideHash(whenIdle: whenIdle) {
      hook?()
      return try? Sodium.hash(attempt.message, salt: attempt.salt, cost: attempt.cost)
    }
    let isClosed = state.withLock { state in
      state.asides.append(aside)
      return state.isClosed
    }
    if isClosed { aside.leave() }
    defer { state.withLock { $0.asides.removeAll { $0 === aside } } }
    return aside.wait().map { .hashed($0) } ?? .givenUp
  }

  // A virtual clock of a test must not make a real thread late, so these read the monotonic one.

  private static func now() -> Instant {
    Instant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  private static func dispatchTime(_ moment: Instant) -> DispatchTime {
    DispatchTime(uptimeNanoseconds: UInt64(clamping: moment.nanoseconds))
  }
}
