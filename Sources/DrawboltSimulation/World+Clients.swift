import PadModel
import Rooms
import Wire

// What people do.
extension World {
  /// Opens a connection, by preference as the member that one was before.
  func connect(_ client: Client) {
    guard !isDraining, client.connection == nil else { return }
    lastConnection += 1
    let connection = Connection(
      lastConnection, of: client, mostLag: mostLag(client.person))
    connections[connection.key] = connection
    client.connection = connection
    client.isDrawing = false
    note(.connects, connection.key, size: client.number)
    tally.connections += 1
    var hello = Hello(
      room: client.person.room, role: client.person.role, name: client.person.name,
      maxRate: client.person.maxRate, acknowledges: client.person.acknowledges)
    if let resume = client.resume, !random.once(in: 4) {
      hello.resume = resume
      tally.returns += 1
    }
    say(.hello(hello), on: connection)
  }

  /// Encodes a message and sends it.
  func say(_ message: ClientMessage, on connection: Connection) {
    guard !connection.isCut else { return }
    var bytes: [UInt8] = []
    let isText = ClientMessageEncoder.encode(message, as: connection.person.format, into: &bytes)
    send(Upward(bytes: bytes, isText: isText, message: message), on: connection)
  }

  private func send(_ parcel: Upward, on connection: Connection) {
    let arrival = connection.up.put(
      parcel, size: parcel.bytes.count,
      latency: random.milliseconds(connection.person.latency), at: now)
    timeline.add(.arrive(connection.key), at: arrival)
  }

  /// Does something, or nothing, and will do so again.
  func act(_ client: Client) {
    let isBusy = client.person.role.mayDraw
    plan(.act(client.number), in: random.milliseconds(isBusy ? 5...150 : 100...1500))
    guard !isQuiet, let connection = client.connection, let welcome = connection.view.welcome
    else { return }
    switch random.roll(0...999) {
    case 0..<4: leave(connection)
    case 4..<6: connectAgain(client)
    case 6..<7: sayGarbage(on: connection)
    case 7..<9: enrol(connection)
    case 9..<20: say(.acknowledge(version: UInt32(random.roll(0...20))), on: connection)
    case 20..<60: say(.pen(penCommand(connection)), on: connection)
    default: useTurn(client, connection, welcome)
    }
  }

  private func useTurn(_ client: Client, _ connection: Connection, _ welcome: Welcome) {
    if client.person.role.mayDraw || random.once(in: 40) {
      draw(client, connection, welcome.pad)
    } else if client.person.role == .actuator || random.once(in: 40) {
      claim(connection)
    }
  }

  private func penCommand(_ connection: Connection) -> PenCommand {
    let member = MemberID(UInt32(random.roll(1...12)))
    return random.pick([.request, .request, .release, .give(member), .take])
  }

  /// Says good-bye, in order.
  private func leave(_ connection: Connection) {
    breakLine(connection)
    plan(.lost(connection.key), in: random.milliseconds(0...100))
  }

  /// Opens a second connection beside the one that lives.
  private func connectAgain(_ client: Client) {
    client.connection = nil
    connect(client)
  }

  /// Asks for what nobody gives here, now and then so often that the answers pile up.
  private func enrol(_ connection: Connection) {
    for _ in 0..<random.pick([1, 100]) {
      say(.enrol(random.pick([.begin, .confirm, .cancel])), on: connection)
    }
  }

  private func sayGarbage(on connection: Connection) {
    let bytes = (0..<random.roll(0...20)).map { _ in UInt8(random.roll(3...255)) }
    send(Upward(bytes: bytes, isText: random.once(in: 2), message: nil), on: connection)
  }

  private func claim(_ connection: Connection) {
    guard let id = connection.view.offers.min(by: { $0.high < $1.high }) else { return }
    if !random.once(in: 4) { connection.view.offers.remove(id) }
    let nonce = GrantNonce(high: random.next(), low: random.next())
    connection.view.nonces[id] = connection.view.nonces[id] ?? nonce
    say(
      .claimGrant(GrantClaim(id: id, nonce: connection.view.nonces[id] ?? nonce)), on: connection)
  }
}

// What people draw.
extension World {
  private func draw(_ client: Client, _ connection: Connection, _ pad: Pad) {
    guard client.isDrawing else {
      if random.once(in: 4) { press(client, connection, pad) }
      return
    }
    switch random.roll(0...99) {
    case 0..<2: cancel(client, connection)
    case 2..<4: press(client, connection, pad)
    case 4..<6: break
    default:
      if client.ahead.isEmpty || random.once(in: 12) {
        release(client, connection, pad)
      } else {
        move(client, connection, pad)
      }
    }
  }

  private func press(_ client: Client, _ connection: Connection, _ pad: Pad) {
    client.ahead = code(for: client, pad)
    client.last = client.ahead
    let stroke = client.nextStroke()
    if random.once(in: 5) {
      let samples = samples(client.ahead, pad) + [sample(at: Point(x: 0, y: 0))]
      return say(
        .samples(SampleBatch(stroke: stroke, action: .tap, samples: samples)), on: connection)
    }
    client.isDrawing = true
    let first = client.ahead.isEmpty ? [sample(at: anywhere())] : samples([client.ahead[0]], pad)
    client.ahead = Array(client.ahead.dropFirst())
    say(.samples(SampleBatch(stroke: stroke, action: .press, samples: first)), on: connection)
  }

  private func move(_ client: Client, _ connection: Connection, _ pad: Pad) {
    let count = min(client.ahead.count, random.roll(1...3))
    let samples = samples(Array(client.ahead.prefix(count)), pad)
    client.ahead.removeFirst(count)
    say(
      .samples(SampleBatch(stroke: client.stroke, action: .move, samples: samples)),
      on: connection)
  }

  private func release(_ client: Client, _ connection: Connection, _ pad: Pad) {
    client.isDrawing = false
    let samples = random.once(in: 3) ? [sample(at: anywhere())] : []
    say(
      .samples(SampleBatch(stroke: client.stroke, action: .release, samples: samples)),
      on: connection)
  }

  private func cancel(_ client: Client, _ connection: Connection) {
    client.isDrawing = false
    say(.samples(SampleBatch(stroke: client.stroke, action: .cancel)), on: connection)
  }

  /// A code out of habit, most often, or the last one again.
  private func code(for client: Client, _ pad: Pad) -> [NodeIndex] {
    if !client.last.isEmpty, random.once(in: 4) { return client.last }
    let room = plan.rooms.first { $0.name == client.person.room }
    if let room, !random.once(in: 5) { return random.pick(room.habits) }
    return (0..<random.roll(0...7)).map { _ in
      NodeIndex(random.roll(0...pad.grid.nodeCount - 1))
    }
  }

  private func samples(_ nodes: [NodeIndex], _ pad: Pad) -> [Sample] {
    nodes.map { sample(at: pad.centre(of: $0)) }
  }

  private func sample(at point: Point) -> Sample {
    Sample(elapsed: UInt16(random.roll(0...50)), position: point)
  }

  private func anywhere() -> Point {
    Point(x: Int16(random.roll(-2_000...10_000)), y: Int16(random.roll(-2_000...10_000)))
  }
}
