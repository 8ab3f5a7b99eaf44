import CLibUV
import Glibc

/// A listening socket, made before the loop's thread starts.
struct BoundListener: Sendable {
  /// Owned: whoever holds the listener last closes it.
  let descriptor: Int32
  let kind: ListenerKind
  let border: Border
  let writer: ResponseWriter
}

/// A listening socket on its loop.
@safe
final class Door {
  let listener: BoundListener
  var poll: UnsafeMutablePointer<uv_poll_t>?
  unowned(unsafe) var loop: EventLoop?

  init(_ listener: BoundListener) { self.listener = listener }

  /// Begins or goes on to wait for connections.
  func watch() {
    let callback: uv_poll_cb = { handle, _, _ in
      guard let data = unsafe handle?.pointee.data else { return }
      let door = unsafe Unmanaged<Door>.fromOpaque(data).takeUnretainedValue()
      unsafe door.loop?.acceptAll(at: door)
    }
    guard let poll = unsafe poll else { return }
    unsafe uv_poll_start(poll, Int32(UV_READABLE.rawValue), callback)
  }
}

extension EventLoop {
  /// Nanoseconds of one turn that accepting may take; a connection behind TLS needs two sockets more, and a
  /// session.
  private static let mostAccepting: UInt64 = 300_000

  /// Accepts what waits, up to the limits of a turn; the rest waits in the kernel for the next one.
  func acceptAll(at door: Door) {
    guard makeRoomForHandshake() else {
      return pauseAccepting(milliseconds: configuration.handshakePause)
    }
    let began = bootTime()
    for _ in 0..<configuration.acceptsPerTurn where unsafe door.poll != nil {
      let (descriptor, peer, number) = Sockets.accept(door.listener.descriptor)
      if descriptor >= 0 {
        counters.accepted += 1
        admit(descriptor, peer, at: door)
        // Whether anybody waits for the room that would have to be made is known in the next turn.
        if isFullOfRequests || isFullOfHandshakes { return }
        if bootTime() - began >= Self.mostAccepting { return }
        continue
      }
      switch number {
      case EINTR, ECONNABORTED, EPROTO: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pauseForDescriptors()
      default: return
      }
    }
  }

  /// Makes a connection of an accepted socket, behind a tunnel if the site speaks TLS.
  ///
  /// With a refusal it is not counted among those who were admitted, and is answered with that.
  private func enter(
    _ network: Int32, _ peer: ListenAddress, at kind: ListenerKind, refusing refusal: Refusal? = nil
  ) {
    Sockets.setOption(network, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    if let bytes = configuration.sendBufferBytes {
      Sockets.setOption(network, SOL_SOCKET, SO_SNDBUF, bytes)
    }
    var (descriptor, tunnel) = (network, Tunnel?.none)
    if kind == .site, let identity = tunnels.identity {
      guard let dug = dig(before: network, peer, identity, refusing: refusal) else {
        Glibc.close(network)
        if refusal == nil { admission.release(peer) }
        return pauseForDescriptors()
      }
      (descriptor, tunnel) = (dug.descriptor, dug.tunnel)
    }
    let connection = register(descriptor, peer, at: kind, behind: tunnel)
    if !startReading(connection) { closeExchange(connection) }
  }

  private func admit(_ descriptor: Int32, _ peer: ListenAddress, at door: Door) {
    switch admission.admit(peer, at: now) {
    case .admitted:
      enter(descriptor, peer, at: door.listener.kind)
    case .full:
      counters.refusedAtLimit += 1
      turnAway(descriptor, peer, .unavailable(retryAfter: 5), at: door)
    case .tooMany:
      counters.refusedByAddress += 1
      turnAway(descriptor, peer, .tooManyRequests(retryAfter: 10), at: door)
    }
  }

  /// Answers without keeping the socket: one `send` of what fits into an empty send buffer.
  ///
  /// Behind TLS it can be said after a handshake only, which is what the limits are to save us: so a few
  /// at a time are told, and the others cut off.
  private func turnAway(
    _ descriptor: Int32, _ peer: ListenAddress, _ refusal: Refusal, at door: Door
  ) {
    if tunnels.identity != nil, door.listener.kind == .site,
      tunnels.turnedAway < configuration.maximumTurnedAway
    {
      return enter(descriptor, peer, at: .site, refusing: refusal)
    }
    defer { Glibc.close(descriptor) }
    if tunnels.identity != nil, door.listener.kind == .site { return }
    let response = refusal.response
    counters.responses[response.status, default: 0] += 1
    let bytes = door.listener.writer.head(of: response, at: ResponseWriter.date()) + response.body
    _ = Sockets.send(descriptor, bytes, from: 0, more: false)
    shutdown(descriptor, Int32(SHUT_WR))
    // A request that has already come would turn the close into a reset.
    _ = Sockets.receive(descriptor, into: &scratch, upTo: scratch.count, peek: false)
  }

  private func register(
    _ descriptor: Int32, _ peer: ListenAddress, at kind: ListenerKind, behind tunnel: Tunnel?
  ) -> Connection {
    if freeSlots.isEmpty {
      freeSlots.append(slots.count)
      slots.append(nil)
      generations.append(1)
    }
    let slot = freeSlots.removeLast()
    let connection = Connection(
      id: ConnectionID(slot: slot, loop: index, generation: generations[slot]), loop: self,
      listener: kind,
      peer: peer, descriptor: descriptor, tunnel: tunnel, now: now)
    slots[slot] = connection
    counters.openSockets += 1
    if counters.openSockets == 1 { startWheel() }
    schedule(connection)
    counters.openHandshakes += 1
    handshakes.append(connection.id)
    return connection
  }

  /// Whether one more socket may be accepted; if there are too many whose request or TLS handshake has
  /// not come, the oldest is given up for it, or waited for.
  ///
  /// A peer sends its request right behind the connection, so whoever has not within three seconds is
  /// far more likely to hold the place than to be late. Those who come back all at once are younger: more
  /// of them wait in the kernel, and are let in as fast as those before them get on.
  private func makeRoomForHandshake() -> Bool {
    handshakes.forget { self.connection($0)?.stage != .reading }
    if isFullOfRequests, let oldest = handshakes.first.flatMap({ self.connection($0) }) {
      guard isOld(since: oldest.acceptedAt) else { return false }
      counters.handshakesDropped += 1
      closeExchange(oldest)
    }
    if isFullOfHandshakes, let oldest = tunnels.greeting.first {
      guard isOld(since: oldest.openedAt) else { return false }
      counters.tlsHandshakesFailed += 1
      end(oldest)
    }
    return true
  }

  private var isFullOfRequests: Bool {
    counters.openHandshakes >= configuration.maximumHandshakes
  }

  private var isFullOfHandshakes: Bool {
    tunnels.greeting.count >= configuration.maximumTLSHandshakes
  }

  private func isOld(since beginning: UInt64) -> Bool {
    now >= beginning + UInt64(configuration.handshakePatience) * 1_000_000
  }

  /// Forgets a connection whose socket is closed, or is the library's to close.
  func unregister(_ connection: Connection) {
    precondition(connection.stage != .gone)
    connection.stage = .gone
    let slot = connection.id.slot
    slots[slot] = nil
    // Never 0, and 2³² lives of one slot before an id comes again.
    generations[slot] = generations[slot] == .max ? 1 : generations[slot] + 1
    freeSlots.append(slot)
    if let client = connection.forwarded { admission.leave(client) }
    if let tunnel = connection.tunnel {
      connectionLeft(tunnel)
    } else {
      releaseSocket(of: connection.peer)
    }
  }

  /// Takes an accepted socket, and all that stands before it, out of the counts.
  func releaseSocket(of peer: ListenAddress, wasAdmitted: Bool = true) {
    if wasAdmitted { admission.release(peer) } else { tunnels.turnedAway -= 1 }
    counters.openSockets -= 1
    if counters.openSockets == 0 { unsafe uv_timer_stop(wheelTimer) }
  }

  private func startWheel() {
    let callback: uv_timer_cb = { handle in
      guard let data = unsafe handle?.pointee.data else { return }
      unsafe Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().turnWheel()
    }
    let tick = UInt64(wheel.tick)
    unsafe uv_timer_start(wheelTimer, callback, tick, tick)
  }

  private func pauseForDescriptors() {
    counters.acceptPauses += 1
    pauseAccepting(milliseconds: configuration.acceptPause)
  }

  /// The listening sockets stay readable, so waiting on them would spin.
  private func pauseAccepting(milliseconds: Int) {
    for door in doors {
      if let poll = unsafe door.poll { unsafe uv_poll_stop(poll) }
    }
    let callback: uv_timer_cb = { handle in
      guard let data = unsafe handle?.pointee.data else { return }
      let loop = unsafe Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
      loop.beginCallback()
      for door in loop.doors { door.watch() }
    }
    unsafe uv_timer_start(pauseTimer, callback, UInt64(milliseconds), 0)
  }

  /// Begins to accept, if the loop was started without.
  func startAccepting() {
    checkThread()
    for door in doors { door.watch() }
  }

  /// Closes the listening sockets; open connections go on.
  public func stopAccepting() {
    checkThread()
    for door in doors {
      guard let poll = unsafe door.poll else { continue }
      unsafe releaseHandle(poll)
      unsafe door.poll = nil
      Glibc.close(door.listener.descriptor)
    }
  }
}
