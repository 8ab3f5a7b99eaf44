public import PadModel

/// What a room remembers about what it has told and asked for.
struct Bookkeeping: Equatable, Sendable {
  /// Versions of the two projections; each wraps and counts its own.
  var openVersion: UInt32 = 0
  var stealthVersion: UInt32 = 0
  var openChanged = false
  var stealthChanged = false
  /// The connection that was told to see a stealth room's open projection.
  var insider: ConnectionKey?
  /// What the last `pen` said.
  var penShown = PenStatus(holder: nil)
  /// When as many `pen` messages as at first may go out at once again.
  var penRestedAt = Instant.zero
  var membersChanged = false
  var membersAllowedAt = Instant.zero
  var isDropAsked = false
  /// When the next thing becomes due.
  var due = Instant.distantFuture
  /// The wake that was asked for and has not come.
  var pendingWake = Instant.distantFuture
}

extension Room {
  /// Does what has become due.
  mutating func passTime() {
    moveStageOn()
    if let notice, notice.until <= now {
      self.notice = nil
      bookkeeping.stealthChanged = true
    }
    if pen.deadline <= now { passPenOn() }
    lapseGrants()
  }

  private mutating func moveStageOn() {
    guard stage.deadline <= now else { return }
    if case .drawing(let stroke) = stage {
      if !isBoard { rests = (stroke.member, now + limits.pressedPenKept) }
      return end(stroke, .cancelled)
    }
    stage = .idle
    tracker = blankTracker
    bookkeeping.openChanged = true
  }

  /// Publishes what changed and asks for the next wake.
  mutating func settle() {
    concludeOverdue()
    forgetDeparted()
    publish()
    showPen()
    showMembers()
    if !bookkeeping.isDropAsked && mayBeDropped(at: now) {
      bookkeeping.isDropAsked = true
      actions.append(.drop)
    }
    bookkeeping.due = nextDeadline
    guard bookkeeping.due < bookkeeping.pendingWake else { return }
    bookkeeping.pendingWake = bookkeeping.due
    actions.append(.wake(at: bookkeeping.due))
  }

  /// Counts a version for each projection that changed, and tells who sees another from now on.
  mutating func publish() {
    if bookkeeping.openChanged {
      bookkeeping.openChanged = false
      bookkeeping.openVersion &+= 1
      actions.append(.projectionChanged(.open))
    }
    if bookkeeping.stealthChanged {
      bookkeeping.stealthChanged = false
      bookkeeping.stealthVersion &+= 1
      actions.append(.projectionChanged(.stealth))
    }
    let (before, after) = (bookkeeping.insider, insider)
    guard before != after else { return }
    bookkeeping.insider = after
    if let before, roster[before] != nil { actions.append(.setProjection(before, .stealth)) }
    if let after { actions.append(.setProjection(after, .open)) }
  }

  private mutating func showMembers() {
    guard bookkeeping.membersChanged, !isDraining, !roster.isEmpty,
      now >= bookkeeping.membersAllowedAt
    else { return }
    bookkeeping.membersChanged = false
    bookkeeping.membersAllowedAt = now + limits.membersInterval
    actions.append(.membersChanged)
  }

  private mutating func showPen() {
    let status = currentPen
    guard status != bookkeeping.penShown, now >= penAllowedAt else { return }
    bookkeeping.penShown = status
    bookkeeping.penRestedAt = max(bookkeeping.penRestedAt, now) + limits.penInterval
    if !roster.isEmpty { actions.append(.penChanged) }
  }

  /// When the next `pen` may go out: some at once, and then one an interval.
  private var penAllowedAt: Instant {
    let ahead = limits.penInterval * (limits.penBurst - 1)
    return Instant(nanoseconds: bookkeeping.penRestedAt.nanoseconds - ahead.nanosecondsClamped)
  }

  private var nextDeadline: Instant {
    var next = min(stage.deadline, pen.deadline, gate.nextDeadline, roster.nextDeadline)
    if let notice { next = min(next, notice.until) }
    for grant in grants { next = min(next, grant.lapsesAt) }
    if bookkeeping.membersChanged && !isDraining && !roster.isEmpty {
      next = min(next, bookkeeping.membersAllowedAt)
    }
    if penAllowedAt > now, currentPen != bookkeeping.penShown { next = min(next, penAllowedAt) }
    if isVacant && !bookkeeping.isDropAsked { next = min(next, emptySince + limits.graceTime) }
    return next
  }

  /// Forgets members that left and for whom nothing waits any more.
  private mutating func forgetDeparted() {
    guard !roster.departed.isEmpty else { return }
    let (gate, grants, pen) = (gate, grants, pen)
    roster.forget(at: now) { id in
      gate.awaitsVerdict(id) || grants.contains { $0.drawer == id } || pen.isHeld(by: id)
    }
  }

  /// Whether nobody is here or waited for and no answer is to come.
  private var isVacant: Bool {
    roster.isEmpty && roster.departed.isEmpty && gate.isEmpty && grants.isEmpty
  }

  /// Whether the room may be forgotten: nobody is here, and nothing waits, since `Limits.graceTime`.
  ///
  /// ``RoomAction/drop`` says the same when the time comes.
  public func mayBeDropped(at now: Instant) -> Bool {
    isVacant && now >= emptySince + limits.graceTime
  }
}
