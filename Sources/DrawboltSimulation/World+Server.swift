import PadModel
import Rooms
import Wire

// The server: what it does with what comes, in the order in which the real one does it.
extension World {
  /// The next message of a connection.
  func arrive(_ connection: Connection) {
    guard !connection.isCut, !connection.isGone, let parcel = connection.up.take(at: now) else {
      return
    }
    do throws(WireError) {
      let format = connection.person.format
      let message = try decoder.decode(parcel.bytes, isText: parcel.isText, format: format)
      guard message == parcel.message else {
        return violated(.wire, "a client's message of \(parcel.bytes.count) bytes is another")
      }
      receive(message, from: connection)
    } catch {
      guard parcel.message == nil else {
        return violated(.wire, "a client's message was refused: \(error.name)")
      }
      tell(connection, .error(Failure(.badMessage, error.message)))
      close(connection, error.closeReason)
    }
  }

  private func receive(_ message: ClientMessage, from connection: Connection) {
    switch connection.stage {
    case .greeting:
      guard case .hello(let hello) = message else { return close(connection, .badMessage) }
      greeted(hello, by: connection)
    case .joining:
      connection.server.messagesBeforeHello += 1
      if connection.server.messagesBeforeHello > limits.messagesBeforeHello {
        close(connection, .policy)
      }
    case .member(let host, _, let slot): receive(message, from: connection, in: host, slot)
    case .gone: break
    }
  }

  private func receive(
    _ message: ClientMessage, from connection: Connection, in host: Host, _ slot: Audience.Slot?
  ) {
    switch message {
    case .hello: close(connection, .badMessage)
    case .samples(let batch):
      if let slot { host.audience.draws(slot) }
      sampled(batch, by: connection, in: host)
    case .acknowledge(let version):
      note(.acknowledges, connection.key)
      guard let slot else { return }
      noteAcknowledgement(version, of: connection, in: host)
      host.isChanged = true
      if host.audience.acknowledge(slot, version: version, at: now) { touch(host) }
    case .pen(let command):
      note(.pen, connection.key)
      run(.penCommanded(connection.key, command), in: host)
    case .claimGrant(let claim):
      note(.claims, connection.key)
      run(.grantClaimed(connection.key, claim), in: host)
    case .enrol:
      note(.enrols, connection.key)
      let mayEnrol = connection.person.role.mayReceive(.enrol)
      tell(
        connection,
        mayEnrol
          ? .enrol(EnrolStatus(step: .refused, reason: "not here"))
          : .error(Failure(.denied, "your role may not enrol codes")))
    }
  }

  private func sampled(_ batch: SampleBatch, by connection: Connection, in host: Host) {
    note(.samples, connection.key, size: batch.samples.count)
    // In time, so that a press is answered for itself alone and the referee knows for what.
    if batch.action == .press || batch.action == .tap { wakeRoom(host) }
    var key = connection.key
    if let drawer = host.referee.drawing, drawer != key, batch.action == .press,
      planted.strikes(.sampleOfAnother)
    {
      key = drawer
    }
    run(.sampled(key, batch), in: host)
  }

  private func greeted(_ hello: Hello, by connection: Connection) {
    note(.hello, connection.key)
    guard !isDraining else { return close(connection, .restart) }
    if let host = hosts.first(where: { $0.name == hello.room }),
      !planted.strikes(.secondRoom)
    {
      return join(connection, hello, host)
    }
    guard let room = plan.rooms.first(where: { $0.name == hello.room }) else {
      return close(connection, .denied)
    }
    guard room.mirror != nil else { return join(connection, hello, open(room)) }
    connection.stage = .joining(hello)
    plan(.lockRead(connection.key), in: random.milliseconds(0...20))
  }

  /// The lock's row is here, and with it where its buckets stand.
  func lockRead(_ connection: Connection) {
    guard case .joining(let hello) = connection.stage else { return }
    if let host = hosts.first(where: { $0.name == hello.room }) {
      return join(connection, hello, host)
    }
    guard let room = plan.rooms.first(where: { $0.name == hello.room }) else { return }
    join(connection, hello, open(room))
  }

  private func open(_ room: RoomPlan) -> Host {
    roomsOpened += 1
    let kind: RoomKind = room.mirror.map { mirror in .lock(policy(of: room, mirror)) } ?? .board
    // Some begin just before their versions wrap.
    let versions = random.once(in: 3) ? UInt32.max - UInt32(random.roll(0...9)) : 0
    let settings = RoomSettings(name: room.name, kind: kind, pad: room.pad, limits: limits)
    let host = Host(settings, number: roomsOpened, versions: versions, at: now)
    host.books.emptySince = now
    hosts.append(host)
    note(.opened, UInt64(host.number))
    return host
  }

  func policy(of room: RoomPlan, _ mirror: MirrorMode) -> LockPolicy {
    LockPolicy(
      mirror: mirror, minimumNodes: room.minimumNodes, buckets: vault.statuses(of: room.name))
  }

  private func join(_ connection: Connection, _ hello: Hello, _ host: Host) {
    connection.stage = .joining(hello)
    let fresh = ResumeKey(high: random.next(), low: random.next())
    host.members.append(connection)
    run(
      .joined(
        Joining(
          connection: connection.key, role: hello.role, name: hello.name, shown: hello.resume,
          fresh: fresh, bucket: connection.person.bucket, origin: connection.person.origin)),
      in: host)
  }

  /// Lets a room take up what happened and does what it asks for.
  func run(_ event: RoomEvent, in host: Host) {
    holds { () throws(Violation) in try host.referee.expect(event) }
    var actions: [RoomAction] = []
    if planted.strikes(.versionFalls) { host.room.setVersions(host.room.version(.open) &- 2) }
    host.room.handle(event, at: now, into: &actions)
    holds { () throws(Violation) in
      try host.referee.check(event, actions, host.room, at: now)
    }
    for action in actions { perform(action, in: host) }
    touch(host)
  }

  func touch(_ host: Host) {
    host.isChanged = true
    guard !host.isTouched else { return }
    host.isTouched = true
    touched.append(host)
  }

  /// A room's time came, or that of its audience.
  func wake(_ number: Int) {
    guard let host = host(number), let armed = host.armedAt, armed <= now else { return }
    host.armedAt = nil
    wakeRoom(host)
    touch(host)
  }

  private func wakeRoom(_ host: Host) {
    guard let wakeAt = host.wakeAt, wakeAt <= now else { return }
    host.wakeAt = nil
    run(.timeCame, in: host)
  }

  /// The end of a turn: flags and states go out, and rooms say when they want to be looked at.
  func endTurn() {
    turn += 1
    for host in touched {
      host.isTouched = false
      if host.owesFlags { sendFlags(of: host) }
      sendStates(of: host)
      arm(host)
    }
    touched.removeAll(keepingCapacity: true)
  }

  private func arm(_ host: Host) {
    if planted.goesOnStriking(.spin) {
      host.armedAt = now
      return timeline.add(.wake(host.number), at: now)
    }
    guard let due = host.due, due < host.armedAt ?? .distantFuture else { return }
    // A loop is late now and then.
    let lateness = random.once(in: 20) ? random.milliseconds(0...World.mostLate) : .zero
    let at = max(now, due) + lateness
    guard at < host.armedAt ?? .distantFuture else { return }
    host.armedAt = at
    timeline.add(.wake(host.number), at: at)
  }

  /// How late a loop may be, in milliseconds.
  static let mostLate = 30
}
