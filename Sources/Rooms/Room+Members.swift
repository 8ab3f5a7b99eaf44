import PadModel

extension Room {
  mutating func join(_ joining: Joining) {
    let connection = joining.connection
    if isDraining { return actions.append(.close(connection, .restart)) }
    if let shown = joining.shown, let old = roster.connection(showing: shown) {
      return replace(old, by: joining)
    }
    guard roster.count < limits.membersPerRoom else {
      return actions.append(.close(connection, .roomFull))
    }
    let (member, kept) = roster.admit(joining)
    if pen.isHeld(by: member.id) { pen.holderReturned() }
    welcome(member, connection)
    tellAgain(kept, to: connection)
  }

  /// A newer connection of a member takes the place of the older one, whose stroke is lost with it.
  private mutating func replace(_ old: ConnectionKey, by joining: Joining) {
    cancelStroke(of: old)
    guard let member = roster.replace(old, by: joining) else { return }
    actions.append(.close(old, .replaced))
    welcome(member, joining.connection)
    tellAgain(roster[joining.connection]?.told ?? [], to: joining.connection)
  }

  private mutating func welcome(_ member: Member, _ connection: ConnectionKey) {
    if !member.role.mayDraw { putPenDown(member.id) }
    // First what changed for the others, so that the newcomer starts with the newest version.
    publish()
    actions.append(.admit(connection, member.id, member.key))
    if penStatus.holder != nil { actions.append(.showPen(connection)) }
    bookkeeping.membersChanged = true
    bookkeeping.isDropAsked = false
  }

  mutating func leave(_ connection: ConnectionKey) {
    cancelStroke(of: connection)
    guard let member = roster.remove(connection) else { return }
    roster.depart(member)
    pen.dequeue(member.id)
    if pen.isHeld(by: member.id) { pen.holderLeft(keepUntil: now + limits.graceTime) }
    bookkeeping.membersChanged = true
    if roster.isEmpty { emptySince = now }
  }

  private mutating func expel(_ connection: ConnectionKey, _ reason: CloseReason) {
    leave(connection)
    actions.append(.close(connection, reason))
  }

  mutating func expelAll(_ reason: CloseReason) {
    // What changes by it goes out before anybody is sent away.
    cancelStroke()
    publish()
    for connection in Array(roster.connections).sorted() { expel(connection, reason) }
  }

  mutating func drain() {
    isDraining = true
    cancelStroke()
    publish()
    for connection in Array(roster.connections).sorted() { expelIfDrained(connection) }
  }

  /// While draining, closes a connection that waits for no verdict any more.
  mutating func expelIfDrained(_ connection: ConnectionKey) {
    guard isDraining, let member = roster[connection], !gate.awaitsVerdict(member.id) else {
      return
    }
    expel(connection, .restart)
  }

  /// Takes up what became of a bucket elsewhere, and tells those who are counted against it: a pad that
  /// counts down must not go on after a reset.
  mutating func changeBucket(_ bucket: BucketKey, _ status: BucketStatus) {
    guard status != buckets[bucket] ?? .clean else { return }
    buckets[bucket] = status
    for connection in Array(roster.connections).sorted()
    where roster[connection]?.bucket == bucket {
      guard let lockout = lockout(of: connection, at: now) else { continue }
      tell(connection, .lockout(lockout))
    }
  }

  mutating func changePolicy(_ changed: LockPolicy) {
    guard let old = policy else { return }
    settings.kind = .lock(changed)
    for (bucket, status) in changed.buckets { changeBucket(bucket, status) }
    guard old.mirror != changed.mirror else { return }
    expelAll(.roomClosed)
    isStealth = changed.mirror == .stealth
    stage = .idle
    notice = nil
    bookkeeping.penShown = PenStatus(holder: nil)
    tracker = blankTracker
    bookkeeping.openChanged = true
    bookkeeping.stealthChanged = true
  }
}
