import PadModel
import Rooms
import Transport

/// What rooms want though nothing happens.
extension Hub {
  /// Queues the room for when it wants to be looked at, unless it is queued for then or sooner.
  func arm(_ host: RoomHost) {
    guard let due = host.due, due < host.queuedFor ?? .distantFuture else { return }
    host.queuedFor = due
    dues.insert(host, due: due)
  }

  /// Arms the loop's one timer for the first room in the queue.
  func armTimer() {
    guard let first = dues.first, first != timerAt else { return }
    timerAt = first
    timer.arm(at: UInt64(max(first.nanoseconds, 0)))
  }

  /// Looks at the rooms whose time has come.
  func timeCame() {
    timerAt = nil
    let now = self.now
    while let (due, host) = dues.popDue(at: now) {
      guard host.queuedFor == due else { continue }
      host.queuedFor = nil
      if let wakeAt = host.wakeAt, wakeAt <= now {
        host.wakeAt = nil
        run(.timeCame, in: host)
      }
      touch(host)
    }
    armTimer()
  }
}
