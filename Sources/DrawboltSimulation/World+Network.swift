import PadModel
import Rooms

// What the network does, and whoever administers the server.
extension World {
  /// Plans the moment at which a client looks at what is on its way to it.
  func planReading(_ connection: Connection) {
    guard !connection.isCut, !connection.isReadingPlanned,
      let arrival = connection.down.nextArrival
    else { return }
    connection.isReadingPlanned = true
    let pause = isQuiet ? Duration.zero : random.milliseconds(connection.person.readingTime)
    let start = max(arrival, connection.stalledUntil, now)
    timeline.add(.read(connection.key), at: start + pause)
  }

  /// What was on its way is lost, both ways, and the client will come again; the server does not know.
  func breakLine(_ connection: Connection) {
    guard !connection.isCut else { return }
    note(.breaks, connection.key)
    tally.breaks += 1
    connection.isCut = true
    connection.up.cut()
    connection.down.cut()
    let client = connection.client
    guard client.connection === connection else { return }
    client.connection = nil
    plan(.connect(client.number), in: random.milliseconds(10...4000))
  }

  /// Something happens that nobody of the people wants.
  func fault() {
    plan(.fault, in: random.milliseconds(50...1500))
    guard !isQuiet else { return }
    switch random.roll(0...99) {
    case 0..<45: if let connection = anyConnection() { lose(connection) }
    case 45..<70: if let connection = anyConnection() { stall(connection) }
    case 70..<80: breakRate()
    case 80..<90: reset()
    case 90..<94: changePolicy()
    case 94..<96: remove()
    default: break
    }
  }

  private func anyConnection() -> Connection? { random.pick(clients).connection }

  private func lose(_ connection: Connection) {
    breakLine(connection)
    let most = Int(limits.deadAfter.millisecondsClamped)
    plan(
      .lost(connection.key),
      in: random.once(in: 2) ? random.milliseconds(0...50) : random.milliseconds(0...most))
  }

  private func stall(_ connection: Connection) {
    note(.stalls, connection.key)
    connection.stalledUntil = now + random.milliseconds(100...5000)
  }

  /// A connection's messages come too fast.
  private func breakRate() {
    guard let connection = anyConnection(), let host = connection.host else { return }
    note(.rate, connection.key)
    run(.rateBroken(connection.key), in: host)
  }

  /// A lock's failures are forgotten by hand.
  private func reset() {
    guard let host = anyLock() else { return }
    let bucket = BucketKey(UInt64(random.roll(0...1)))
    note(.reset, UInt64(host.number))
    let status = vault.reset(Account(lock: host.name, bucket: bucket))
    run(.bucketChanged(bucket, status), in: host)
  }

  private func anyLock() -> Host? {
    let locks = hosts.filter { if case .lock = $0.name { true } else { false } }
    return locks.isEmpty ? nil : random.pick(locks)
  }

  /// The lock's row was written again, now and then with another mirror mode.
  private func changePolicy() {
    guard let host = anyLock(), let place = plan.rooms.firstIndex(where: { $0.name == host.name }),
      let old = plan.rooms[place].mirror
    else { return }
    let mirror = random.once(in: 2) ? old : old == .open ? .stealth : .open
    note(.policy, UInt64(host.number))
    plan.rooms[place].mirror = mirror
    run(.policyChanged(policy(of: plan.rooms[place], mirror)), in: host)
    host.isStealth = mirror == .stealth
  }

  /// The lock is removed, and its room with it.
  private func remove() {
    guard let host = anyLock() else { return }
    note(.removed, UInt64(host.number))
    host.isRemoved = true
    run(.closed(.roomClosed), in: host)
    if hosts.contains(where: { $0 === host }) { drop(host) }
  }

  /// The server stops.
  func drain() {
    isDraining = true
    note(.draining, 0)
    for host in hosts { run(.drainBegan, in: host) }
    for connection in allConnections where connection.host == nil { close(connection, .restart) }
    endTurn()
    checkStep()
  }

  /// The wait for verdicts is over: who is still there goes.
  func endDrain() {
    for host in hosts {
      for connection in host.members { close(connection, .restart) }
    }
    endTurn()
    checkStep()
  }
}
