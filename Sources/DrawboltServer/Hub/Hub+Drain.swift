import PadModel
import Rooms
import Transport

/// Leaving in good order.
extension Hub {
  /// What a hub knows while it leaves.
  struct Drain {
    /// Ends the wait for verdicts.
    let timer: LoopTimer
    /// Whether nobody waits for a verdict, here or from here.
    var isIdle = false
    /// Whether the transport has been told to end.
    var isEnding = false
  }

  /// How long a drawer may wait for the verdict of an attempt that is in flight.
  private static let verdictGrace = 3000
  /// How long peers may take to answer the close frame.
  private static let closeGrace = 2000
  /// Over how long clients are asked to spread their return, in milliseconds.
  static let returnWindow: UInt32 = 5000

  var isDraining: Bool { drain != nil }

  /// Accepts nobody any more and has every room that is at home here end its stroke and send its
  /// members away with 1012, wherever they are; a drawer whose attempt is in flight gets its verdict
  /// first.
  func beginDrain() {
    guard drain == nil else { return }
    let timer = loop.makeTimer { [unowned self] _ in endDrain() }
    timer.arm(afterMilliseconds: Self.verdictGrace)
    drain = Drain(timer: timer)
    loop.stopAccepting()
    for branch in Array(rooms.values) where branch.home != nil { run(.drainBegan, in: branch) }
    for session in Array(sessions.values) where session.branch == nil { close(session, .restart) }
    goOnDraining()
  }

  /// Has all loops end as soon as nobody waits for a verdict any more, on any of them.
  ///
  /// Nobody joins a loop that drains, so what is idle stays so.
  func goOnDraining() {
    guard let drain, !drain.isIdle, memberCount == 0, membersAway == 0 else { return }
    self.drain?.isIdle = true
    guard service.loopIsIdle() else { return }
    for peer in peers { peer.handle.submit { ($0.handler as? Hub)?.endDrain() } }
  }

  private func endDrain() {
    guard let drain, !drain.isEnding else { return }
    drain.timer.disarm()
    self.drain?.isEnding = true
    refusalTimer.disarm()
    writeRefusals()
    for session in Array(sessions.values) { close(session, .restart) }
    loop.drain(
      code: CloseReason.restart.code, reason: CloseReason.restart.text, within: Self.closeGrace)
  }

  /// The transport has no connection left.
  func drained() { service.loopDrained() }
}
