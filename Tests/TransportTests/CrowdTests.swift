import Glibc
import Synchronization
import TestSupport
import Testing
import Transport

/// Many who come at the same moment.
@Suite("A crowd", .waiting) struct CrowdTests {
  private static let size = 200

  /// Has clients connect and ask for an upgrade while the loop is busy, so that all wait together.
  private func crowd(at server: TestServer, of size: Int = size) throws -> [RawClient] {
    let (mayGoOn, isBusy) = (Done(), Done())
    server.handle.submit { _ in
      isBusy.signal()
      mayGoOn.wait()
    }
    isBusy.wait()
    defer { mayGoOn.signal() }
    return try (0..<size).map { _ in
      let client = try RawClient(server.site)
      client.send(client.upgradeHead())
      return client
    }
  }

  @Test("is let in whole")
  func everybody() throws {
    let server = try TestServer { $0.exemptsLoopback = true }
    let clients = try crowd(at: server)
    for client in clients { #expect(try client.answer()?.status == 101) }
    #expect(server.statistics.upgraded == Self.size)
    #expect(server.statistics.handshakesDropped == 0)
    #expect(server.statistics.openHandshakes == 0)
    withExtendedLifetime(clients) {}
  }

  @Test("is accepted a few a turn, so that the others have theirs in between")
  func acceptsPerTurn() throws {
    let accepted = Mutex<[Int]>([])
    let server = try TestServer {
      $0.exemptsLoopback = true
      $0.acceptsPerTurn = 8
    } onTurn: { loop in
      accepted.withLock { $0.append(loop.statistics.accepted) }
    }
    let clients = try crowd(at: server)
    for client in clients { #expect(try client.answer()?.status == 101) }
    // Asked of the loop in a later turn than that of the last accept.
    #expect(server.statistics.accepted == Self.size)
    let counts = [0] + accepted.withLock { $0 }
    let steps = zip(counts, counts.dropFirst()).map { $1 - $0 }
    #expect(steps.max() == 8)
    #expect(steps.reduce(0, +) == Self.size)
    withExtendedLifetime(clients) {}
  }

  @Test("of silent peers gives up its oldest for the newest, and never one that has asked")
  func silentPeers() throws {
    let server = try TestServer {
      $0.exemptsLoopback = true
      $0.maximumHandshakes = 10
      $0.handshakePatience = 20
    }
    let open = try RawClient.open(server.site)
    let silent = try (0..<30).map { _ in try RawClient(server.site) }
    #expect(server.eventually { $0.handshakesDropped == 20 && $0.openHandshakes == 10 })
    for client in silent.prefix(20) { #expect(try client.rest() == []) }
    for client in silent.suffix(10) { #expect(try client.upgrade()?.status == 101) }
    open.sendText("still here")
    #expect(try open.receiveData()?.payload == Array("still here".utf8))
    #expect(server.statistics.handshakesDropped == 20)
    #expect(server.statistics.openHandshakes == 0)
  }

  @Test("that comes at once is let in one after the other, and nobody is given up for another")
  func slowPeers() throws {
    let server = try TestServer {
      $0.exemptsLoopback = true
      $0.maximumHandshakes = 10
      $0.handshakePatience = 20_000
    }
    // All are connected, as far as they can see, before the first one asks.
    let clients = try (0..<100).map { _ in try RawClient(server.site) }
    #expect(server.eventually { $0.openHandshakes == 10 })
    for client in clients { #expect(try client.upgrade()?.status == 101) }
    #expect(server.statistics.handshakesDropped == 0)
    #expect(server.statistics.openConnections == 100)
  }

  @Test("is pinged for the first time evenly over half the interval")
  func firstPings() {
    let (interval, slots, parts) = (20_000, 5000, 20)
    var counts = [Int](repeating: 0, count: parts)
    for slot in 0..<slots {
      let delay = EventLoop.firstPing(slot: slot, pingAfter: interval)
      #expect((interval / 2..<interval).contains(delay))
      counts[(delay - interval / 2) * parts / (interval / 2)] += 1
    }
    for count in counts {
      #expect((slots / parts * 9 / 10...slots / parts * 11 / 10).contains(count))
    }
  }
}
