import CLinux
import Dispatch
import Foundation
import PadModel
import Synchronization

/// At most two threads that hash and never touch the database.
///
/// They run under `SCHED_IDLE`: a hash takes some fifteen milliseconds of a core and its memory, which
/// a loop on the same core would feel in every frame.
final class HashingThreads: Sendable {
  struct Job: Sendable {
    let attempt: ReservedAttempt
    let done: @Sendable (Ending) -> Void
  }

  /// What becomes of a job.
  enum Ending: Sendable {
    /// The hash, or nil if it could not be made.
    case hashed([UInt8]?)
    /// The threads end before its turn.
    case givenUp
  }

  private struct State {
    var queue = VerifyQueue<LockID, Job>()
    /// Places taken by attempts that are being reserved or wait here.
    var places = 0
    var isClosed = false
    var hashes = 0
    /// Called before each hash, for tests.
    var hook: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let ended = DispatchGroup()
  private let limit: Int

  init(count: Int, limit: Int) {
    self.limit = limit
    for number in 1...count {
      ended.enter()
      let thread = Thread { [self] in
        _ = clinux_set_idle_scheduling()
        run()
        ended.leave()
      }
      thread.name = "hash\(number)"
      thread.stackSize = 512 * 1024
      thread.start()
    }
  }

  /// Attempts that wait for a thread.
  var queueLength: Int { state.withLock { $0.queue.count } }

  /// Hashes made so far.
  var hashes: Int { state.withLock { $0.hashes } }

  func setHook(_ hook: @escaping @Sendable () -> Void) { state.withLock { $0.hook = hook } }

  /// Takes a place in the queue before the attempt is reserved; false if it is full.
  func takePlace() -> Bool {
    state.withLock { state in
      guard !state.isClosed, state.places < limit else { return false }
      state.places += 1
      return true
    }
  }

  /// Gives a place back whose attempt was refused.
  func leavePlace() { state.withLock { $0.places -= 1 } }

  /// Queues a job whose place was taken.
  func submit(_ job: Job) {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.queue.append(job, of: job.attempt.lock) }
      return !state.isClosed
    }
    if isOpen { wakeUp.signal() } else { job.done(.givenUp) }
  }

  /// Ends the threads after their present hash; what still waits is given up.
  func close() {
    let rest = state.withLock { state in
      state.isClosed = true
      return state.queue.removeAll()
    }
    for job in rest { job.done(.givenUp) }
    for _ in 0..<8 { wakeUp.signal() }
    ended.wait()
  }

  private func run() {
    while true {
      wakeUp.wait()
      let (job, isClosed) = state.withLock { state in
        let job = state.queue.popFirst()
        if job != nil { state.places -= 1 }
        return (job, state.isClosed)
      }
      if let job { job.done(.hashed(hash(job.attempt))) } else if isClosed { return }
    }
  }

  private func hash(_ attempt: ReservedAttempt) -> [UInt8]? {
    let hook = state.withLock { state in
      state.hashes += 1
      return state.hook
    }
    hook?()
    return try? Sodium.hash(attempt.message, salt: attempt.salt, cost: attempt.cost)
  }
}
