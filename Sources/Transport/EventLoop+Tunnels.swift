import CLibUV
import Glibc

/// TLS in front of connections: its beginning and its end.
extension EventLoop {
  /// Takes this pair for new connections; those that are open go on with theirs.
  ///
  /// Does nothing on a loop that was started without TLS.
  public func renew(_ identity: TLSIdentity) {
    checkThread()
    if tunnels.identity != nil { tunnels.identity = identity }
  }

  /// Puts a tunnel before a socket, whose other end is the descriptor that comes back.
  ///
  /// - Returns: nil if the system has no descriptors or memory for it; the socket is the caller's still.
  func dig(
    before network: Int32, _ peer: ListenAddress, _ identity: TLSIdentity,
    refusing refusal: Refusal? = nil
  ) -> (tunnel: Tunnel, descriptor: Int32)? {
    guard let session = TLSSession(identity, on: network), let ends = Sockets.pair() else {
      return nil
    }
    for end in [ends.0, ends.1] {
      Sockets.setOption(end, SOL_SOCKET, SO_SNDBUF, Tunnels.innerBufferBytes)
    }
    let tunnel = Tunnel(
      loop: self, peer: peer, session: session, network: network, inner: ends.0, refusal: refusal)
    guard watch(tunnel) else {
      Glibc.close(ends.0)
      Glibc.close(ends.1)
      return nil
    }
    if refusal != nil { tunnels.turnedAway += 1 }
    tunnel.place = tunnels.all.count
    tunnels.all.append(tunnel)
    tunnels.greeting.append(tunnel)
    watchAgain(tunnel)
    return (tunnel, ends.1)
  }

  private func watch(_ tunnel: Tunnel) -> Bool {
    let me = unsafe Unmanaged.passUnretained(tunnel).toOpaque()
    let network: UnsafeMutablePointer<uv_poll_t> = unsafe makeHandle()
    let inner: UnsafeMutablePointer<uv_poll_t> = unsafe makeHandle()
    guard unsafe uv_poll_init(uv, network, tunnel.network) == 0 else {
      unsafe network.deallocate()
      unsafe inner.deallocate()
      return false
    }
    guard unsafe uv_poll_init(uv, inner, tunnel.inner) == 0 else {
      unsafe releaseHandle(network)
      unsafe inner.deallocate()
      return false
    }
    unsafe network.pointee.data = me
    unsafe inner.pointee.data = me
    unsafe tunnel.networkPoll = network
    unsafe tunnel.innerPoll = inner
    return true
  }

  /// Has libuv watch what the tunnel waits for now.
  func watchAgain(_ tunnel: Tunnel) {
    guard tunnel.stage != .over, let network = unsafe tunnel.networkPoll,
      let inner = unsafe tunnel.innerPoll
    else { return }
    let (ofNetwork, ofInner) = (tunnel.wantedOfNetwork, tunnel.wantedOfInner)
    if ofNetwork != tunnel.networkEvents {
      tunnel.networkEvents = ofNetwork
      unsafe watch(network, ofNetwork, networkCallback)
    }
    if ofInner != tunnel.innerEvents {
      tunnel.innerEvents = ofInner
      unsafe watch(inner, ofInner, innerCallback)
    }
  }

  private func watch(
    _ poll: UnsafeMutablePointer<uv_poll_t>, _ events: Int32, _ callback: uv_poll_cb
  ) {
    if events == 0 {
      unsafe uv_poll_stop(poll)
    } else {
      unsafe uv_poll_start(poll, events, callback)
    }
  }

  /// The connection has ended or sends no more; what it said has some time to leave.
  func beginClosing(_ tunnel: Tunnel) {
    guard tunnel.stage != .over, tunnel.closingAt == 0 else { return }
    tunnel.closingAt = now
    tunnel.movedAt = now
    tunnels.closing.append(tunnel)
  }

  /// The connection's own end of the pair is closed.
  func connectionLeft(_ tunnel: Tunnel) {
    tunnel.hasConnection = false
    if tunnel.stage == .over { return releaseSocket(of: tunnel) }
    tunnel.stage == .greeting ? end(tunnel) : beginClosing(tunnel)
  }

  /// One tick of the wheel: ends what has not come to its end by itself.
  func examineTunnels() {
    for tunnel in tunnels.closing {
      let patience = UInt64(configuration.closeAcknowledgement) * 1_000_000
      let atMost = 6 * UInt64(configuration.acceptToHead) * 1_000_000
      if now >= min(tunnel.movedAt + patience, tunnel.closingAt + atMost) { end(tunnel) }
    }
  }

  /// Closes both descriptors; the connection sees the end of the stream.
  func end(_ tunnel: Tunnel) {
    guard tunnel.stage != .over else { return }
    if tunnel.stage == .greeting { tunnels.removeGreeting(tunnel) }
    if tunnel.closingAt != 0 { tunnels.closing.removeAll { $0 === tunnel } }
    tunnel.stage = .over
    tunnel.incoming = []
    tunnel.outgoing = []
    if let poll = unsafe tunnel.networkPoll { unsafe releaseHandle(poll) }
    if let poll = unsafe tunnel.innerPoll { unsafe releaseHandle(poll) }
    unsafe tunnel.networkPoll = nil
    unsafe tunnel.innerPoll = nil
    Glibc.close(tunnel.network)
    Glibc.close(tunnel.inner)
    let last = tunnels.all.removeLast()
    if last !== tunnel {
      tunnels.all[tunnel.place] = last
      last.place = tunnel.place
    }
    if !tunnel.hasConnection { releaseSocket(of: tunnel) }
  }

  private func releaseSocket(of tunnel: Tunnel) {
    releaseSocket(of: tunnel.peer, wasAdmitted: tunnel.refusal == nil)
  }

  /// At the end of the loop.
  func endTunnels() {
    while let tunnel = tunnels.all.last { end(tunnel) }
  }
}

private func networkCallback(
  _ handle: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32
) {
  guard let data = unsafe handle?.pointee.data else { return }
  let tunnel = unsafe Unmanaged<Tunnel>.fromOpaque(data).takeUnretainedValue()
  // An error of the socket: libuv has stopped to watch it.
  if status < 0 { return tunnel.loop.end(tunnel) }
  tunnel.loop.networkIsReady(tunnel, isWritable: events & Int32(UV_WRITABLE.rawValue) != 0)
}

private func innerCallback(
  _ handle: UnsafeMutablePointer<uv_poll_t>?, _ status: Int32, _ events: Int32
) {
  guard let data = unsafe handle?.pointee.data else { return }
  let tunnel = unsafe Unmanaged<Tunnel>.fromOpaque(data).takeUnretainedValue()
  // The connection was closed before it had read all; what it said itself is still there.
  if status < 0 { tunnel.innerEvents = 0 }
  tunnel.loop.innerIsReady(tunnel)
}
