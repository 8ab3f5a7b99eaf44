import DrawboltServer
import Foundation
import PadModel
import Synchronization
import Vault

/// Counts up from 0, from any thread.
final class Counter: Sendable {
  private let value = Atomic<UInt64>(0)

  func next() -> UInt64 { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// Somebody at each lock who draws wrong codes without a pause: four attempts of each wait at any
/// time, so that eight locks keep the queue's 32 places taken.
final class WrongDrawers: Sendable {
  private struct State {
    var isStopped = false
    var inFlight = 0
    var leastQueue = Int.max
  }

  static let attemptsPerLock = 4
  private let vault: Vault
  private let locks: [LockID]
  private let state = Mutex(State())
  private let connections = Counter()
  private let allAnswered = DispatchSemaphore(value: 0)

  init(vault: Vault, locks: [LockID]) {
    self.vault = vault
    self.locks = locks
  }

  /// The fewest attempts that waited for a hash whenever one had been answered.
  var leastQueue: Int { state.withLock { $0.leastQueue == .max ? 0 : $0.leastQueue } }

  /// How long the queue may take to fill, in steps of 10 ms.
  private static let stepsToFill = 1000

  /// Begins to watch the queue, which takes a moment to fill.
  func forgetQueue() throws(CommandFailure) {
    var steps = 0
    while vault.queueLength < locks.count {
      guard steps < Self.stepsToFill else {
        throw CommandFailure(
          .temporary, "the verify queue did not fill within 10 s: \(vault.queueLength) wait")
      }
      steps += 1
      usleep(10_000)
    }
    state.withLock { $0.leastQueue = .max }
  }

  /// Fills the queue.
  func start() {
    for lock in locks { for _ in 0..<Self.attemptsPerLock { draw(on: lock) } }
  }

  /// Draws no more and waits until nothing is in the queue.
  func stop() {
    let waits = state.withLock { state in
      state.isStopped = true
      return state.inFlight > 0
    }
    if waits { allAnswered.wait() }
  }

  private func draw(on lock: LockID) {
    state.withLock { $0.inFlight += 1 }
    // A connection of its own each time, since a wrong code of the same one would not be counted.
    let attempt = VaultAttempt(
      lock: lock, nodes: [0, 1, 2, 5, 8], address: nil, connection: connections.next(),
      actuators: 0, judgeBy: .distantFuture)
    vault.judge(attempt) { [self] _ in
      let waiting = vault.queueLength
      let (goesOn, isLast) = state.withLock { state in
        state.inFlight -= 1
        state.leastQueue = min(state.leastQueue, waiting)
        return (!state.isStopped, state.isStopped && state.inFlight == 0)
      }
      if goesOn { draw(on: lock) }
      if isLast { allAnswered.signal() }
    }
  }
}
