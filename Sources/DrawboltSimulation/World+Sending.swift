import PadModel
import Rooms
import Wire

// What goes out.
extension World {
  /// Queues a message that must not be lost; a connection that reads none of them is given up.
  func tell(_ connection: Connection, _ message: ServerMessage) {
    var bytes: [UInt8] = []
    let isText = ServerMessageEncoder.encode(message, as: connection.person.format, into: &bytes)
    note(.told, connection.key, size: bytes.count)
    send(connection, bytes, isText: isText, message)
    connection.host?.isChanged = true
    let most = connection.person.capacity + limits.controlQueueBytes
    guard connection.down.bytes > most, !planted.strikes(.endlessQueue) else { return }
    tally.closes["\(CloseReason.tooSlow)", default: 0] += 1
    // It is lost without a close frame, since nothing more fits.
    breakLine(connection)
    connection.down.cut()
    plan(.lost(connection.key), in: .zero)
  }

  private func send(
    _ connection: Connection, _ bytes: [UInt8], isText: Bool, _ message: ServerMessage
  ) {
    var bytes = bytes
    if bytes.count > 4, planted.strikes(.damageByte) { bytes[4] ^= 1 }
    connection.down.put(
      .message(bytes, isText: isText, message), size: bytes.count,
      latency: random.milliseconds(connection.person.latency), at: now)
    planReading(connection)
  }

  /// Gives the newest state to every member that is due one.
  func sendStates(of host: Host) {
    host.audience.collect(at: now) { key, projection, format in
      sendState(of: host, to: key, projection, format, isLast: false)
    }
    for connection in host.members where connection.slot != nil { plantState(connection, in: host) }
  }

  /// Harm that a planted bug does with states.
  private func plantState(_ connection: Connection, in host: Host) {
    let server = connection.server
    let isFull =
      connection.person.acknowledges
      && server.unacknowledged.count >= limits.unacknowledgedFrames
    let isEarly = connection.person.maxRate.map { $0 < 20 } == true && server.lastStateAt != nil
    guard isFull && planted.strikes(.ignoreWindow) || isEarly && planted.strikes(.ignoreRate)
    else { return }
    _ = sendState(
      of: host, to: connection.key, host.room.projection(of: connection.key),
      connection.person.format == .binary ? .binary : .json, isLast: false)
  }

  /// Sends a state to a member; false if its socket takes no more.
  private func sendState(
    of host: Host, to key: ConnectionKey, _ projection: Projection, _ format: FrameFormat,
    isLast: Bool
  ) -> Bool {
    guard let connection = connections[key], !connection.isGone else {
      violated(.memory, "a frame for a connection that is gone")
      return true
    }
    var projection = projection
    if projection == .stealth, host.referee.drawing != nil, planted.strikes(.showPath) {
      projection = .open
    }
    let (state, bytes) = host.frame(projection, format)
    guard connection.down.bytes + bytes.count <= connection.person.capacity else {
      connection.server.isBlocked = true
      tally.blocked += 1
      return false
    }
    checkPace(of: connection, isLast: isLast)
    tally.states += 1
    if !planted.strikes(.uncountedFrame) { host.books.frames += 1 }
    noteState(state, projection, of: connection)
    note(.state, key, size: bytes.count)
    send(connection, bytes, isText: format == .json, .state(state))
    return true
  }

  private func noteState(
    _ state: RoomState, _ projection: Projection, of connection: Connection
  ) {
    connection.server.projection = projection
    connection.server.version = state.version
    connection.server.lastStateAt = now
    connection.server.lastTurn = turn
    if connection.person.acknowledges { connection.server.unacknowledged.append(state.version) }
  }

  /// What an acknowledgement frees, by our own list.
  func noteAcknowledgement(_ version: UInt32, of connection: Connection, in host: Host) {
    guard let place = connection.server.unacknowledged.lastIndex(of: version) else {
      host.books.strays += 1
      return
    }
    connection.server.unacknowledged.removeFirst(place + 1)
  }

  /// Sends `members` and `pen` to those who are owed them and can take them.
  func sendFlags(of host: Host) {
    host.owesFlags = false
    for connection in host.members
    where connection.server.owesMembers || connection.server.owesPen {
      guard !connection.isGone, connection.down.bytes < connection.person.capacity else {
        connection.server.isBlocked = true
        continue
      }
      note(.flags, connection.key)
      if connection.server.owesMembers {
        var members = host.room.members
        if host.isStealth, planted.strikes(.showNames) { addNames(to: &members, of: host) }
        tell(connection, .members(members))
      }
      let isShown = host.isStealth && planted.strikes(.showPen)
      if connection.server.owesPen || isShown, connection.slot != nil {
        tell(connection, .pen(host.room.penStatus))
      }
      connection.server.owesMembers = false
      connection.server.owesPen = false
    }
  }

  private func addNames(to members: inout Members, of host: Host) {
    for place in members.controllers.indices {
      members.controllers[place].name = host.members.compactMap(\.person.name).first
    }
  }

  /// Closes a connection: its last state goes first, for example how its stroke ended.
  func close(_ connection: Connection, _ reason: CloseReason) {
    if connection.isGone { return }
    note(.closes, connection.key, size: Int(reason.rawValue))
    tally.closes["\(reason)", default: 0] += 1
    if let host = connection.host {
      if let slot = connection.slot {
        host.audience.serveLast(slot, at: now) {
          sendState(of: host, to: $0, $1, $2, isLast: true)
        }
      }
      leave(connection, host)
    }
    connection.stage = .gone
    if reason == .restart { tell(connection, .goAway(reason: reason, reconnectAfter: 5_000)) }
    connection.down.put(
      .close(reason), size: 2, latency: random.milliseconds(connection.person.latency), at: now)
    planReading(connection)
  }

  private func leave(_ connection: Connection, _ host: Host) {
    if let slot = connection.slot, !planted.strikes(.keepSlot) { host.audience.remove(slot) }
    if !planted.strikes(.keepMember) { host.members.removeAll { $0 === connection } }
    connection.stage = .gone
    run(.left(connection.key), in: host)
    if planted.strikes(.dropEarly), hosts.contains(where: { $0 === host }) { drop(host) }
  }

  /// The server knows that a connection is lost.
  func lost(_ connection: Connection) {
    note(.lost, connection.key)
    connections[connection.key] = nil
    guard !connection.isGone else { return }
    if let host = connection.host { leave(connection, host) }
    connection.stage = .gone
  }

  /// A socket takes bytes again.
  func becameWritable(_ connection: Connection) {
    guard connection.server.isBlocked, !planted.strikes(.forgetWritable) else { return }
    connection.server.isBlocked = false
    connection.server.lagsSince = nil
    guard let host = connection.host else { return }
    if let slot = connection.slot { host.audience.writable(slot, at: now) }
    host.owesFlags = true
    touch(host)
  }
}
