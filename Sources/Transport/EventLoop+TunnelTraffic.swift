import CLibUV
import Glibc

/// What goes through tunnels: the handshake, then plain bytes between two descriptors.
///
/// Neither side is read while the other one takes nothing, so nothing piles up: what a tunnel holds is
/// one record each way at most, and the peers feel each other as they do without TLS.
extension EventLoop {
  func networkIsReady(_ tunnel: Tunnel, isWritable: Bool) {
    if tunnel.stage == .greeting {
      greet(tunnel)
    } else {
      if isWritable, !tunnel.outgoing.isEmpty { bringOut(tunnel) }
      bringIn(tunnel)
    }
    watchAgain(tunnel)
  }

  func innerIsReady(_ tunnel: Tunnel) {
    if !tunnel.incoming.isEmpty { handOver(tunnel.incoming[...], to: tunnel) }
    bringOut(tunnel)
    watchAgain(tunnel)
  }

  // MARK: The handshake

  private func greet(_ tunnel: Tunnel) {
    // The socket stays readable: it has its turn in the next one.
    guard tunnels.greetedThisTurn < Tunnels.mostGreeting else { return }
    let began = bootTime()
    defer { tunnels.greetedThisTurn += bootTime() - began }
    tunnel.readingWaitsToWrite = false
    switch tunnel.session.shakeHands() {
    case .done:
      tunnel.stage = .open
      tunnels.removeGreeting(tunnel)
      counters.tlsHandshakes += 1
    case .wantsRead: break
    case .wantsWrite: tunnel.readingWaitsToWrite = true
    case .isPlainHTTP: refuse(tunnel, saying: plainRefusal())
    case .ended, .failed: refuse(tunnel, saying: [])
    }
  }

  private func refuse(_ tunnel: Tunnel, saying bytes: [UInt8]) {
    counters.tlsHandshakesFailed += 1
    if !bytes.isEmpty { _ = Sockets.send(tunnel.network, bytes[...], more: false) }
    shutdown(tunnel.network, Int32(SHUT_WR))
    // What has come already would turn the close into a reset, which can overtake answer and alert.
    _ = Sockets.receive(tunnel.network, into: &scratch, upTo: scratch.count, peek: false)
    end(tunnel)
  }

  /// The one answer in plain text, without the promise that only TLS may make.
  private func plainRefusal() -> [UInt8] {
    let response = Refusal.plain.response
    counters.responses[response.status, default: 0] += 1
    return ResponseWriter(hosts: []).head(of: response, at: ResponseWriter.date()) + response.body
  }

  // MARK: From the network

  private func bringIn(_ tunnel: Tunnel) {
    if tunnel.innerEnded { return throwAway(tunnel) }
    tunnel.readingWaitsToWrite = false
    for _ in 0..<Tunnels.mostRecordsPerTurn where tunnel.stage == .open {
      if tunnel.networkEnded || !tunnel.incoming.isEmpty { return }
      switch tunnel.session.read(into: &scratch) {
      case .done(let count): handOver(scratch[..<count], to: tunnel)
      case .wantsRead: return
      case .wantsWrite:
        tunnel.readingWaitsToWrite = true
        return
      case .ended:
        tunnel.networkEnded = true
        shutdown(tunnel.inner, Int32(SHUT_WR))
      case .failed, .isPlainHTTP: end(tunnel)
      }
    }
  }

  /// Gives plain bytes to the connection and keeps what it does not take.
  private func handOver(_ bytes: ArraySlice<UInt8>, to tunnel: Tunnel) {
    let sent = Sockets.send(tunnel.inner, bytes, more: false)
    // A connection that has ended wants no more; its end is about to be read.
    let isGone = sent < 0 && errno != EAGAIN && errno != EINTR
    tunnel.incoming = isGone ? [] : Array(bytes.dropFirst(max(0, sent)))
  }

  /// After our end: what the peer still sends is thrown away until it hangs up.
  private func throwAway(_ tunnel: Tunnel) {
    let count = Sockets.receive(
      tunnel.network, into: &scratch, upTo: scratch.count, peek: false)
    if count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR) { return }
    end(tunnel)
  }

  // MARK: From the connection

  private func bringOut(_ tunnel: Tunnel) {
    if !tunnel.outgoing.isEmpty { send(tunnel.outgoing[...], by: tunnel) }
    for _ in 0..<Tunnels.mostRecordsPerTurn where tunnel.stage == .open {
      if tunnel.innerEnded || !tunnel.outgoing.isEmpty { return }
      let count = Sockets.receive(
        tunnel.inner, into: &scratch, upTo: scratch.count, peek: false)
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      guard count > 0 else { return sayEnd(tunnel) }
      send(scratch[..<count], by: tunnel)
    }
  }

  /// Encrypts and sends, and keeps what the network does not take.
  private func send(_ bytes: ArraySlice<UInt8>, by tunnel: Tunnel) {
    var rest = bytes
    while !rest.isEmpty {
      switch tunnel.session.write(rest) {
      case .done(let count):
        rest = rest.dropFirst(count)
        tunnel.movedAt = now
      case .wantsWrite:
        tunnel.outgoing = Array(rest)
        return
      // Without renegotiation no writing waits for a reading.
      case .wantsRead, .ended, .isPlainHTTP, .failed: return end(tunnel)
      }
    }
    tunnel.outgoing = []
  }

  /// The connection has said all: the peer is told, first by TLS and then by TCP.
  private func sayEnd(_ tunnel: Tunnel) {
    tunnel.innerEnded = true
    tunnel.session.sayEnd()
    shutdown(tunnel.network, Int32(SHUT_WR))
    tunnel.networkEnded ? end(tunnel) : beginClosing(tunnel)
  }
}
