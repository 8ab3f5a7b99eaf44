import CLibUV
import Glibc

extension EventLoop {
  /// Makes sure that the wheel looks at a connection when its next deadline is due, or earlier.
  func schedule(_ connection: Connection) {
    let due = nextDeadline(of: connection) / 1_000_000
    let bucket = wheel.bucket(of: Int(due))
    if connection.bucket >= 0, connection.bucket <= bucket { return }
    connection.bucket = wheel.insert(connection.id, at: bucket)
  }

  /// One tick of the wheel.
  func turnWheel() {
    beginCallback()
    library.idle?.resume()
    let milliseconds = Int(now / 1_000_000)
    for id in wheel.takeDue(at: milliseconds) {
      guard let connection = connection(id) else { continue }
      // An entry that an earlier one has overtaken.
      if connection.bucket > milliseconds / wheel.tick { continue }
      connection.bucket = -1
      examine(connection)
      if connection.stage != .gone { schedule(connection) }
    }
    watchTraffic()
    examineTunnels()
    if let deadline = drainDeadline, now >= deadline { dropAll() }
  }

  private func after(_ start: UInt64, _ milliseconds: Int) -> UInt64 {
    start + UInt64(milliseconds) * 1_000_000
  }

  private func nextDeadline(of connection: Connection) -> UInt64 {
    switch connection.stage {
    case .reading: return after(connection.acceptedAt, configuration.acceptToHead)
    case .receiving: return bodyDeadline(of: connection)
    case .awaiting: return after(connection.lastHeard, configuration.answerWithin)
    case .responding:
      // Progress buys time, but not for ever.
      return min(
        after(connection.lastHeard, configuration.acceptToHead),
        after(connection.acceptedAt, 6 * configuration.acceptToHead))
    case .lingering: return after(connection.lastHeard, configuration.closeAcknowledgement)
    case .gone: return .max / 2
    case .open: break
    }
    if connection.isClosing {
      return after(connection.closingAt, configuration.closeAcknowledgement)
    }
    let heartbeat =
      awaitsPong(connection)
      ? after(connection.lastHeard, configuration.deadAfter)
      : after(connection.lastHeard, pingDelay(of: connection))
    if connection.isReady { return heartbeat }
    return min(heartbeat, after(connection.acceptedAt, configuration.acceptToReady))
  }

  /// The peer gave a sign of life.
  ///
  /// A deadline usually only moves away, which the wheel finds out by itself; the next ping after
  /// an answered one may be nearer than the deadline that it was for.
  func heard(_ connection: Connection) {
    let wasAwaited = awaitsPong(connection)
    connection.lastHeard = now
    if wasAwaited { schedule(connection) }
  }

  private func awaitsPong(_ connection: Connection) -> Bool {
    connection.pingedAt > connection.lastHeard
  }

  private func pingDelay(of connection: Connection) -> Int {
    connection.pingedAt == 0
      ? Self.firstPing(slot: connection.id.slot, pingAfter: configuration.pingAfter)
      : configuration.pingAfter
  }

  /// The silence before a connection's first ping: between half the time and all of it, by slot, so
  /// that connections which opened together are not pinged together for ever.
  package static func firstPing(slot: Int, pingAfter: Int) -> Int {
    let spread = UInt32(truncatingIfNeeded: slot) &* 0x9e37_79b9
    let half = pingAfter / 2
    // In Swift a shift binds tighter than a product.
    return half + Int((UInt64(spread) * UInt64(half)) >> 32)
  }

  private func examine(_ connection: Connection) {
    guard now >= nextDeadline(of: connection) else { return }
    switch connection.stage {
    case .reading: requestIsLate(connection)
    case .receiving: bodyIsLate(connection)
    case .awaiting: answerIsLate(connection)
    case .responding, .lingering: closeExchange(connection)
    case .open: examineOpen(connection)
    case .gone: break
    }
  }

  private func examineOpen(_ connection: Connection) {
    if connection.isClosing {
      // The peer neither answered the close frame nor hung up.
      cut(connection, reason: connection.reason)
    } else if libraryCloses(connection) {
      // Its own close frame is on the way; the deadline is the one of ours.
    } else if !connection.isReady,
      now >= after(connection.acceptedAt, configuration.acceptToReady)
    {
      counters.notReady += 1
      beginClosing(
        connection, code: configuration.notReadyCode, text: "no hello in time", reason: .notReady)
    } else if awaitsPong(connection) {
      examineSilent(connection)
    } else {
      counters.pings += 1
      connection.pingedAt = now
      append(Frame.ping, to: connection)
    }
  }

  private func examineSilent(_ connection: Connection) {
    if let silence = Sockets.sinceLastByte(connection.network),
      silence < configuration.deadAfter
    {
      connection.lastHeard = now - min(now, UInt64(silence) * 1_000_000)
      // The ping, which may be older or newer than that byte, has done its work: another may follow.
      connection.pingedAt = min(connection.pingedAt, connection.lastHeard)
      return
    }
    counters.dead += 1
    // Nobody is there to take the rest, so the kernel need not keep it.
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    _ = unsafe setsockopt(connection.network, SOL_SOCKET, SO_LINGER, &linger, size)
    cut(connection, reason: .dead)
  }

  private func dropAll() {
    drainDeadline = nil
    for connection in slots.compactMap(\.self) {
      if connection.stage == .open {
        cut(connection, reason: .dropped)
      } else {
        closeExchange(connection)
      }
    }
    endTunnels()
  }
}
