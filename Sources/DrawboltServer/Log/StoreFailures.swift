import PadModel
import Synchronization
import Vault

/// Logs failures of the storage: the first at once, and then at most one line in ten seconds, since a
/// full disk fails at every attempt.
final class StoreFailures: Sendable {
  private struct State {
    var isSilentUntil = ContinuousClock.now
    var unsaid = 0
  }

  private static let silence = Duration.seconds(10)
  private let log: Log
  private let state = Mutex(State())

  init(_ log: Log) { self.log = log }

  func callAsFunction(_ duty: StoreDuty, _ error: VaultError) {
    let count: Int? = state.withLock { state in
      state.unsaid += 1
      let now = ContinuousClock.now
      guard now >= state.isSilentUntil else { return nil }
      defer { state.unsaid = 0 }
      state.isSilentUntil = now + Self.silence
      return state.unsaid
    }
    if let count { log(.storeFailed(duty: duty, error: error, count: count)) }
  }
}
