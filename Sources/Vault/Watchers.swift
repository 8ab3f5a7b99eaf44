import Synchronization

/// What a vault was doing when its storage failed.
public enum StoreDuty: String, CaseIterable, Sendable {
  /// Reading what a lock is.
  case reading
  /// Judging an attempt.
  case judging
  /// Hashing what was drawn.
  case hashing
  /// Recording and signing a grant.
  case signing
  /// Writing down refusals.
  case refusing
  /// Looking at the clock and for changes by other processes.
  case watching
  /// Auditing what has no verdict at the end.
  case closing
}

/// Whom to tell what happens on the vault's threads.
final class Watchers: Sendable {
  private struct State {
    var changed: (@Sendable ([LockChange]) -> Void)?
    var failed: (@Sendable (StoreDuty, VaultError) -> Void)?
    var failures = 0
  }

  private let state = Mutex(State())

  /// Failures so far.
  var failures: Int { state.withLock { $0.failures } }

  func whenChanged(_ callback: @escaping @Sendable ([LockChange]) -> Void) {
    state.withLock { $0.changed = callback }
  }

  func whenFailed(_ callback: @escaping @Sendable (StoreDuty, VaultError) -> Void) {
    state.withLock { $0.failed = callback }
  }

  /// Another process changed the database, and said in the audit that it did this.
  func changed(_ changes: [LockChange]) { state.withLock { $0.changed }?(changes) }

  /// The storage failed; that a lock is gone is no failure of it.
  func failed(_ duty: StoreDuty, _ error: VaultError) {
    if case .unknownLock = error { return }
    let callback = state.withLock { state in
      state.failures += 1
      return state.failed
    }
    callback?(duty, error)
  }
}
