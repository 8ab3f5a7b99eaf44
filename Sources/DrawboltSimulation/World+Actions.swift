import PadModel
import Rooms
import Wire

// What rooms ask for.
extension World {
  func perform(_ action: RoomAction, in host: Host) {
    switch action {
    case .admit(let key, let member, let resume): admit(key, member, resume, host)
    case .close(let key, let reason):
      guard let place = host.members.firstIndex(where: { $0.key == key }) else { return }
      let connection = host.members[place]
      if !planted.strikes(.keepMember) { host.members.remove(at: place) }
      close(connection, reason)
    case .tell(let key, let message): tell(key, message, in: host)
    case .projectionChanged(let projection): changed(projection, in: host)
    case .setProjection(let key, let projection): setProjection(projection, of: key, in: host)
    case .membersChanged: flag(host) { $0.server.owesMembers = true }
    case .penChanged: flag(host) { $0.server.owesPen = true }
    case .showPen(let key):
      host.members.first { $0.key == key }?.server.owesPen = true
      host.owesFlags = true
    case .noteVerdict: break
    case .submit(let attempt): submit(attempt, in: host)
    case .claim(let claim, let member):
      plan(.claimed(host.number, claim, member), in: random.milliseconds(0...50))
    case .wake(let instant): host.wakeAt = min(host.wakeAt ?? instant, instant)
    case .drop: if !planted.strikes(.keepRoom) { drop(host) }
    }
  }

  private func flag(_ host: Host, _ change: (Connection) -> Void) {
    host.members.forEach(change)
    host.owesFlags = true
  }

  private func changed(_ projection: Projection, in host: Host) {
    if !planted.strikes(.staleFrame) { host.forgetFrames(of: projection) }
    if planted.strikes(.dropChange) { return }
    host.audience.changed(projection, version: host.room.version(projection), at: now)
  }

  private func setProjection(_ projection: Projection, of key: ConnectionKey, in host: Host) {
    guard let connection = host.members.first(where: { $0.key == key }),
      let slot = connection.slot
    else { return }
    host.audience.setProjection(slot, projection, at: now)
    connection.server.unacknowledged = []
  }

  private func admit(
    _ key: ConnectionKey, _ member: MemberID, _ resume: ResumeKey, _ host: Host
  ) {
    guard let connection = host.members.first(where: { $0.key == key }),
      case .joining(let hello) = connection.stage
    else { return violated(.seesItsOwn, "one was admitted that is not joining") }
    note(.joined, key, size: Int(member.number))
    let projection = host.room.projection(of: key)
    let watches = hello.role.mayWatch
    let slot = watches ? enter(connection, hello, projection, host) : nil
    connection.stage = .member(host, member, slot)
    connection.joinedAt = now
    connection.isInStealth = host.isStealth
    let state = watches ? host.room.state(projection) : RoomState(version: 0, phase: .idle)
    connection.server.projection = projection
    connection.server.version = state.version
    tell(
      connection,
      .welcome(
        Welcome(
          member: member, resume: resume, room: host.name, role: hello.role,
          pad: host.room.settings.pad, limits: limits, state: state,
          lockout: hello.role.mayDraw ? host.room.lockout(of: key, at: now) : nil,
          grantKey: hello.role == .actuator
            ? GrantKey(id: 1, publicKey: [UInt8](repeating: 9, count: 32)) : nil)))
    offerAgain(to: connection, in: host)
  }

  private func enter(
    _ connection: Connection, _ hello: Hello, _ projection: Projection, _ host: Host
  ) -> Audience.Slot {
    let watchers = host.members.filter { $0.slot != nil }
    host.books.mostWatchers = max(host.books.mostWatchers, watchers.count + 1)
    if hello.acknowledges {
      let others = watchers.count { $0.person.acknowledges }
      host.books.mostAcknowledging = max(host.books.mostAcknowledging, others + 1)
    }
    return host.audience.add(
      key: connection.key, projection: projection,
      format: connection.person.format == .binary ? .binary : .json, maxRate: hello.maxRate,
      acknowledges: hello.acknowledges, at: now)
  }

  private func tell(_ key: ConnectionKey, _ message: ServerMessage, in host: Host) {
    guard let connection = host.members.first(where: { $0.key == key }) else { return }
    if message.isRecord { connection.server.records += 1 }
    if case .verdict = message {
      if planted.strikes(.loseVerdict) { return }
      if let other = host.members.first(where: { $0.key != key }),
        planted.strikes(.verdictToAnother)
      {
        other.server.records += 1
        tell(other, message)
      }
    }
    plantGrants(message, to: connection, in: host)
    tell(connection, message)
  }

  /// Harm that a planted bug does with grants.
  private func plantGrants(_ message: ServerMessage, to connection: Connection, in host: Host) {
    switch message {
    case .offerGrant(let id): keptOffer = (host.number, id)
    case .grant:
      let other = host.members.first { $0.key != connection.key && $0.person.role == .actuator }
      if let other, planted.strikes(.grantToAnother) {
        other.server.records += 1
        tell(other, message)
      }
    default: break
    }
  }

  private func offerAgain(to connection: Connection, in host: Host) {
    guard let keptOffer, keptOffer.room == host.number, connection.person.role == .actuator,
      planted.strikes(.queueGrant)
    else { return }
    connection.server.records += 1
    tell(connection, .offerGrant(keptOffer.id))
  }

  private func submit(_ attempt: Attempt, in host: Host) {
    note(.submitted, attempt.connection, size: attempt.nodes.count)
    let job = vault.take(attempt, lock: host.name, room: host.number)
    plan(.vault(job), in: random.milliseconds(0...10))
  }

  /// An attempt's next step.
  func goOn(_ job: Int) {
    for host in hosts { host.isChanged = true }
    switch vault.goOn(job, at: now, &planted, &random) {
    case .goesOn(let pause)?:
      note(.reserved, UInt64(job))
      plan(.vault(job), in: pause)
    case .ends(let job, let report, let times)?:
      note(.answered, job.attempt.connection, size: times)
      // The room may be gone.
      guard let host = host(job.room) else { return }
      for _ in 0..<times { run(.verdictReached(job.attempt.ticket, report), in: host) }
    case .isLost?, nil: break
    }
  }

  /// The answer to an actuator's claim.
  func claimed(_ room: Int, _ claim: GrantClaim, _ member: MemberID) {
    guard let host = host(room) else { return }
    if let grant = vault.claim(claim, lock: host.name, audience: member, at: now) {
      note(.signed, UInt64(member.number))
      run(.grantSigned(grant), in: host)
    } else {
      run(.grantRefused(claim.id), in: host)
    }
  }

  func drop(_ host: Host) {
    checkDrop(host)
    note(.dropped, UInt64(host.number))
    tally.roomsDropped += 1
    tally.released += host.referee.released
    tally.reserved += vault.ledgers[host.number]?.reserved ?? 0
    hosts.removeAll { $0 === host }
  }
}

extension ServerMessage {
  /// Whether it must not be lost.
  var isRecord: Bool {
    switch self {
    case .verdict, .offerGrant, .grant: true
    default: false
    }
  }
}
