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
  func note(
    _ outcome: Outcome, of bucket: BucketKey, isRefusal: Bool, in branch: RoomBranch
  ) {
    statistics.verdicts[outcome, default: 0] += 1
    guard isRefusal, case .lock(let lock) = branch.name else { return }
    if refusals.isEmpty { refusalTimer.arm(afterMilliseconds: Self.gathering) }
    let refusal = RefusalKey(lock: lock, bucket: bucket, outcome: outcome)
    refusals[refusal, default: 0] += 1
  }

  /// Hands over what was gathered: one row a lock, bucket and outcome.
  func writeRefusals() {
    guard !refusals.isEmpty else { return }
    let rows = refusals.map { refusal, count in
      service.log(
        .attemptsRefused(lock: refusal.lock, outcome: refusal.outcome, count: count))
      return Refusals(
        lock: refusal.lock, bucket: BucketID(number: refusal.bucket.number) ?? .strangers,
        outcome: refusal.outcome, count: count)
    }
    refusals.removeAll(keepingCapacity: true)
    service.vault.note(rows)
  }
}

/// What is gathered by.
struct RefusalKey: Hashable {
  let lock: LockID
  let bucket: BucketKey
  let outcome: Outcome
}
