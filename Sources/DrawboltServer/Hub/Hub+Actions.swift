import PadModel
import Rooms
import Transport
import Vault
import Wire

/// What rooms ask for.
extension Hub {
  func perform(_ action: RoomAction, in host: RoomHost, at now: Instant) {
    switch action {
    case .admit(let key, let member, let resume): admit(key, member, resume, host, now)
    case .close(let key, let reason):
      if let session = host.sessions.removeValue(forKey: key) { close(session, reason) }
    case .tell(let key, let message):
      if let session = host.sessions[key] { tell(session, message) }
    case .projectionChanged(let projection): host.projectionChanged(projection, at: now)
    case .setProjection(let key, let projection):
      if let slot = host.sessions[key]?.slot {
        host.audience.setProjection(slot, projection, at: now)
      }
    case .membersChanged: flag(host) { $0.owesMembers = true }
    case .penChanged: flag(host) { $0.owesPen = true }
    case .showPen(let key):
      host.sessions[key]?.owesPen = true
      host.owesFlags = true
    case .noteVerdict(let outcome, let isRefusal): note(outcome, isRefusal: isRefusal, in: host)
    case .submit(let attempt): submit(attempt, in: host)
    case .claim(let claim, let audience): sign(claim, audience: audience, in: host)
    case .wake(let instant): host.wakeAt = min(host.wakeAt ?? instant, instant)
    case .drop: drop(host)
    }
  }

  private func flag(_ host: RoomHost, _ change: (Session) -> Void) {
    host.sessions.values.forEach(change)
    host.owesFlags = true
  }

  private func admit(
    _ key: ConnectionKey, _ member: MemberID, _ resume: ResumeKey, _ host: RoomHost, _ now: Instant
  ) {
    guard let session = host.sessions[key], case .joining(let hello) = session.stage else { return }
    let projection = host.room.projection(of: key)
    let watches = hello.role.mayWatch
    let slot = watches ? enter(session, hello, projection, host, now) : nil
    session.stage = .member(host, member, hello.role, slot)
    memberCount += 1
    let state = watches ? host.room.state(projection) : RoomState(version: 0, phase: .idle)
    tell(
      session,
      .welcome(
        Welcome(
          member: member, resume: resume, room: host.name, role: hello.role,
          pad: host.room.settings.pad, limits: limits, state: state,
          lockout: hello.role.mayDraw ? host.room.lockout(of: key, at: now) : nil,
          grantKey: hello.role == .actuator ? service.vault.grantKey : nil)))
    service.log(
      .memberJoined(room: host.name, member: member, role: hello.role, name: hello.name))
  }

  private func enter(
    _ session: Session, _ hello: Hello, _ projection: Projection, _ host: RoomHost, _ now: Instant
  ) -> Audience.Slot {
    host.audience.add(
      key: session.key, projection: projection, format: session.format.frameFormat,
      maxRate: hello.maxRate, acknowledges: hello.acknowledges, at: now)
  }

  /// Sends `members` and `pen` to those who are owed them and can take them, each encoded once.
  func sendFlags(of host: RoomHost) {
    host.owesFlags = false
    var members: Frame?
    var pen: Frame?
    for session in host.sessions.values where session.owesMembers || session.owesPen {
      guard case .member(_, _, let role, _) = session.stage, loop.isWritable(session.id) else {
        continue
      }
      if session.owesMembers, role.mayReceive(.members) {
        let frame = members ?? textFrame(.members(host.room.members))
        members = frame
        loop.send(frame, to: session.id, .queued)
      }
      if session.owesPen, role.mayReceive(.pen) {
        let frame = pen ?? textFrame(.pen(host.room.penStatus))
        pen = frame
        loop.send(frame, to: session.id, .queued)
      }
      session.owesMembers = false
      session.owesPen = false
    }
  }

  private func textFrame(_ message: ServerMessage) -> Frame {
    var bytes: [UInt8] = []
    ServerMessageEncoder.encode(message, as: .json, into: &bytes)
    return Frame.text(bytes.span)
  }

  func drop(_ host: RoomHost) {
    guard rooms[host.name] === host else { return }
    rooms[host.name] = nil
    host.queued = []
    if let opener = host.opener {
      boardsOpened[opener, default: 1] -= 1
      if boardsOpened[opener] == 0 { boardsOpened[opener] = nil }
    }
    statistics.departed += host.audience.counters
    statistics.roomsDropped += 1
    service.log(.roomDropped(host.name))
  }
}
