import TestSupport
import Testing

@Suite("A server closes", .waiting)
struct ClosingTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("what it does not understand or allow, with the code that says why")
  func codes() throws {
    let server = try TestServer(scratch)
    let cases: [(code: Int, words: [String])] = [
      (4400, ["no JSON"]),
      (4400, [#"{"type":"nonsense"}"#]),
      (4400, [#"{"type":"pen.request"}"#]),
      (4400, [#"{"type":"hello","room":"board:a","role":"king"}"#]),
      (4400, [#"{"type":"hello","room":"board:a","role":"viewer"}"#, "{}"]),
      (
        4400,
        Array(repeating: #"{"type":"hello","room":"board:a","role":"viewer"}"#, count: 2)
      ),
      (4401, [#"{"type":"hello","room":"board:a","role":"viewer","token":"x"}"#]),
      (4403, [#"{"type":"hello","room":"board:a","role":"admin"}"#]),
      (4403, [#"{"type":"hello","room":"nowhere","role":"viewer"}"#]),
      (1009, [String(repeating: " ", count: 4097)]),
    ]
    for (code, words) in cases {
      let client = try Client(server)
      words.forEach(client.say)
      #expect(try client.closeCode() == code, "\(words)")
    }
    #expect(try server.settles(["connections": 0, "members": 0]))
    let text = try HTTPAnswer.get(server.adminPort, "/metrics").body
    #expect(text.contains(#"drawbolt_closes_total{code="1009"} 1"#))
    #expect(text.contains(#"drawbolt_closes_total{code="4403"} 2"#))
  }

  @Test("a connection that says nothing")
  func silent() throws {
    let server = try TestServer(scratch, "--limits-hello-time", "150ms")
    let silent = try Client(server)
    #expect(try silent.closeCode() == 4001)
    #expect(try server.settles(["connections": 0]))
  }

  @Test("a connection that is too fast for the third time, after telling it twice")
  func rates() throws {
    let server = try TestServer(
      scratch, "--limits-samples-per-second", "1", "--limits-samples-burst", "4",
      "--limits-rate-strikes", "2")
    let (viewer, _) = try Client.join(server, "board:b", "viewer")
    let (drawer, _) = try Client.join(server, "board:b", "controller")
    drawer.samples(1, "press", [0])
    try viewer.state("drawing")
    drawer.samples(1, "move", [1, 2, 5, 8, 7])
    #expect(try drawer.message("error")["code"] == "rate")
    // The stroke is cancelled, not thinned out.
    #expect(try viewer.state("cancelled").path == [])
    // A new stroke of the same breach is answered too, or its drawer would wait for a verdict.
    drawer.samples(2, "press", [0])
    let refusal = try drawer.message("error")
    #expect(refusal["code"] == "rate")
    #expect(try (1...1000).contains(#require(refusal["retryAfterMs"] as Int?)))
    // What still comes belongs to the same breach; a second later it is the next one.
    let end = ContinuousClock.now + .seconds(20)
    while try server.metric("members") == 2, ContinuousClock.now < end {
      drawer.samples(2, "press", [0, 1, 2, 5, 8])
    }
    #expect(try drawer.closeCode() == 4008)
  }

  @Test(
    "a connection that sends more pieces or bytes than it may",
    arguments: [("pieces", 12, 3), ("bytes", 1000, 25)])
  func volumes(_ name: String, _ burst: Int, _ more: Int) throws {
    let server = try TestServer(
      scratch, "--limits-\(name)-per-second", "1", "--limits-\(name)-burst", "\(burst)")
    let (viewer, welcome) = try Client.join(server, "board:b", "viewer")
    let limits: [String: Any] = try #require(welcome["limits"])
    #expect(limits["\(name)Burst"] as? Int == burst)
    for _ in 0..<10 { viewer.say(#"{"type":"ack","version":1}"#) }
    #expect(try server.metric("members") == 1)
    for _ in 0..<more { viewer.say(#"{"type":"ack","version":1}"#) }
    #expect(try viewer.closeCode() == 4008)
    #expect(try server.settles(["connections": 0, "members": 0]))
    let text = try HTTPAnswer.get(server.adminPort, "/metrics").body
    #expect(text.contains(#"drawbolt_closes_total{code="4008"} 1"#))
  }

  @Test("a connection that sends more text than it may too often, after telling it")
  func textBytes() throws {
    let server = try TestServer(
      scratch, "--limits-text-bytes-per-second", "1", "--limits-text-bytes-burst", "1000",
      "--limits-rate-strikes", "2")
    let (viewer, _) = try Client.join(server, "board:b", "viewer")
    let filler = String(repeating: " ", count: 400)
    viewer.say(#"{"type":"ack","version":1}"# + filler)
    viewer.say(#"{"type":"ack","version":1}"# + filler + filler)
    #expect(try viewer.message("error")["code"] == "rate")
    let end = ContinuousClock.now + .seconds(20)
    while try server.metric("members") == 1, ContinuousClock.now < end {
      viewer.say(#"{"type":"ack","version":1}"# + filler + filler)
    }
    #expect(try viewer.closeCode() == 4008)
  }

  @Test("a room whose lock is removed, which is then refused like an unknown one")
  func removedLock() throws {
    let server = try TestServer(scratch)
    let (member, _) = try Client.join(server, "demo", "viewer")
    let removal = try ChildProcess(
      ["lock", "remove", "demo", "--dev", "--data-directory", scratch.path + "/data"],
      scratch: scratch)
    #expect(try removal.end() == .exited(0))
    #expect(try member.closeCode() == 4012)
    var refusals: Set<String> = []
    for room in ["demo", "unknown"] {
      let client = try Client(server)
      client.hello(room, "controller")
      refusals.insert(try client.message("error").text)
      #expect(try client.closeCode() == 4403)
    }
    #expect(refusals.count == 1)
    #expect(try server.settles(["rooms": 0]))
  }

  @Test("nobody out of a room that is full, but the one too many")
  func full() throws {
    let server = try TestServer(
      scratch, "--limits-members-per-room", "1", "--limits-grace-time", "100ms")
    let (first, _) = try Client.join(server, "board:b", "viewer")
    let second = try Client(server)
    second.hello("board:b", "viewer")
    #expect(try second.closeCode() == 4010)
    #expect(try server.metric("members") == 1)
    first.say("bye")
    #expect(try first.closeCode() == 4400)
    #expect(try server.settles(["members": 0, "rooms": 0, "connections": 0]))
  }

  @Test("no door behind a thousand guests: no session, room or descriptor stays")
  func thousand() throws {
    // So few descriptors that a leak of one in ten would be the end.
    let server = try TestServer(
      scratch, "--limits-grace-time", "100ms", descriptors: 360)
    for number in 0..<1000 {
      let client = try Client(server)
      switch number % 5 {
      case 0: client.socket.resetOnClose()
      case 1: client.hello("board:b\(number)", "controller")
      case 2:
        client.hello("demo", "controller")
        client.socket.resetOnClose()
      case 3:
        client.hello("board:b\(number)", "controller")
        try client.message("welcome")
        client.samples(1, "press", [0])
        if number % 2 == 0 { client.socket.resetOnClose() }
      default:
        client.hello("board:shared", number % 2 == 0 ? "viewer" : "actuator")
        try client.message("welcome")
      }
    }
    #expect(try server.settles(["connections": 0, "members": 0, "rooms": 0]))
    #expect(try server.metric("upgraded_total") == 1000)
    let opened = try server.metric("rooms_opened_total")
    #expect(try server.metric("rooms_dropped_total") == opened)
    // It still has room for as many at once as at first.
    let guests = try (0..<90).map { _ in try Client.join(server, "board:last", "viewer").client }
    #expect(try server.metric("members") == guests.count)
    withExtendedLifetime(guests) {}
    #expect(try server.stop() == .exited(0))
  }

  @Test("the connection that is one too many, before it says a word")
  func cap() throws {
    let server = try TestServer(scratch, "--limits-connections", "2")
    let first = try Client.join(server, "board:b", "viewer").client
    let second = try Client.join(server, "board:b", "viewer").client
    #expect(throws: Failed.self) { try Client(server) }
    first.say("bye")
    #expect(try first.closeCode() == 4400)
    withExtendedLifetime((first, second)) {}
  }
}
