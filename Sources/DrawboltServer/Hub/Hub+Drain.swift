import PadModel
import Rooms
import Transport

/// Leaving in good order.
extension Hub {
  /// How long a drawer may wait for the verdict of an attempt that is in flight.
  private static let verdictGrace = 3000
  /// How long peers may take to answer the close frame.
  private static let closeGrace = 2000
  /// Over how long clients are asked to spread their return.
  private static let returnWindow: UInt32 = 5000

  /// Accepts nobody any more, ends every stroke, and sends everybody away with 1012; a drawer whose
  /// attempt is in flight gets its verdict first.
  func beginDrain() {
    guard !isDraining else { return }
    isDraining = true
    loop.stopAccepting()
    for host in rooms.values { run(.drainBegan, in: host) }
    for session in Array(sessions.values) where !awaitsVerdict(session) { sendAway(session) }
    guard !sessions.values.allSatisfy({ !awaitsVerdict($0) }) else { return endDrain() }
    let timer = loop.makeTimer { [unowned self] _ in endDrain() }
    drainTimer = timer
    timer.arm(afterMilliseconds: Self.verdictGrace)
  }

  /// Called whenever a verdict came while draining.
  func drainVerdictTold() {
    guard isDraining, !isDrainEnded else { return }
    for session in Array(sessions.values) where !awaitsVerdict(session) { sendAway(session) }
    if sessions.values.allSatisfy({ !awaitsVerdict($0) }) { endDrain() }
  }

  private func endDrain() {
    guard !isDrainEnded else { return }
    isDrainEnded = true
    drainTimer?.disarm()
    for session in Array(sessions.values) { sendAway(session) }
    loop.drain(
      code: CloseReason.restart.code, reason: CloseReason.restart.text, within: Self.closeGrace)
  }

  private func awaitsVerdict(_ session: Session) -> Bool {
    session.host?.room.awaitsVerdict(session.key) ?? false
  }

  private func sendAway(_ session: Session) {
    if case .closing = session.stage { return }
    tell(session, .goAway(reason: .restart, reconnectAfter: Self.returnWindow))
    close(session, .restart)
  }

  /// The transport has no connection left.
  func drained() { service.loopDrained() }
}
