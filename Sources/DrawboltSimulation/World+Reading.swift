import PadModel
import Rooms
import Wire

// What people are shown, and whether they may be.
extension World {
  /// A client looks at what came.
  func read(_ connection: Connection) {
    connection.isReadingPlanned = false
    guard !connection.isCut else { return }
    guard connection.stalledUntil <= now else { return planReading(connection) }
    while let parcel = connection.down.take(at: now) {
      switch parcel {
      case .message(let bytes, let isText, let message):
        decode(bytes, isText: isText, message, on: connection)
      case .close(let reason): return closed(connection, reason)
      }
    }
    if connection.server.isBlocked, connection.down.bytes <= connection.person.capacity / 2 {
      plan(.writable(connection.key), in: .zero)
    }
    planReading(connection)
  }

  private func decode(
    _ bytes: [UInt8], isText: Bool, _ message: ServerMessage, on connection: Connection
  ) {
    do throws(WireError) {
      let format = connection.person.format
      let decoded = try connection.view.decoder.decode(bytes, isText: isText, format: format)
      guard decoded == message else {
        return violated(.wire, "a server's message of \(bytes.count) bytes is another")
      }
      holds { () throws(Violation) in try show(decoded, on: connection) }
    } catch {
      violated(.wire, "a server's message was refused: \(error.name)")
    }
  }

  private func show(_ message: ServerMessage, on connection: Connection) throws(Violation) {
    if message.isRecord { connection.view.records += 1 }
    guard connection.person.role.mayReceive(message.kind) else {
      throw Violation(.seesItsOwn, "\(message.kind) to one whose role may have none")
    }
    switch message {
    case .welcome(let welcome): try show(welcome, on: connection)
    case .members(let members): try show(members, on: connection)
    case .pen(let status):
      guard !connection.isInStealth else {
        throw Violation(.seesItsOwn, "a pen where none is shown")
      }
      connection.view.pen = status
    case .state(let state): try show(state, on: connection)
    case .verdict(let verdict): try show(verdict, on: connection)
    case .offerGrant(let id): try show(offer: id, on: connection)
    case .grant(let grant): try show(grant, on: connection)
    case .lockout, .device, .enrol, .error: break
    case .goAway:
      guard isDraining else { throw Violation(.seesItsOwn, "sent away without a reason") }
    }
  }

  private func show(_ welcome: Welcome, on connection: Connection) throws(Violation) {
    guard connection.view.welcome == nil, welcome.role == connection.person.role else {
      throw Violation(.seesItsOwn, "a welcome that is another's")
    }
    connection.view.welcome = welcome
    connection.client.resume = welcome.resume
    guard welcome.role.mayWatch else {
      guard welcome.state == RoomState(version: 0, phase: .idle) else {
        throw Violation(.seesItsOwn, "an actuator's welcome with a state")
      }
      return
    }
    try show(welcome.state, on: connection)
    connection.view.unacknowledged = 0
  }

  private func show(_ members: Members, on connection: Connection) throws(Violation) {
    guard !connection.isInStealth || members.controllers.allSatisfy({ $0.name == nil }) else {
      throw Violation(.seesItsOwn, "names of a stealth room")
    }
    connection.view.members = members
  }

  private func show(_ state: RoomState, on connection: Connection) throws(Violation) {
    if connection.isInStealth { try checkStealth(state, of: connection.client) }
    let projection = state.hidesPath ? Projection.stealth : .open
    if let version = connection.view.versions[projection] {
      guard Int32(bitPattern: state.version &- version) >= 0 else {
        throw Violation(.versionsGrow, "shown \(state.version) after \(version)")
      }
    }
    if let old = connection.view.state, old.hidesPath == state.hidesPath,
      old.version == state.version, old != state
    {
      throw Violation(.versionsGrow, "two states of version \(state.version)")
    }
    connection.view.versions[projection] = state.version
    connection.view.state = state
    acknowledge(connection)
  }

  /// Of a stealth room nobody sees more than verdicts, but who draws sees its own stroke.
  private func checkStealth(_ state: RoomState, of client: Client) throws(Violation) {
    if state.hidesPath {
      let phases: [Phase] = [.idle, .accepted, .rejected, .unavailable]
      let bare = RoomState(version: state.version, phase: state.phase, hidesPath: true)
      guard state == bare, phases.contains(state.phase) else {
        throw Violation(.seesItsOwn, "more than a verdict in a stealth room")
      }
    } else {
      let isBare = state == RoomState(version: state.version, phase: .idle)
      guard isBare || client.pressed.contains(state.stroke) else {
        throw Violation(.seesItsOwn, "another's stroke in a stealth room")
      }
    }
  }

  private func show(_ verdict: Verdict, on connection: Connection) throws(Violation) {
    guard connection.client.pressed.contains(verdict.stroke) else {
      throw Violation(.seesItsOwn, "another's verdict")
    }
    tally.verdicts[verdict.outcome.rawValue, default: 0] += 1
    guard verdict.opened == nil else { return }
    guard connection.view.judged.insert(verdict.stroke).inserted else {
      throw Violation(.oneAnswer, "two verdicts of stroke \(verdict.stroke) on one connection")
    }
  }

  private func show(offer id: GrantID, on connection: Connection) throws(Violation) {
    guard let at = offeredAt[id], at >= connection.joinedAt else {
      throw Violation(.grants, "an offer to one who was not there")
    }
    guard connection.view.offered.insert(id).inserted else {
      throw Violation(.grants, "one offer twice")
    }
    connection.view.offers.insert(id)
  }

  private func show(_ grant: Grant, on connection: Connection) throws(Violation) {
    guard connection.view.nonces[grant.id] == grant.nonce,
      connection.view.welcome?.member == grant.audience
    else { throw Violation(.grants, "a grant to one who did not claim it") }
    guard grantsTaken.insert(grant.id).inserted else {
      throw Violation(.grants, "one grant twice")
    }
    tally.grants += 1
  }

  /// The server has closed the connection.
  private func closed(_ connection: Connection, _ reason: CloseReason) {
    connections[connection.key] = nil
    connection.isCut = true
    let client = connection.client
    guard client.connection === connection else { return }
    client.connection = nil
    if !reason.isRetryable { client.resume = nil }
    let isFull = reason == .roomFull
    plan(.connect(client.number), in: random.milliseconds(isFull ? 2_000...10_000 : 50...3_000))
  }
}

// What people acknowledge.
extension World {
  /// Acknowledges at the latest every 16th state, of a smaller window the half, and soon after the
  /// last one.
  private func acknowledge(_ connection: Connection) {
    guard connection.person.acknowledges else { return }
    connection.view.unacknowledged += 1
    let most = min(16, max(1, limits.unacknowledgedFrames / 2))
    if connection.view.unacknowledged >= most, isQuiet || !random.once(in: 3) {
      return sayAcknowledgement(on: connection)
    }
    guard !connection.view.isAcknowledgementPlanned else { return }
    connection.view.isAcknowledgementPlanned = true
    plan(.acknowledge(connection.key), in: .milliseconds(250))
  }

  func acknowledgeLate(_ connection: Connection) {
    connection.view.isAcknowledgementPlanned = false
    if connection.view.unacknowledged > 0 { sayAcknowledgement(on: connection) }
  }

  private func sayAcknowledgement(on connection: Connection) {
    connection.view.unacknowledged = 0
    guard let state = connection.view.state else { return }
    say(.acknowledge(version: state.version), on: connection)
  }
}
