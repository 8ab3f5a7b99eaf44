import Glibc
import TestSupport
import Testing
import Transport

/// Times and numbers that a client can't go beyond.
@Suite(.waiting) struct LimitTests {
  @Test("a slow head is answered with 408, a silent socket is just closed")
  func slowHead() throws {
    let server = try TestServer { $0.acceptToHead = 100 }
    let silent = try RawClient(server.site)
    let slow = try RawClient(server.site)
    slow.send("GET /healthz HTTP/1.1\r\nHos")
    #expect(try slow.answer()?.status == 408)
    #expect(try silent.rest() == [])
    #expect(server.eventually { $0.openSockets == 0 })
    #expect(server.statistics.abandonedRequests == 2)
  }

  @Test("a head that comes byte by byte in time is answered")
  func dripHead() throws {
    let server = try TestServer()
    let client = try RawClient(server.site)
    for byte in Array("GET /healthz HTTP/1.1\r\nHost: \(server.site)\r\n\r\n".utf8) {
      client.send([byte])
    }
    #expect(try client.answer()?.status == 200)
  }

  @Test("a connection that is not marked ready in time is closed with the code for it")
  func notReady() throws {
    let server = try TestServer(marksReady: false) {
      $0.acceptToReady = 100
      $0.notReadyCode = 4000
    }
    let client = try RawClient.open(server.site)
    let frame = try #require(try client.receiveData())
    #expect(frame.closeCode == 4000)
    #expect(try client.finishClosing(frame))
    #expect(server.journal.firstClosing() == .notReady)
  }

  @Test("a peer that answers nothing is pinged, and dropped in the stated time")
  func halfOpen() throws {
    let server = try TestServer {
      $0.pingAfter = 100
      $0.deadAfter = 400
    }
    let start = ContinuousClock.now
    let client = try RawClient.open(server.site)
    let ping = try #require(try client.receive())
    #expect(ping.opcode == 9)
    #expect(!ping.payload.isEmpty)
    #expect(try client.receive() == nil)
    let passed = ContinuousClock.now - start
    // The kernel's clock for the last byte has steps of some milliseconds.
    #expect(passed > .milliseconds(380) && passed < .seconds(4))
    #expect(server.journal.firstClosing() == .dead)
    #expect(server.statistics.dead == 1)
  }

  @Test("a peer that only answers pings lives on")
  func ponging() throws {
    let server = try TestServer {
      $0.pingAfter = 100
      $0.deadAfter = 1500
    }
    let client = try RawClient.open(server.site)
    for _ in 0..<17 {
      let ping = try #require(try client.receive())
      #expect(ping.opcode == 9)
      client.send(RawClient.frame(10, ping.payload))
    }
    client.sendText("still here")
    #expect(try client.receiveData()?.payload == Array("still here".utf8))
  }

  @Test("a byte that is not a whole frame yet is a sign of life")
  func halfFrame() throws {
    let server = try TestServer {
      $0.pingAfter = 100
      $0.deadAfter = 1000
    }
    let client = try RawClient.open(server.site)
    let frame = RawClient.frame(2, [5])
    #expect(try client.receive()?.opcode == 9)
    client.send([frame[0]])
    // Nothing of this reached the library's callbacks, yet there is another ping and no end.
    #expect(try client.receive()?.opcode == 9)
    client.send(Array(frame[1...]))
    #expect(try client.receiveData() == .init(opcode: 2, payload: [5]))
  }

  @Test("a peer that does not answer a close frame is dropped")
  func muteClose() throws {
    let server = try TestServer {
      $0.closeAcknowledgement = 100
    } onMessage: { loop, id, _, _ in
      loop.close(id, code: 4001, reason: "")
    }
    let client = try RawClient.open(server.site)
    client.sendText("x")
    #expect(try client.receive()?.closeCode == 4001)
    #expect(try client.receive() == nil)
    #expect(server.journal.firstClosing() == .closed(code: 4001))
  }

  @Test("an address may have so many connections and no more; one that ends makes room")
  func perAddress() throws {
    let server = try TestServer { $0.maximumConnectionsPerAddress = 2 }
    let first = try RawClient.open(server.site)
    let second = try RawClient.open(server.site)
    let refused = try #require(try RawClient(server.site).answer())
    #expect(refused.status == 429)
    #expect(refused.header("Retry-After") != nil)
    first.send(RawClient.frame(8, [3, 0xe8]))
    _ = try first.rest()
    #expect(server.eventually { $0.openSockets == 1 })
    let third = try RawClient.open(server.site)
    withExtendedLifetime((second, third)) {}
    #expect(server.statistics.refusedByAddress == 1)
  }

  @Test("an address that opens too fast gets 429")
  func rate() throws {
    let server = try TestServer {
      $0.acceptBurst = 3
      $0.acceptsPerSecond = 1
    }
    var statuses: [Int?] = []
    for _ in 0..<12 {
      let client = try RawClient(server.site)
      client.send("GET /healthz HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
      statuses.append(try client.answer()?.status)
    }
    #expect(statuses.prefix(3) == [200, 200, 200])
    #expect(statuses.contains(429))
  }

  @Test("addresses count by /32 or /64, and all that name this machine count as one")
  func keys() throws {
    func key(_ host: String) throws -> AddressKey { try address(host).limitKey }
    #expect(try key("192.0.2.1") != key("192.0.2.2"))
    #expect(try key("2001:db8::1") == key("2001:db8::2"))
    #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
    #expect(try key("127.0.0.1") == key("127.9.8.7"))
    #expect(try key("127.0.0.1") == key("::1"))
    #expect(try key("::2").number != 0)
    var configuration = TransportConfiguration()
    configuration.maximumConnectionsPerAddress = 2
    let admission = Admission(configuration)
    #expect(admission.admit(try address("127.0.0.1"), at: 0) == .admitted)
    #expect(admission.admit(try address("127.0.0.2"), at: 0) == .admitted)
    #expect(admission.admit(try address("127.0.0.3"), at: 0) == .tooMany)
    #expect(admission.admit(try address("192.0.2.1"), at: 0) == .admitted)
    admission.release(try address("127.0.0.1"))
    #expect(admission.admit(try address("127.0.0.4"), at: 0) == .admitted)
  }

  @Test("loopback may be exempt from the limits of an address")
  func exempt() throws {
    let server = try TestServer {
      $0.maximumConnectionsPerAddress = 1
      $0.acceptBurst = 1
      $0.exemptsLoopback = true
    }
    let clients = try (0..<5).map { _ in try RawClient.open(server.site) }
    #expect(server.statistics.openConnections == clients.count)
    withExtendedLifetime(clients) {}
  }

  @Test("a full server answers 503")
  func full() throws {
    let server = try TestServer { $0.maximumConnections = 1 }
    let first = try RawClient.open(server.site)
    let refused = try #require(try RawClient(server.site).answer())
    #expect(refused.status == 503)
    #expect(refused.header("Retry-After") == "5")
    withExtendedLifetime(first) {}
  }

  @Test("1000 connects and disconnects leave no connection and no descriptor behind")
  func manyConnects() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer { $0.exemptsLoopback = true }
      func descriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return -1 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
      }
      let before = descriptors()
      for round in 0..<1000 {
        let client = try RawClient.open(server.site)
        switch round % 4 {
        case 0: client.sendText("bye")
        case 1: client.send([0x82])
        case 2:
          client.send(RawClient.frame(8, []))
          _ = try client.rest()
        default: break
        }
      }
      try #require(server.eventually { $0.openSockets == 0 && $0.closed == 1000 })
      // The library closes the last descriptor in the turn after it has said so.
      var after = descriptors()
      let deadline = time(nil) + 20
      while after != before, time(nil) < deadline {
        _ = server.statistics
        after = descriptors()
      }
      try #require(before == after)
    }
  }

  @Test("without descriptors accepting pauses, does not spin, and goes on by itself")
  func outOfDescriptors() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer { $0.acceptPause = 50 }
      // Room for two clients and their two accepted sockets, and one more client.
      let room = (0..<5).map { _ in dup(0) }
      for descriptor in room { close(descriptor) }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(7), &limit)
      limit.rlim_cur = rlim_t(room.max().map { $0 + 1 } ?? 0)
      setrlimit(__rlimit_resource_t(7), &limit)
      let request = "GET /healthz HTTP/1.1\r\nHost: \(server.site)\r\n\r\n"
      var held = [try RawClient.open(server.site), try RawClient.open(server.site)]
      let third = try RawClient(server.site)
      third.send(request)
      let start = ContinuousClock.now
      try #require(server.eventually { $0.acceptPauses > 0 })
      let pauses = server.statistics.acceptPauses
      try #require(server.eventually { $0.acceptPauses >= pauses + 10 })
      try #require(server.statistics.accepted == 2)
      // As many pauses as fit into the time: it waited in each of them.
      let more = server.statistics.acceptPauses - pauses
      try #require(ContinuousClock.now - start >= .milliseconds(50 * (more - 2)))
      held.removeFirst()
      try #require(try third.answer()?.status == 200)
    }
  }
}
