import PadModel
import Rooms
import Transport
import Vault

/// A hub as other threads may hold it: they can only ask its loop to do something with it.
struct HubReference: @unchecked Sendable {
  // Safe because `hub` is touched in `submit`'s work only, which runs on the hub's own loop.
  private unowned let hub: Hub
  private let handle: LoopHandle?

  init(_ hub: Hub) {
    self.hub = hub
    handle = hub.loop.handle
  }

  /// Runs `work` on the hub's loop, soon, unless the loop has stopped.
  func submit(_ work: @escaping @Sendable (Hub) -> Void) {
    handle?.submit { _ in work(hub) }
  }
}

/// What a hub asks of the vault and what becomes of the answers.
extension Hub {
  /// Puts a finished stroke before the lock's secrets.
  func submit(_ attempt: Attempt, in branch: RoomBranch) {
    guard case .lock(let lock) = branch.name else { return }
    let reference = HubReference(self)
    let (address, ticket) = (branch.address, attempt.ticket)
    service.vault.judge(
      VaultAttempt(
        lock: lock, bucket: BucketID(number: attempt.bucket.number) ?? .strangers,
        nodes: attempt.nodes,
        address: attempt.origin == Self.exemptOrigin ? nil : attempt.origin,
        connection: attempt.connection, actuators: attempt.actuators, judgeBy: attempt.judgeBy)
    ) { answer in
      reference.submit { $0.judged(answer, ticket, in: address) }
    }
  }

  private func judged(
    _ answer: AttemptAnswer, _ ticket: AttemptTicket, in address: RoomAddress
  ) {
    guard case .lock(let lock) = address.name else { return }
    let failures = (answer.bucket ?? answer.home?.reading)?.failures ?? 0
    service.log(.attemptJudged(lock: lock, outcome: answer.outcome, failures: failures))
    if answer.raisesAlarm {
      statistics.alarms += 1
      service.log(.alarm(lock: lock, failures: failures))
    }
    // Its lock may be gone, and the room with it.
    if let branch = branch(at: address) {
      run(.verdictReached(ticket, answer.report), in: branch)
    }
    if answer.easesOthers { askAgain(lock, of: address.name) }
    goOnDraining()
  }

  /// Has an actuator's claim recorded and signed.
  func sign(_ claim: GrantClaim, audience: MemberID, in branch: RoomBranch) {
    guard case .lock(let lock) = branch.name else { return }
    let reference = HubReference(self)
    let address = branch.address
    service.vault.claim(claim, lock: lock, audience: audience) { grant in
      reference.submit { $0.claimed(claim.id, grant, in: address) }
    }
  }

  private func claimed(_ id: GrantID, _ grant: Grant?, in address: RoomAddress) {
    guard let branch = branch(at: address) else { return }
    if let grant {
      statistics.grants += 1
      service.log(.grantTaken(lock: grant.lock, member: grant.audience))
      run(.grantSigned(grant), in: branch)
    } else {
      run(.grantRefused(id), in: branch)
    }
  }

  /// Takes up that a lock, or any, or a token was changed by another process.
  func locksChanged() {
    endRevoked()
    for (name, branch) in rooms {
      guard branch.home != nil, case .lock(let lock) = name else { continue }
      askAgain(lock, of: name)
    }
  }

  /// Has a room take up what its lock has become.
  private func askAgain(_ lock: LockID, of name: RoomName) {
    let reference = HubReference(self)
    service.vault.profile(of: lock) { answer in
      reference.submit { $0.lockChanged(answer, of: name) }
    }
  }

  /// How long until a lock that can't be read is asked for again, in milliseconds.
  private static let lockRetry = 1000

  private func lockChanged(_ answer: LockAnswer, of name: RoomName) {
    guard let branch = rooms[name] else { return }
    switch answer {
    case .found(let profile) where profile.pad == branch.pad:
      run(.policyChanged(profile.policy), in: branch)
    case .found, .missing:
      // Removed, or removed and made anew: the room goes at once, so that nobody joins what is left.
      run(.closed(.roomClosed), in: branch)
      drop(branch)
    case .unreadable:
      // The room stays as it is: nothing is known of a change.
      lockTimer.arm(afterMilliseconds: Self.lockRetry)
    }
  }
}
