import PadModel
import Rooms

// What must be true after every step.
extension World {
  func checkStep() {
    for host in hosts {
      holds { () throws(Violation) in
        if host.isChanged { try checkChanged(host) }
        try checkVacancy(host)
        try host.referee.checkTime(now)
        if touched.isEmpty { try checkLag(host) }
      }
    }
    if vault.buckets.values.contains(where: { !$0.isSound }) {
      violated(.failures, "a bucket's failures are not what was counted")
    }
  }

  private func checkChanged(_ host: Host) throws(Violation) {
    host.isChanged = false
    try checkDrawer(host)
    try checkMemory(host)
    try checkBooks(host)
    try checkLedger(host)
  }

  /// One draws in a room of a name, and what is drawn is its own.
  private func checkDrawer(_ host: Host) throws(Violation) {
    guard let key = host.referee.drawing else { return }
    let stroke = host.ask { $0.state(.open).stroke }
    guard connections[key]?.client.pressed.contains(stroke) == true else {
      throw Violation(.onePenHolder, "the drawer did not press stroke \(stroke)")
    }
    let others = hosts.filter { $0.name == host.name && $0.referee.drawing != nil }
    guard others.count == 1 else { throw Violation(.onePenHolder, "two draw in one room") }
  }

  /// What the room and its audience keep is what those cost that are here.
  private func checkMemory(_ host: Host) throws(Violation) {
    let (counts, entries) = host.ask { ($0.counts, $0.rosterEntries) }
    let members = host.members.count
    guard counts.members == members, entries.allSatisfy({ $0 == members }) else {
      throw Violation(.memory, "\(members) members, the room has \(counts.members), \(entries)")
    }
    guard counts.departed <= counts.verdictsKept + counts.attempts + counts.grants + 1,
      counts.penQueue <= members, counts.attempts <= 2 * (1 + limits.attemptsWaitingPerBucket)
    else { throw Violation(.memory, "more waits than can be waited for") }
    let (size, count) = host.askAudience { ($0.footprint, $0.count) }
    let watchers = host.members.count { $0.slot != nil }
    guard count == watchers, size.slots <= host.books.mostWatchers,
      size.rings <= host.books.mostAcknowledging, size.classes <= host.books.mostWatchers + 1,
      size.catchingUp <= watchers
    else { throw Violation(.memory, "\(watchers) watchers cost \(size)") }
    for connection in host.members {
      guard connection.down.bytes <= connection.person.capacity + limits.controlQueueBytes else {
        throw Violation(.memory, "\(connection.down.bytes) bytes wait for one connection")
      }
    }
  }

  private func checkBooks(_ host: Host) throws(Violation) {
    let all = host.askAudience { $0.counters }
    guard
      all.offered == all.sent + all.coalesced + all.withheld + all.pending + all.departed,
      all.sent + all.repeated == host.books.frames,
      all.strayAcknowledgements == host.books.strays
    else { throw Violation(.books, "\(all), \(host.books.frames) frames were sent") }
  }

  /// Reservations = strokes released with enough nodes − refusals before the reservation, and without
  /// those that are still on their way there.
  private func checkLedger(_ host: Host) throws(Violation) {
    let ledger = vault.ledgers[host.number] ?? Ledger()
    let referee = host.referee
    let waiting = host.ask { $0.counts.attempts } - referee.inFlight
    let due = referee.released - referee.refused - ledger.refused
    let reserved = due - waiting - vault.undecided(room: host.number)
    guard ledger.reserved == reserved else {
      throw Violation(.reservations, "\(ledger.reserved) instead of \(reserved)")
    }
  }

  /// A room that nobody needs is forgotten in time.
  private func checkVacancy(_ host: Host) throws(Violation) {
    guard host.members.isEmpty else {
      host.books.emptySince = nil
      host.books.vacantSince = nil
      return
    }
    let emptySince = host.books.emptySince ?? now
    host.books.emptySince = emptySince
    guard host.ask({ $0.counts.isEmpty }) else {
      host.books.vacantSince = nil
      return
    }
    let vacantSince = host.books.vacantSince ?? now
    host.books.vacantSince = vacantSince
    let last = max(vacantSince, emptySince + limits.graceTime) + .milliseconds(2 * Self.mostLate)
    guard now <= last else { throw Violation(.roomsDropped, "a room that nobody needs stays") }
  }

  func checkDrop(_ host: Host) {
    if host.isRemoved { return }
    let emptySince = host.books.emptySince ?? now
    if !host.members.isEmpty || !host.room.counts.isEmpty || host.audience.count > 0 {
      violated(.roomsDropped, "a room was forgotten that somebody needs")
    } else if now < emptySince + limits.graceTime {
      violated(.roomsDropped, "a room was forgotten too soon")
    }
  }

  /// Whoever can take the newest state gets it within what its rate and the room's allow.
  private func checkLag(_ host: Host) throws(Violation) {
    for connection in host.members where connection.slot != nil {
      guard !hasNewest(connection, host), !connection.server.isBlocked, !isFull(connection) else {
        connection.server.lagsSince = nil
        try checkSilence(connection)
        continue
      }
      let since = connection.server.lagsSince ?? now
      connection.server.lagsSince = since
      guard now == since || now <= since + connection.mostLag else {
        throw Violation(.converges, "no newest state for \(now - since)")
      }
    }
  }

  /// After silence the last state is repeated to those who can take it.
  private func checkSilence(_ connection: Connection) throws(Violation) {
    guard !connection.server.isBlocked, !isFull(connection) else {
      connection.server.readySince = now
      return
    }
    let last = connection.server.lastStateAt ?? connection.joinedAt
    guard now.nanoseconds - last.nanoseconds > pingAfter else { return }
    let due = max(last + limits.pingAfter, connection.server.readySince)
    guard now <= due + limits.pingAfter / 32 + connection.mostLag else {
      throw Violation(.converges, "nothing was repeated for \(now - last)")
    }
  }

  func hasNewest(_ connection: Connection, _ host: Host) -> Bool {
    let (projection, version) = host.ask { room in
      let projection = room.projection(of: connection.key)
      return (projection, room.version(projection))
    }
    return connection.server.projection == projection && connection.server.version == version
  }

  private func isFull(_ connection: Connection) -> Bool {
    connection.person.acknowledges
      && connection.server.unacknowledged.count >= limits.unacknowledgedFrames
  }

  /// The longest that a state may wait for one who can take it, by its own rate and the room's.
  func mostLag(_ person: Person) -> Duration {
    let rate = person.maxRate.map { Duration.seconds(1) / $0 } ?? .zero
    let room = Duration.nanoseconds(1_000_000_000 / limits.roomFramesPerSecond)
    return rate + room * 2 + .milliseconds(2 * Self.mostLate)
  }

  /// No more frames than a member takes: called before each.
  func checkPace(of connection: Connection, isLast: Bool) {
    if isFull(connection) { violated(.pace, "a state into a full window") }
    guard !isLast, let last = connection.server.lastStateAt else { return }
    if connection.server.lastTurn == turn { violated(.pace, "two states in one turn") }
    guard let rate = connection.person.maxRate else { return }
    if now - last < .nanoseconds(1_000_000_000 / rate) {
      violated(.pace, "\(rate) states a second were asked for, one came after \(now - last)")
    }
  }
}

// What must be true when all has come to rest.
extension World {
  func checkRest() {
    for host in hosts {
      holds { () throws(Violation) in try host.referee.checkRest(host.room) }
    }
    for connection in allConnections {
      guard !connection.isCut, let host = connection.host else { continue }
      holds { () throws(Violation) in try checkView(connection, host) }
    }
  }

  /// What a client shows is what is so, and it has heard all that was told to it.
  private func checkView(_ connection: Connection, _ host: Host) throws(Violation) {
    let (view, room) = (connection.view, host.room)
    guard view.records == connection.server.records else {
      throw Violation(
        .oneAnswer, "\(connection.server.records) records told, \(view.records) heard")
    }
    guard !connection.server.isBlocked, view.members == room.members else {
      throw Violation(.converges, "a member that can hear does not")
    }
    guard connection.slot != nil else { return }
    guard view.state == room.state(room.projection(of: connection.key)) else {
      throw Violation(.converges, "another state than the room's is shown")
    }
    let pen = view.pen ?? PenStatus(holder: nil)
    guard host.isStealth || pen == room.currentPen else {
      let (shown, held) = (Self.words(pen), Self.words(room.currentPen))
      throw Violation(.converges, "\(shown) with the pen is shown, but it is \(held)")
    }
  }

  private static func words(_ pen: PenStatus) -> String {
    "\(pen.holder?.description ?? "nobody") and \(pen.waiting)"
  }

  /// Whether nothing new is on its way, nobody waits, and nothing will be done but at some room's time.
  var isAtRest: Bool {
    vault.isIdle && touched.isEmpty && timeline.next ?? .distantFuture > now
      && hosts.allSatisfy { host in
        host.ask { $0.counts.grants == 0 }
          && host.members.allSatisfy { $0.slot == nil || hasNewest($0, host) || $0.isCut }
      }
      && connections.values.allSatisfy { $0.isCut || $0.isCalm }
  }

  /// What rooms show besides their states, and to whom.
  var shown: [[String]] {
    hosts.map { host in
      let (pen, members) = (host.room.currentPen, host.room.members)
      return ["\(pen)", "\(members)", "\(host.number)", "\(host.members.map(\.key))"]
    }
  }
}
