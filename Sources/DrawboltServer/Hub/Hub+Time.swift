import PadModel
import Rooms
import Transport

/// What rooms want though nothing happens.
extension Hub {
  /// Queues the room for when it wants to be looked at, unless it is queued for then or sooner.
  ///
  /// Each entry is sooner than the room's others, so they are taken out in the order of a stack; and a
  /// far deadline stands in the queue once, however often a nearer one comes and goes before it.
  func arm(_ branch: RoomBranch) {
    guard let due = branch.due, due < branch.queued.last ?? .distantFuture else { return }
    branch.queued.append(due)
    dues.insert(branch, due: due)
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
    while let (due, branch) = dues.popDue(at: now) {
      guard branch.queued.last == due else { continue }
      branch.queued.removeLast()
      if let home = branch.home, let wakeAt = home.wakeAt, wakeAt <= now {
        home.wakeAt = nil
        run(.timeCame, in: branch)
      }
      touch(branch)
    }
    armTimer()
  }
}
