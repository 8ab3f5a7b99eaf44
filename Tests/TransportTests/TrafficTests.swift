import Glibc
import TestSupport
import Testing
import Transport

/// What a connection may send, whatever it is: pieces, bytes, fragments, and what the library hides.
@Suite(.waiting) struct TrafficTests {
  /// Rates so low that only the burst counts while a test runs.
  private static func server(
    pieces: Int = 1_000_000, bytes: Int = 1_000_000, fragments: Int = 64,
    _ more: (inout TransportConfiguration) -> Void = { _ in }
  ) throws -> TestServer {
    try TestServer {
      $0.piecesPerSecond = 1
      $0.pieceBurst = pieces
      $0.bytesPerSecond = 1
      $0.byteBurst = bytes
      $0.maximumFragments = fragments
      $0.tooFastCode = 4008
      $0.watchAboveLoad = 1000
      more(&$0)
    }
  }

  /// A server that looks at the kernel's counts in every tick.
  private static func watchful(pieces: Int = 1_000_000, bytes: Int = 1_000_000) throws
    -> TestServer
  {
    try server(pieces: pieces, bytes: bytes) {
      $0.watchAboveLoad = 0
      // The shortest time of all sets the tick.
      $0.closeAcknowledgement = 100
    }
  }

  private func expectTooFast(_ client: RawClient, _ server: TestServer) throws {
    while let frame = try client.receive() {
      if frame.opcode == 10 { continue }
      #expect(frame.closeCode == 4008)
      client.send(RawClient.frame(8, frame.payload))
      // The library still answers pings that came before; a peer ignores what follows a close frame.
      while let late = try client.receive() { #expect(late.opcode == 10) }
    }
    #expect(server.journal.firstClosing() == .tooFast)
    #expect(server.statistics.tooFast == 1)
  }

  private func expectOpen(_ client: RawClient) throws {
    client.sendText("still here")
    while let frame = try client.receiveData() {
      if frame.opcode != 10 { return #expect(frame.payload == Array("still here".utf8)) }
    }
    Issue.record("it was closed")
  }

  @Test("an allowance gives its burst, then one each time, and counts a late lump as even")
  func allowance() {
    let allowance = Allowance(perSecond: 10, burst: 5)
    var fullAt: UInt64 = 0
    let second: UInt64 = 1_000_000_000
    let now = 100 * second
    #expect(!allowance.take(6, from: &fullAt, since: now, at: now))
    #expect(allowance.take(5, from: &fullAt, since: now, at: now))
    #expect(!allowance.take(1, from: &fullAt, since: now, at: now + second / 10 - 1))
    #expect(allowance.take(1, from: &fullAt, since: now, at: now + second / 10))
    let later = now + 100 * second
    #expect(allowance.take(990, from: &fullAt, since: later - 100 * second, at: later))
    #expect(!allowance.take(10, from: &fullAt, since: later, at: later))
    #expect(!allowance.take(.max, from: &fullAt, since: 0, at: later))
    #expect(allowance.take(0, from: &fullAt, since: later, at: later))
  }

  @Test("as many messages at once as there are pieces are heard, one more is too fast")
  func pieces() throws {
    let server = try Self.server(pieces: 10)
    let client = try RawClient.open(server.site)
    for number in 0..<10 {
      client.send(RawClient.frame(2, [UInt8(number)]))
      #expect(try client.receive()?.payload == [UInt8(number)])
    }
    client.send(RawClient.frame(2, [10]))
    try expectTooFast(client, server)
  }

  @Test("a message counts as many pieces as it is read in")
  func longMessage() throws {
    // Between eight and sixteen for each, as the kernel divides them.
    let server = try Self.server(pieces: 20)
    let client = try RawClient.open(server.site)
    let message = RawClient.frame(2, [UInt8](repeating: 1, count: 4096))
    client.send(message)
    #expect(try client.receive()?.payload.count == 4096)
    client.send(message + message)
    while let frame = try client.receive() {
      if frame.opcode == 2 { continue }
      #expect(frame.closeCode == 4008)
      #expect(try client.finishClosing(frame))
    }
    #expect(server.journal.firstClosing() == .tooFast)
  }

  @Test("pongs count as pieces")
  func pongs() throws {
    let server = try Self.server(pieces: 21)
    let client = try RawClient.open(server.site)
    client.send((0..<20).flatMap { RawClient.frame(10, [UInt8($0)]) })
    try expectOpen(client)
    client.send(RawClient.frame(10, [1]))
    try expectTooFast(client, server)
  }

  @Test("as many bytes at once as allowed are heard, headers included, one more is too fast")
  func bytes() throws {
    // Two headers of 6 and 8 bytes.
    let server = try Self.server(bytes: 6 + 125 + 8 + 1000)
    let client = try RawClient.open(server.site)
    for count in [125, 1000] {
      client.send(RawClient.frame(2, [UInt8](repeating: 1, count: count)))
      #expect(try client.receive()?.payload.count == count)
    }
    let other = try RawClient.open(server.site)
    other.send(RawClient.frame(2, [UInt8](repeating: 1, count: 125)))
    #expect(try other.receive()?.payload.count == 125)
    other.send(RawClient.frame(2, [UInt8](repeating: 1, count: 1001)))
    try expectTooFast(other, server)
  }

  @Test("a message may come in as many fragments as allowed, in one more it is too fast")
  func fragments() throws {
    let server = try Self.server(fragments: 5)
    func message(_ count: Int) -> [UInt8] {
      RawClient.frame(2, [7], fin: false)
        + (0..<(count - 2)).flatMap { _ in RawClient.frame(0, [7], fin: false) }
        + RawClient.frame(0, [7])
    }
    let client = try RawClient.open(server.site)
    for _ in 0..<3 {
      client.send(message(5))
      #expect(try client.receive()?.payload == [7, 7, 7, 7, 7])
    }
    client.send(message(6))
    try expectTooFast(client, server)
  }

  @Test("one fragment of a message may be empty without being its last, a second is too fast")
  func emptyFragments() throws {
    let server = try Self.server()
    let client = try RawClient.open(server.site)
    let start = RawClient.frame(2, [7], fin: false)
    let empty = RawClient.frame(0, [], fin: false)
    for _ in 0..<3 {
      client.send(start + empty + RawClient.frame(0, []))
      #expect(try client.receive() == .init(opcode: 2, payload: [7]))
    }
    client.send(start + empty + empty)
    try expectTooFast(client, server)
  }

  @Test("a peer that goes on after the close frame is ended at once")
  func goesOn() throws {
    let server = try Self.server(pieces: 10) { $0.closeAcknowledgement = 1 << 30 }
    let client = try RawClient.open(server.site)
    client.send((0..<100).flatMap { _ in RawClient.frame(2, [1]) })
    while let frame = try client.receive() { #expect(frame.opcode == 2 || frame.closeCode == 4008) }
    #expect(server.journal.firstClosing() == .tooFast)
  }

  @Test("pings, which the library hides, are found by their bytes")
  func pings() throws {
    let server = try Self.watchful(bytes: 4000)
    let client = try RawClient.open(server.site)
    client.send((0..<100).flatMap { _ in RawClient.frame(9, []) })
    let looks = server.statistics.looks
    #expect(server.eventually { $0.looks > looks + 2 })
    try expectOpen(client)
    client.send((0..<700).flatMap { _ in RawClient.frame(9, []) })
    try expectTooFast(client, server)
  }

  @Test("pings that come one by one are found by their segments")
  func slowPings() throws {
    let server = try Self.watchful(pieces: 60)
    let client = try RawClient.open(server.site)
    func ping() throws -> RawClient.Received? {
      client.send(RawClient.frame(9, [1]))
      return try client.receive()
    }
    for _ in 0..<40 { #expect(try ping()?.opcode == 10) }
    try expectOpen(client)
    var count = 41
    while count < 100_000, let frame = try ping() {
      count += 1
      if frame.opcode == 10 { continue }
      #expect(frame.closeCode == 4008)
      break
    }
    // The look may come some pings later, but not before.
    #expect(count > 58)
    #expect(server.journal.firstClosing() == .tooFast)
  }

  @Test("a loop with little to do does not ask the kernel")
  func calm() throws {
    let server = try TestServer { $0.pingAfter = 100 }
    let client = try RawClient.open(server.site)
    for _ in 0..<5 {
      let ping = try #require(try client.receive())
      client.send(RawClient.frame(10, ping.payload))
    }
    #expect(server.statistics.looks == 0)
  }
}
