import PadModel

/// How much an audience keeps, free places among it.
package struct AudienceFootprint: Equatable, Sendable {
  /// Places of members.
  package let slots: Int
  /// Rings of versions.
  package let rings: Int
  /// Classes of members.
  package let classes: Int
  /// Members to be served by themselves.
  package let catchingUp: Int
}

// Who stands where: slots, rings, classes.
extension Audience {
  /// What its storage has grown to, so that a leak shows.
  package var footprint: AudienceFootprint {
    AudienceFootprint(
      slots: listeners.count, rings: rings.count / window, classes: classes.count,
      catchingUp: catchingUp.count)
  }

  subscript(projection: Projection) -> ProjectionLedger {
    get { projection == .open ? open : stealth }
    _modify {
      if projection == .open { yield &open } else { yield &stealth }
    }
  }

  mutating func takeSlot(for listener: Listener) -> Int {
    if let free = freeSlots.popLast() {
      listeners[Int(free)] = listener
      return Int(free)
    }
    listeners.append(listener)
    // So that no turn ever has to grow it.
    if catchingUp.capacity < listeners.count { catchingUp.reserveCapacity(2 * listeners.count) }
    return listeners.count - 1
  }

  mutating func takeRing() -> Int32 {
    if let free = freeRings.popLast() { return free }
    rings.append(contentsOf: repeatElement(0, count: window))
    return Int32(rings.count / window - 1)
  }

  /// The class of such members: an existing one, or an empty one that is made over.
  mutating func classIndex(
    _ projection: Projection, _ format: FrameFormat, rate: Int
  ) -> Int32 {
    var empty: Int?
    for (index, group) in classes.enumerated() {
      if group.projection == projection && group.format == format && group.rate == rate {
        return Int32(index)
      }
      if group.members.isEmpty { empty = index }
    }
    let fresh = AudienceClass(
      projection: projection, format: format, rate: rate, heard: self[projection].changes)
    if let empty {
      classes[empty] = fresh
      return Int32(empty)
    }
    classes.append(fresh)
    return Int32(classes.count - 1)
  }

  /// Takes a member out of its projection's ledger; whether the newest state was due to it.
  mutating func settle(_ listener: Listener) -> Bool {
    let projection = classes[Int(listener.group)].projection
    let isLagging = listener.heard != self[projection].changes
    self[projection].members -= 1
    if listener.isWindowFull {
      self[projection].full -= 1
      if isLagging { self[projection].laggingFull -= 1 }
    } else if isLagging {
      self[projection].lagging -= 1
    }
    return isLagging
  }

  /// Puts a member into its class.
  mutating func enter(_ index: Int) {
    let group = Int(listeners[index].group)
    listeners[index].place = Int32(classes[group].members.count)
    classes[group].members.append(Int32(index))
    if listeners[index].isReady { unhold(index) }
  }

  /// Takes a member out of its class.
  mutating func leave(_ index: Int) {
    hold(index)
    let group = Int(listeners[index].group)
    exchange(group, Int(listeners[index].place), classes[group].members.count - 1)
    classes[group].members.removeLast()
  }

  /// Moves a member behind those that can take a frame, if it is not there.
  mutating func hold(_ index: Int) {
    let (group, place) = (Int(listeners[index].group), Int(listeners[index].place))
    guard place < classes[group].readyCount else { return }
    classes[group].readyCount -= 1
    exchange(group, place, classes[group].readyCount)
  }

  /// Moves a member among those that can take a frame, if it is not there.
  mutating func unhold(_ index: Int) {
    let (group, place) = (Int(listeners[index].group), Int(listeners[index].place))
    guard place >= classes[group].readyCount else { return }
    exchange(group, place, classes[group].readyCount)
    classes[group].readyCount += 1
  }

  mutating func exchange(_ group: Int, _ one: Int, _ other: Int) {
    classes[group].members.swapAt(one, other)
    listeners[Int(classes[group].members[one])].place = Int32(one)
    listeners[Int(classes[group].members[other])].place = Int32(other)
  }

  mutating func becameReady(_ index: Int, at now: Instant) {
    guard listeners[index].isReady else { return }
    unhold(index)
    repeatDue = min(repeatDue, max(now, listeners[index].sentAt + repeatAfter))
    catchUp(index, at: now)
  }

  /// Has a member that can take a frame and lacks the newest state served by itself.
  mutating func catchUp(_ index: Int, at now: Instant) {
    let listener = listeners[index]
    let group = classes[Int(listener.group)]
    guard listener.isReady, listener.heard != self[group.projection].changes else { return }
    catchUpDue = min(catchUpDue, max(now, group.mayServe(listener)))
    guard !listener.isCatchingUp else { return }
    listeners[index].isCatchingUp = true
    catchingUp.append(Int32(index))
  }
}
