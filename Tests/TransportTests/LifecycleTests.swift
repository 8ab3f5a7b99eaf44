import Glibc
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.waiting) struct LifecycleTests {
  @Test("draining tells every connection, takes no new one, and says when it is done")
  func drain() throws {
    let server = try TestServer()
    let clients = try (0..<3).map { _ in try RawClient.open(server.site) }
    let halfRequest = try RawClient(server.site)
    #expect(server.eventually { $0.openSockets == 4 })
    server.handle.submit { $0.drain(code: 1012, reason: "restart", within: 15_000) }
    for client in clients {
      let frame = try #require(try client.receive())
      #expect(frame.closeCode == 1012)
      #expect(try client.finishClosing(frame))
    }
    #expect(try halfRequest.rest() == [])
    #expect(server.journal.wait { $0.last == .drained ? true : nil } == true)
    #expect(throws: RawClient.Failed.self) { try RawClient(server.site) }
    #expect(server.statistics.openSockets == 0)
  }

  @Test("draining ends mute connections by its deadline")
  func drainDeadline() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    server.handle.submit { $0.drain(code: 1001, reason: "", within: 50) }
    #expect(try client.receive()?.closeCode == 1001)
    #expect(try client.receive() == nil)
    #expect(server.journal.wait { $0.last == .drained ? true : nil } == true)
    #expect(server.journal.firstClosing() == .closed(code: 1001))
  }

  @Test("stopping drops what is open, ends the thread, and takes no more work")
  func stop() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    let half = try RawClient(server.site)
    half.send("GET")
    server.handle.stop()
    server.handle.join()
    #expect(try client.rest() == [])
    #expect(try half.rest() == [])
    #expect(server.journal.firstClosing() == .dropped)
    #expect(server.handle.submit { _ in } == false)
    server.handle.join()
  }

  @Test("two loops share a port, the limits, and the work")
  func twoLoops() throws {
    let first = try TestServer { $0.maximumConnections = 40 }
    let second = try TestServer(sharing: first, index: 1)
    #expect(first.site == second.site)
    let clients = try (0..<40).map { _ in try RawClient.open(first.site) }
    for client in clients {
      client.sendText("hi")
      #expect(try client.receive()?.payload == Array("hi".utf8))
    }
    let counts = [first.statistics.openConnections, second.statistics.openConnections]
    #expect(counts.reduce(0, +) == 40)
    #expect(counts.allSatisfy { $0 > 0 })
    #expect(try RawClient(first.site).answer()?.status == 503)
    // No two connections of the process have one name, and each tells its loop.
    let ids = [first, second].map { server in
      server.journal.all.compactMap {
        if case .opened(let opening) = $0 { opening.id } else { nil }
      }
    }
    #expect(Set(ids.joined()).count == 40)
    #expect(ids[0].allSatisfy { $0.loop == 0 } && ids[1].allSatisfy { $0.loop == 1 })
    withExtendedLifetime(clients) {}
  }

  @Test("a loop that is started without accepting leaves who connects waiting until it is told to")
  func notAccepting() throws {
    let server = try TestServer(accepting: false)
    let client = try RawClient(server.site)
    client.send(client.upgradeHead())
    #expect(server.statistics.accepted == 0)
    server.handle.accept()
    #expect(try client.answer()?.status == 101)
  }

  @Test("a probe finds another server, which SO_REUSEPORT would hide")
  func probe() throws {
    var server: TestServer? = try TestServer()
    let site = try #require(server).site
    #expect(throws: TransportError.addressInUse(site)) { try site.probe() }
    #expect("\(TransportError.addressInUse(site))".contains("\(site)"))
    server = nil
    try site.probe()
  }

  @Test("an address that is not this machine's can't be listened on")
  func foreignAddress() throws {
    let foreign = try address("192.0.2.1")
    #expect(throws: TransportError.cannotListen(foreign, call: "bind", errno: EADDRNOTAVAIL)) {
      try TestServer { $0.siteListeners = [foreign] }
    }
  }

  @Test("settings that contradict each other are refused")
  func badSettings() {
    #expect(throws: TransportError.self) { try TestServer { $0.deadAfter = $0.pingAfter } }
    #expect(throws: TransportError.self) { try TestServer { $0.maximumMessageBytes = 0 } }
    for name in ["", "a b", "a;b", "a\r\nX-Injected: 1", "a\u{e4}"] {
      #expect(throws: TransportError.self) {
        try TestServer { $0.siteNames = BorderNames(hosts: [name], origins: []) }
      }
      #expect(throws: TransportError.self) { try TestServer { $0.siteOrigins = [name] } }
    }
    #expect(throws: TransportError.self) { try TestServer { $0.siteRoot = "/nonexistent/web" } }
  }

  @Test("IPv6 has a listener of its own", .enabled(if: hasIPv6))
  func ipv6() throws {
    let loopback = try address("::1")
    let server = try TestServer { $0.siteListeners.append(loopback) }
    let six = server.handle.configuration.siteListeners[1]
    #expect(six.isIPv6)
    let client = try RawClient.open(six)
    client.sendText("six")
    #expect(try client.receive()?.payload == Array("six".utf8))
    #expect(server.journal.firstOpening()?.peer.host == "::1")
    let origin = "http://[::1]:\(six.port)"
    #expect(try RawClient(six).upgrade(["Origin": origin])?.status == 101)
  }

  @Test("timers keep their order, are never early, and forget when told to")
  func timers() throws {
    let server = try TestServer()
    let fired = Fired()
    let done = Done()
    server.handle.submit { loop in
      let start = loop.now
      for delay in [30, 10, 20] {
        let deadline = start + UInt64(delay) * 1_000_000
        let timer = loop.makeTimer { fired.add(delay, early: $0.now < deadline) }
        timer.arm(at: deadline)
      }
      let forgotten = loop.makeTimer { _ in fired.add(-1, early: false) }
      forgotten.arm(afterMilliseconds: 5)
      forgotten.disarm()
      let last = loop.makeTimer { _ in done.signal() }
      last.arm(afterMilliseconds: 1)
      last.arm(afterMilliseconds: 40)
    }
    done.wait()
    #expect(fired.list.withLock { $0 } == [10, 20, 30])
    #expect(fired.early.withLock { $0 } == 0)
  }

  @Test("work from another thread runs in its order, on the loop's thread")
  func submitting() throws {
    let server = try TestServer()
    let fired = Fired()
    for number in 0..<1000 { server.handle.submit { _ in fired.add(number, early: false) } }
    _ = server.statistics
    #expect(fired.list.withLock { $0 } == Array(0..<1000))
  }

  @Test("ordinary and broken sessions leave nothing unprintable in the log")
  func log() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.sendText("x")
    #expect(try client.receive() != nil)
    client.send(RawClient.frame(3, Array("\u{1b}[31m".utf8)))
    _ = try client.receive()
    for event in server.journal.all {
      guard case .log(let line) = event else { continue }
      #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
      Issue.record("\(line)")
    }
  }

  @Test("stopping closes no descriptor of anybody else's")
  func othersDescriptors() async {
    await #expect(processExitsWith: .success) {
      let stopped = Done()
      let ends = Journal()
      let losses = Journal()
      // Another loop's thread opens and closes all the time.
      let opener = try TestServer()
      opener.handle.submit { _ in
        while ends.all.isEmpty {
          let numbers = (0..<8).map { _ in dup(0) }
          // A close that fails: somebody else has done it.
          for number in numbers where close(number) != 0 { losses.add(.log("\(number)")) }
        }
        stopped.signal()
      }
      for _ in 0..<200 { _ = try TestServer() }
      ends.add(.drained)
      stopped.wait()
      try #require(losses.all.isEmpty)
    }
  }
}

private final class Fired: Sendable {
  let list = Mutex<[Int]>([])
  let early = Mutex(0)

  func add(_ number: Int, early isEarly: Bool) {
    list.withLock { $0.append(number) }
    if isEarly { early.withLock { $0 += 1 } }
  }
}

/// Whether this machine has ::1.
private let hasIPv6: Bool = {
  guard let address = ListenAddress(host: "::1", port: 0) else { return false }
  let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var name = sockaddr_in6()
  name.sin6_family = sa_family_t(AF_INET6)
  inet_pton(AF_INET6, address.host, &name.sin6_addr)
  return withUnsafePointer(to: &name) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
    }
  } == 0
}()
