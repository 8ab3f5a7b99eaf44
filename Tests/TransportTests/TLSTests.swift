import Glibc
import TestSupport
import Testing
import Transport

/// What goes through TLS, both ways, up to its end.
@Suite(.waiting) struct TLSTests {
  private func server(
    _ configure: (inout TransportConfiguration) -> Void = { _ in },
    onMessage: TestHandler.OnMessage? = nil
  ) throws -> TestServer {
    let identity = try Pair.shared.get().load()
    return try TestServer(
      {
        $0.tls = identity
        configure(&$0)
      }, onMessage: onMessage)
  }

  private func get(_ path: String, from server: TestServer) throws -> RawClient.Answer {
    let client = try RawClient(server.site, secure: true)
    client.send("GET \(path) HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    return try #require(try client.answer())
  }

  @Test("a WebSocket works inside TLS, with messages of every size, and closes in order")
  func echo() throws {
    let server = try server()
    let client = try RawClient.open(server.site, secure: true)
    for size in [0, 1, 125, 126, 4096] {
      let text = String(repeating: "a", count: size)
      client.sendText(text)
      #expect(try client.receiveData()?.payload == Array(text.utf8))
    }
    client.send(RawClient.frame(8, [0x03, 0xe8]))
    #expect(try client.receiveData()?.closeCode == 1000)
    #expect(try client.rest().isEmpty)
    #expect(server.journal.firstClosing() == .peer(code: 1000))
    #expect(server.eventually { $0.openSockets == 0 && $0.tlsHandshakes == 1 })
  }

  @Test("a close from this side arrives with its code, and its reason is the server's")
  func closing() throws {
    let server = try server(onMessage: { loop, id, _, _ in
      loop.close(id, code: 4001, reason: "enough")
    })
    let client = try RawClient.open(server.site, secure: true)
    client.sendText("x")
    let frame = try #require(try client.receiveData())
    #expect(frame.closeCode == 4001)
    #expect(try client.finishClosing(frame))
    #expect(server.eventually { $0.openSockets == 0 })
  }

  @Test("frames that come right behind the upgrade, in one record, are not lost")
  func pipelined() throws {
    let server = try server()
    let client = try RawClient(server.site, secure: true)
    client.send(Array(client.upgradeHead().utf8) + RawClient.frame(1, Array("early".utf8)))
    #expect(try client.answer()?.status == 101)
    #expect(try client.receiveData()?.payload == Array("early".utf8))
  }

  @Test("messages that are sent before any answer is read all come back, in order")
  func bothWaysFull() throws {
    let server = try server {
      $0.maximumQueuedBytes = 1 << 24
      $0.piecesPerSecond = 1 << 20
      $0.pieceBurst = 1 << 20
      $0.bytesPerSecond = 1 << 28
      $0.byteBurst = 1 << 28
    }
    let client = try RawClient.open(server.site, receiveBuffer: 16_384, secure: true)
    let filler = String(repeating: "-", count: 4000)
    for number in 0..<1000 { client.sendText("\(number)\(filler)") }
    for number in 0..<1000 {
      #expect(try client.receiveData()?.payload == Array("\(number)\(filler)".utf8))
    }
  }

  @Test("a member that reads nothing is noticed through TLS: its queue fills and it is dropped")
  func stalledMember() throws {
    let frame = Frame.binary([UInt8](repeating: 7, count: 16_384))
    let server = try server(
      {
        $0.sendBufferBytes = 32_768
        $0.maximumQueuedBytes = 65_536
        $0.closeAcknowledgement = 50
      },
      onMessage: { loop, id, _, _ in
        for _ in 0..<64 where loop.send(frame, to: id, .queued) == .accepted {}
      })
    let client = try RawClient.open(server.site, receiveBuffer: 16_384, secure: true)
    for _ in 0..<64 { client.sendText("more") }
    let reason = try #require(server.journal.firstClosing())
    guard case .tooSlow = reason else {
      Issue.record("\(reason)")
      return
    }
    #expect(server.eventually { $0.openSockets == 0 })
    withExtendedLifetime(client) {}
  }

  @Test("an answer that is larger than all buffers arrives whole through TLS")
  func large() throws {
    let server = try server { $0.sendBufferBytes = 32_768 }
    let client = try RawClient(server.site, receiveBuffer: 32_768, secure: true)
    client.send("GET /large HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    let answer = try #require(try client.answer())
    #expect(answer.body.count == 1 << 20)
    #expect(answer.body.allSatisfy { $0 == UInt8(ascii: "x") })
    #expect(server.eventually { $0.openSockets == 0 })
  }

  @Test("a reader that stops in the middle of an answer is dropped, its tunnel too")
  func stalledReader() throws {
    let server = try server {
      $0.sendBufferBytes = 32_768
      $0.acceptToHead = 1000
      $0.closeAcknowledgement = 50
    }
    let client = try RawClient(server.site, receiveBuffer: 32_768, secure: true)
    client.send("GET /large HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    #expect(server.eventually { $0.responses[200] == 1 && $0.openSockets == 0 })
    withExtendedLifetime(client) {}
  }

  @Test("a client that says its end behind the request still gets the answer, whole")
  func halfClosed() throws {
    let server = try server()
    let client = try RawClient(server.site, secure: true)
    client.send("GET /large HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    client.tls?.sayEnd()
    shutdown(client.descriptor, Int32(SHUT_WR))
    #expect(try client.answer()?.body.count == 1 << 20)
    #expect(server.eventually { $0.openSockets == 0 })
  }

  @Test("an end without a word of TLS, and a reset, end the WebSocket", arguments: [false, true])
  func cutOff(reset: Bool) throws {
    let server = try server()
    let client = try RawClient.open(server.site, secure: true)
    if reset {
      var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
      let size = socklen_t(MemoryLayout<Glibc.linger>.size)
      setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
      // Takes the descriptor's place, so that the client closes something of its own.
      let other = open("/dev/null", O_RDONLY)
      dup2(other, client.descriptor)
      close(other)
    } else {
      shutdown(client.descriptor, Int32(SHUT_WR))
    }
    #expect(server.journal.firstClosing() == .lost)
    #expect(server.eventually { $0.openSockets == 0 })
    withExtendedLifetime(client) {}
  }

  @Test("a peer that falls silent is found dead through TLS, and one that answers pings is not")
  func heartbeat() throws {
    let server = try server {
      $0.pingAfter = 100
      $0.deadAfter = 300
    }
    let silent = try RawClient.open(server.site, secure: true)
    #expect(server.journal.firstClosing() == .dead)
    #expect(server.eventually { $0.openSockets == 0 && $0.dead == 1 })
    withExtendedLifetime(silent) {}
  }

  @Test("draining tells a member inside TLS and waits until it is gone")
  func drain() throws {
    let server = try server()
    let client = try RawClient.open(server.site, secure: true)
    server.handle.submit { $0.drain(code: 1012, reason: "restart", within: 5000) }
    let frame = try #require(try client.receiveData())
    #expect(frame.closeCode == 1012)
    #expect(try client.finishClosing(frame))
    #expect(server.journal.wait { $0.contains(.drained) ? true : nil } == true)
  }

  @Test("pages get the promise of TLS, and a policy and names with its schemes")
  func headers() throws {
    let server = try server()
    let answer = try get("/healthz", from: server)
    #expect(answer.header("Strict-Transport-Security") == "max-age=31536000")
    let policy = try #require(answer.header("Content-Security-Policy"))
    #expect(policy.contains(" wss://\(server.site) ") && !policy.contains("ws://127.0.0.1 "))
    for (scheme, status) in [("https", 101), ("http", 403)] {
      let client = try RawClient(server.site, secure: true)
      #expect(try client.upgrade(["Origin": "\(scheme)://\(server.site)"])?.status == status)
    }
    let quiet = try self.server { $0.strictTransportSeconds = 0 }
    #expect(try get("/healthz", from: quiet).header("Strict-Transport-Security") == nil)
  }

  @Test("who is one too many hears so through TLS, but not everybody at once")
  func turnedAway() throws {
    let server = try server {
      $0.maximumConnections = 1
      $0.maximumTurnedAway = 1
    }
    let member = try RawClient.open(server.site, secure: true)
    for _ in 0..<3 {
      let answer = try get("/", from: server)
      #expect(answer.status == 503)
      #expect(answer.header("Retry-After") == "5")
      #expect(server.eventually { $0.openSockets == 1 })
    }
    // One that says nothing takes the only place.
    let silent = try RawClient(server.site)
    #expect(server.eventually { $0.openSockets == 2 })
    let another = try RawClient(server.site)
    #expect(try another.rest() == [])
    member.sendText("still here")
    #expect(try member.receiveData()?.payload == Array("still here".utf8))
    #expect(server.statistics.refusedAtLimit == 5)
    withExtendedLifetime(silent) {}
  }

  @Test("the admin listener speaks no TLS, beside a site that does")
  func admin() throws {
    let server = try server { $0.adminListeners = [try! address("127.0.0.1")] }
    let client = try RawClient(server.handle.configuration.adminListeners[0])
    client.send("GET /healthz HTTP/1.1\r\nHost: \(client.address)\r\n\r\n")
    let answer = try #require(try client.answer())
    #expect(answer.status == 200)
    #expect(answer.header("Strict-Transport-Security") == nil)
  }
}
