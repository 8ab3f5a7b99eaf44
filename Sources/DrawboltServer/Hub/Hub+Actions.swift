import PadModel
import Rooms
import Transport
import Vault
import Wire

/// What rooms ask for.
extension Hub {
  /// Does what a room that is at home here asks for, or has the connection's loop do it.
  func perform(_ action: RoomAction, in branch: RoomBranch, at now: Instant) {
    switch action {
    case .admit(let key, let member, let resume): admit(key, member, resume, branch, now)
    case .close(let key, let reason):
      if isHere(key) { return close(key, reason) }
      change(branch, for: key) { $0.close(key, reason, branch) }
    case .tell(let key, let message):
      if isHere(key) { return tell(key, message) }
      change(branch, for: key) { $0.tell(key, message) }
    case .projectionChanged(let projection): branch.projectionChanged(projection, at: now)
    case .setProjection(let key, let projection):
      if isHere(key) { return setProjection(key, projection, in: branch, at: now) }
      change(branch, for: key) { $0.setProjection(key, projection, branch) }
    case .membersChanged, .penChanged, .showPen: owe(action, in: branch)
    case .noteVerdict(let outcome, let bucket, let isRefusal):
      note(outcome, of: bucket, isRefusal: isRefusal, in: branch)
    case .submit(let attempt): submit(attempt, in: branch)
    case .claim(let claim, let audience): sign(claim, audience: audience, in: branch)
    case .wake(let instant):
      branch.home?.wakeAt = min(branch.home?.wakeAt ?? instant, instant)
    case .drop: drop(branch)
    }
  }

  private func owe(_ action: RoomAction, in branch: RoomBranch) {
    switch action {
    case .membersChanged:
      branch.flag { $0.owesMembers = true }
      if let members = branch.members { changeAll(branch) { $0.show(members) } }
    case .penChanged:
      branch.flag { $0.owesPen = true }
      if let pen = branch.pen { changeAll(branch) { $0.show(pen) } }
    case .showPen(let key):
      if isHere(key) { return branch.owePen(to: key) }
      if let pen = branch.pen { change(branch, for: key) { $0.show(pen, to: key) } }
    default: break
    }
  }

  func tell(_ key: ConnectionKey, _ message: ServerMessage) {
    if let session = sessions[ConnectionID(rawValue: key)] { tell(session, message) }
  }

  func close(_ key: ConnectionKey, _ reason: PadModel.CloseReason) {
    if let session = sessions[ConnectionID(rawValue: key)] { close(session, reason) }
  }

  func setProjection(
    _ key: ConnectionKey, _ projection: Projection, in branch: RoomBranch, at now: Instant
  ) {
    guard let slot = branch.sessions[key]?.slot else { return }
    branch.audience.setProjection(slot, projection, at: now)
    branch.forgetUnseen()
  }

  /// Admits the guest who has just knocked.
  private func admit(
    _ key: ConnectionKey, _ member: MemberID, _ resume: ResumeKey, _ branch: RoomBranch,
    _ now: Instant
  ) {
    guard let guest, guest.connection == key, let home = branch.home else { return }
    let projection = guest.role.mayWatch ? home.room.projection(of: key) : nil
    let admittance = Admittance(
      connection: key, member: member, resume: resume, projection: projection,
      state: projection.map(home.room.state) ?? RoomState(version: 0, phase: .idle),
      lockout: home.room.lockout(of: key, at: now), pad: branch.pad)
    guard isHere(key) else {
      return change(branch, for: key) { $0.admit(admittance, guest.format) }
    }
    guard let session = sessions[ConnectionID(rawValue: key)],
      case .joining(let hello) = session.stage
    else { return }
    admit(admittance, hello, session, to: branch)
  }

  /// Makes a connection of this loop the member that the room's home took in.
  func admit(
    _ admittance: Admittance, _ hello: Hello, _ session: Session, to branch: RoomBranch
  ) {
    let slot = admittance.projection.map { projection in
      if branch.home == nil { branch.show(projection, Picture(admittance.state), at: now) }
      return branch.audience.add(
        key: session.key, projection: projection, format: session.format.frameFormat,
        maxRate: hello.maxRate, acknowledges: hello.acknowledges, at: now)
    }
    session.stage = .member(branch, admittance.member, hello.role, slot)
    branch.sessions[session.key] = session
    memberCount += 1
    tell(
      session,
      .welcome(
        Welcome(
          member: admittance.member, resume: admittance.resume, room: branch.name,
          role: hello.role, pad: branch.pad, limits: limits, state: admittance.state,
          lockout: admittance.lockout,
          grantKey: hello.role == .actuator ? service.vault.grantKey : nil)))
    service.log(
      .memberJoined(
        room: branch.name, member: admittance.member, role: hello.role, name: hello.name))
  }

  /// Sends `members` and `pen` to those who are owed them and can take them, each encoded once.
  func sendFlags(of branch: RoomBranch) {
    branch.owesFlags = false
    var members: Frame?
    var pen: Frame?
    for session in branch.sessions.values where session.owesMembers || session.owesPen {
      guard case .member(_, _, let role, _) = session.stage, loop.isWritable(session.id) else {
        continue
      }
      if session.owesMembers, role.mayReceive(.members), let newest = branch.members {
        let frame = members ?? textFrame(.members(newest))
        members = frame
        loop.send(frame, to: session.id, .queued)
      }
      if session.owesPen, role.mayReceive(.pen), let newest = branch.pen {
        let frame = pen ?? textFrame(.pen(newest))
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

  func drop(_ branch: RoomBranch) {
    guard rooms[branch.name] === branch, let home = branch.home else { return }
    rooms[branch.name] = nil
    branch.queued = []
    service.census.dropped(opener: home.opener)
    statistics.departed += branch.audience.counters
    statistics.roomsDropped += 1
    service.log(.roomDropped(branch.name))
  }
}
