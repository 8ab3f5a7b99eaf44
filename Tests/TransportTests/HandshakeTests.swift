import Glibc
import TestSupport
import Testing
import Transport

/// What comes before there is TLS, and what does not become any.
@Suite(.waiting) struct HandshakeTests {
  private func server(
    _ configure: (inout TransportConfiguration) -> Void = { _ in }
  ) throws -> TestServer {
    let identity = try Pair.shared.get().load()
    return try TestServer {
      $0.tls = identity
      configure(&$0)
    }
  }

  /// The beginning of a client's hello, which promises 512 bytes and has four.
  private let halfHello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc]

  @Test("plain HTTP is told that this port speaks HTTPS, without the promise of TLS")
  func plain() throws {
    let server = try server()
    let client = try RawClient(server.site)
    client.send("GET / HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    let answer = try #require(try client.answer())
    #expect(answer.status == 400)
    #expect(answer.text.contains("HTTPS only"))
    #expect(answer.header("Strict-Transport-Security") == nil)
    #expect(server.eventually { $0.openSockets == 0 && $0.tlsHandshakesFailed == 1 })
  }

  @Test(
    "what is no handshake gets an alert at most, and the connection ends",
    arguments: [
      Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), [UInt8](repeating: 0, count: 64),
      [UInt8](repeating: 0xff, count: 20_000),
      [0x16, 0x03, 0x01, 0x00, 0x05, 0x01, 0x00, 0x00, 0x01, 0x00],
      [0x17, 0x03, 0x03, 0x00, 0x01, 0x00], [0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28],
    ])
  func garbage(_ bytes: [UInt8]) throws {
    let server = try server()
    let client = try RawClient(server.site)
    client.send(bytes)
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(try client.rest().count <= 7)
    #expect(server.eventually { $0.openSockets == 0 && $0.tlsHandshakesFailed == 1 })
  }

  @Test("who says nothing, or half a hello, is dropped after the time for a head")
  func slow() throws {
    let server = try server { $0.acceptToHead = 100 }
    let silent = try RawClient(server.site)
    let half = try RawClient(server.site)
    half.send(halfHello)
    #expect(try silent.rest().isEmpty)
    #expect(try half.rest().isEmpty)
    #expect(server.eventually { $0.openSockets == 0 })
  }

  @Test("who hangs up in the middle of the handshake leaves nothing behind")
  func hangUp() throws {
    let server = try server()
    for _ in 0..<20 {
      let client = try RawClient(server.site)
      client.send(halfHello)
    }
    #expect(server.eventually { $0.openSockets == 0 && $0.tlsHandshakesFailed == 20 })
  }

  @Test("one unfinished handshake too many costs the oldest its place, and others go on")
  func tooMany() throws {
    let server = try server {
      $0.maximumTLSHandshakes = 2
      $0.handshakePatience = 20
    }
    let open = try RawClient.open(server.site, secure: true)
    let waiting = try (0..<3).map { _ in try RawClient(server.site) }
    #expect(try waiting[0].rest().isEmpty)
    #expect(server.eventually { $0.tlsHandshakesFailed == 1 && $0.openSockets == 3 })
    let client = try RawClient.open(server.site, secure: true)
    for one in [open, client] {
      one.sendText("x")
      #expect(try one.receiveData()?.payload == Array("x".utf8))
    }
  }

  @Test("a thousand connections of all kinds leave nothing behind")
  func leavesNothing() throws {
    let server = try server {
      $0.acceptBurst = 10_000
      $0.acceptToHead = 500
      $0.closeAcknowledgement = 50
    }
    for round in 0..<200 {
      let kept = try RawClient.open(server.site, secure: true)
      let answered = try RawClient(server.site, secure: true)
      answered.send("GET /healthz HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
      let (half, silent) = (try RawClient(server.site), try RawClient(server.site))
      half.send(halfHello)
      let plain = try RawClient(server.site)
      plain.send("GET / HTTP/1.1\r\n\r\n")
      if round.isMultiple(of: 2) { #expect(try answered.answer()?.status == 200) }
      withExtendedLifetime((kept, half, silent, plain)) {}
    }
    #expect(
      server.eventually { $0.openSockets == 0 && $0.accepted == 1000 && $0.tlsHandshakes == 400 })
  }

  @Test("HTTP/1.1 is agreed on, whatever else is offered, and nothing without it")
  func inside() throws {
    let server = try server()
    let client = try RawClient(server.site)
    #expect(try ClientTLS(client.descriptor, offering: ["h2", "http/1.1"]).agreed == "http/1.1")
    let modern = try RawClient(server.site)
    #expect(throws: RawClient.Failed.self) {
      try ClientTLS(modern.descriptor, offering: ["h2"])
    }
    let old = try RawClient(server.site)
    #expect(try ClientTLS(old.descriptor, offering: []).agreed == "")
  }

  @Test("a renewed certificate is shown to who comes then, and who is there goes on")
  func renewal() throws {
    let server = try server()
    let before = try RawClient.open(server.site, secure: true)
    let renewed = try Pair().load()
    _ = server.onLoop { $0.renew(renewed) }
    let after = try RawClient.open(server.site, secure: true)
    let certificates = [before, after].compactMap { $0.tls?.certificate }
    #expect(certificates.count == 2 && certificates[0] != certificates[1])
    for client in [before, after] {
      client.sendText("still here")
      #expect(try client.receiveData()?.payload == Array("still here".utf8))
    }
  }

  @Test("a loop without TLS does not begin to speak it")
  func plainStaysPlain() throws {
    let server = try TestServer()
    let identity = try Pair.shared.get().load()
    _ = server.onLoop { $0.renew(identity) }
    let client = try RawClient.open(server.site)
    client.sendText("plain")
    #expect(try client.receiveData()?.payload == Array("plain".utf8))
  }
}
