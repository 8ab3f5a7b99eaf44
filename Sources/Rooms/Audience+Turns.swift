public import PadModel

extension Audience {
  /// Calls `send` for each member that gets the newest state now, at most once each.
  ///
  /// `send` gets the member's key and what to send; it answers whether the frame was taken. If not,
  /// the member counts as blocked. Call it once per turn of the loop; it allocates nothing, and costs
  /// what the members cost that get a frame, and a little for each class.
  public mutating func collect(
    at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) {
    if now >= roomDue { takeTurns(at: now, send) }
    if now >= catchUpDue { serveCatchingUp(at: now, send) }
    if now >= repeatDue { repeatLast(at: now, send) }
  }

  /// Gives one member that is about to go the newest state, whatever its rate, if it lacks it and can
  /// take it.
  public mutating func serveLast(
    _ slot: Slot, at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) {
    let listener = listeners[slot.index]
    let group = Int(listener.group)
    guard listener.isReady,
      listener.heard != self[classes[group].projection].changes
    else { return }
    serve(slot.index, of: group, at: now, send)
  }

  /// When ``collect(at:_:)`` should be called though nothing changes; nil if never.
  public var nextDue: Instant? {
    var next = min(repeatDue, catchUpDue)
    for group in classes
    where group.readyCount > 0 && group.heard != self[group.projection].changes {
      next = min(next, max(group.due, roomDue))
    }
    return count == 0 || next == .distantFuture ? nil : next
  }

  private mutating func takeTurns(
    at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) {
    for index in classes.indices where classes[index].due <= now {
      guard classes[index].heard != self[classes[index].projection].changes,
        takeTurn(of: index, at: now, send)
      else { continue }
      classes[index].due = now + classes[index].interval
      roomDue = now + roomInterval
    }
  }

  /// Sends the newest state to those of a class that lack it; whether anybody got it.
  private mutating func takeTurn(
    of index: Int, at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) -> Bool {
    var group = AudienceClass.placeholder
    swap(&group, &classes[index])
    defer { swap(&group, &classes[index]) }
    let changes = self[group.projection].changes
    group.heard = changes
    letDrawerWait(in: &group, index)
    var (place, sent) = (0, 0)
    while place < group.readyCount {
      let slot = Int(group.members[place])
      if listeners[slot].heard == changes {
        place += 1
      } else if group.rate > 0, group.mayServe(listeners[slot]) > now {
        wait(slot, until: group.mayServe(listeners[slot]))
        place += 1
      } else if send(listeners[slot].key, group.projection, group.format) {
        sent += 1
        if noteFrame(slot, of: group.projection, at: now) {
          hold(place, of: &group)
        } else {
          place += 1
        }
      } else {
        listeners[slot].isBlocked = true
        hold(place, of: &group)
      }
    }
    noteSent(sent, group.projection)
    return sent > 0
  }

  /// Moves the drawer behind the others that can take a frame, if it is of this class.
  private mutating func letDrawerWait(in group: inout AudienceClass, _ index: Int) {
    guard drawer >= 0, Int(listeners[drawer].group) == index else { return }
    let (place, last) = (Int(listeners[drawer].place), group.readyCount - 1)
    guard place < last else { return }
    group.members.swapAt(place, last)
    listeners[Int(group.members[place])].place = Int32(place)
    listeners[drawer].place = Int32(last)
  }

  /// A member that was served by itself a moment ago must not get more than its rate.
  private mutating func wait(_ slot: Int, until due: Instant) {
    catchUpDue = min(catchUpDue, due)
    guard !listeners[slot].isCatchingUp else { return }
    listeners[slot].isCatchingUp = true
    catchingUp.append(Int32(slot))
  }

  private mutating func noteSent(_ sent: Int, _ projection: Projection) {
    counts.sent += sent
    self[projection].lagging -= sent
  }

  /// Notes that a member has the newest state; whether its window is full now.
  private mutating func noteFrame(
    _ slot: Int, of projection: Projection, at now: Instant
  ) -> Bool {
    listeners[slot].heard = self[projection].changes
    listeners[slot].sentAt = now
    listeners[slot].isFresh = false
    let listener = listeners[slot]
    guard listener.ring >= 0 else { return false }
    let frames = Int(listener.unacknowledged)
    let base = Int(listener.ring) * window
    rings[base + (Int(listener.ringStart) + frames) % window] = self[projection].version
    listeners[slot].unacknowledged += 1
    guard frames + 1 == window else { return false }
    listeners[slot].isWindowFull = true
    self[projection].full += 1
    return true
  }

  /// Moves the member at `place` behind those that can take a frame.
  private mutating func hold(_ place: Int, of group: inout AudienceClass) {
    group.readyCount -= 1
    group.members.swapAt(place, group.readyCount)
    listeners[Int(group.members[place])].place = Int32(place)
    listeners[Int(group.members[group.readyCount])].place = Int32(group.readyCount)
  }

  private mutating func serveCatchingUp(
    at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) {
    catchUpDue = .distantFuture
    var kept = 0
    for place in catchingUp.indices {
      let slot = Int(catchingUp[place])
      let index = Int(listeners[slot].group)
      let due = classes[index].mayServe(listeners[slot])
      let isOwed =
        listeners[slot].isReady && listeners[slot].heard != self[classes[index].projection].changes
      if isOwed && due > now {
        catchUpDue = min(catchUpDue, due)
        catchingUp[kept] = Int32(slot)
        kept += 1
        continue
      }
      listeners[slot].isCatchingUp = false
      if isOwed { serve(slot, of: index, at: now, send) }
    }
    catchingUp.removeLast(catchingUp.count - kept)
  }

  private mutating func serve(
    _ slot: Int, of index: Int, at now: Instant,
    _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) {
    let (projection, format) = (classes[index].projection, classes[index].format)
    guard send(listeners[slot].key, projection, format) else {
      listeners[slot].isBlocked = true
      return hold(slot)
    }
    if noteFrame(slot, of: projection, at: now) { hold(slot) }
    noteSent(1, projection)
  }

  /// Repeats the last state to those that have heard nothing for ``Limits/pingAfter``.
  ///
  /// Each member's own silence counts. All are looked at in one go, and not again for a 32nd of that
  /// time, so that members who fell silent one by one don't cost a look at all for each.
  private mutating func repeatLast(
    at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) {
    var next = Instant.distantFuture
    for index in classes.indices {
      next = min(next, repeatLast(to: index, at: now, send))
    }
    repeatDue = max(next, now + repeatAfter / 32)
  }

  /// The same for one class; answers when one of its members will have been silent for too long.
  private mutating func repeatLast(
    to index: Int, at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) -> Instant {
    var group = AudienceClass.placeholder
    swap(&group, &classes[index])
    defer { swap(&group, &classes[index]) }
    let changes = self[group.projection].changes
    var (place, next) = (0, Instant.distantFuture)
    while place < group.readyCount {
      let slot = Int(group.members[place])
      let due = listeners[slot].sentAt + repeatAfter
      if due > now || listeners[slot].heard != changes {
        // One that lacks the newest state gets that, and soon.
        next = min(next, max(due, now))
        place += 1
      } else if send(listeners[slot].key, group.projection, group.format) {
        counts.repeated += 1
        next = min(next, now + repeatAfter)
        if noteFrame(slot, of: group.projection, at: now) {
          hold(place, of: &group)
        } else {
          place += 1
        }
      } else {
        listeners[slot].isBlocked = true
        hold(place, of: &group)
      }
    }
    return next
  }
}
