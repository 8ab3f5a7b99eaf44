import PadModel
import Rooms
import Transport
import Vault

/// What rooms tell drawers without asking the vault.
extension Hub {
  /// How long refusals are gathered, in milliseconds: whoever presses all the time must not make the
  /// vault write, nor the log, at that rate.
  private static let gathering = 1000

  /// Counts a verdict, and writes a refusal down soon.
  func note(_ outcome: Outcome, isRefusal: Bool, in branch: RoomBranch) {
    statistics.verdicts[outcome, default: 0] += 1
    guard isRefusal, case .lock(let lock) = branch.name else { return }
    if refusals.isEmpty { refusalTimer.arm(afterMilliseconds: Self.gathering) }
    refusals[lock, default: [:]][outcome, default: 0] += 1
  }

  /// Hands over what was gathered: one row a lock and outcome.
  func writeRefusals() {
    guard !refusals.isEmpty else { return }
    var rows: [Refusals] = []
    for (lock, counts) in refusals {
      for (outcome, count) in counts {
        service.log(.attemptsRefused(lock: lock, outcome: outcome, count: count))
        rows.append(Refusals(lock: lock, outcome: outcome, count: count))
      }
    }
    refusals.removeAll(keepingCapacity: true)
    service.vault.note(rows)
  }
}
