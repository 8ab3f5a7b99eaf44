import TestSupport
import Testing

@Suite("A running server", .waiting)
struct DrawingTests {
  @Test("shows a stroke to viewers of both formats", arguments: [1, 3])
  func bothFormats(loops: Int) throws {
    let scratch = try Scratch()
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (drawer, _) = try Client.join(server, "board:lesson", "controller", #","name":"Ana""#)
    let (json, _) = try Client.join(server, "board:lesson", "viewer")
    let (binary, _) = try Client.join(
      server, "board:lesson", "viewer", subprotocol: "drawbolt.v1")
    drawer.draw(7, [0, 1, 2, 5])
    let last = try json.state("finished")
    #expect(last.path == [0, 1, 2, 5])
    #expect(last["stroke"] == 7)
    let frame = try binary.binary { $0.count > 1 && $0[0] == 0x81 && $0[1] == 8 }
    #expect(frame.count == 14 + 4)
    #expect(frame[13] == 4)
    #expect(frame[14...].elementsEqual([0, 1, 2, 5]))
    #expect(frame[3] == 7 && frame[4] == 0)
    // The drawer, too, sees the truth.
    #expect(try drawer.state("finished").path == [0, 1, 2, 5])
    #expect(try server.stop() == .exited(0))
  }

  @Test("opens the demo lock: offer, claim, grant, and the second verdict", arguments: [1, 3])
  func demoLock(loops: Int) throws {
    let scratch = try Scratch()
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (actuator, _) = try Client.join(server, "demo", "actuator")
    let (viewer, _) = try Client.join(server, "demo", "viewer")
    let (drawer, _) = try Client.join(server, "demo", "controller")
    let verdict = try drawer.attempt(1, Codes.demo)
    #expect(verdict["outcome"] == "accepted")
    #expect(verdict["actuators"] == 1)
    #expect(verdict["opened"] == Bool?.none)
    #expect(try viewer.state("accepted").path == Codes.demo)

    let id: String = try #require(try actuator.message("grant.offer")["id"])
    let nonce = String(repeating: "5a", count: 16)
    actuator.say(#"{"type":"grant.claim","id":"\#(id)","nonce":"\#(nonce)"}"#)
    let grant = try actuator.message("grant")
    #expect(grant["id"] == id)
    #expect(grant["nonce"] == nonce)
    #expect(grant["lock"] == "demo")
    #expect(grant["demo"] == true)
    #expect(try drawer.message("verdict")["opened"] == true)
    // Once only.
    actuator.say(#"{"type":"grant.claim","id":"\#(id)","nonce":"\#(nonce)"}"#)
    #expect(try actuator.message("error")["code"] == "unknownGrant")
    // And no state ever came to it.
    #expect(!actuator.heard.contains { $0.type == "state" })
    #expect(try server.metric("grants_total") == 1)
  }

  @Test("lets viewers see and not draw", arguments: [1, 3])
  func viewerDraws(loops: Int) throws {
    let scratch = try Scratch()
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (viewer, _) = try Client.join(server, "board:b", "viewer")
    viewer.draw(1, [0, 1])
    #expect(try viewer.message("error")["code"] == "denied")
    #expect(!viewer.heard.contains { $0.type == "state" })
  }

  @Test("lets one draw at a time, and frees the pen with its holder", arguments: [1, 3])
  func pen(loops: Int) throws {
    let scratch = try Scratch()
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (first, _) = try Client.join(server, "board:b", "controller")
    let (second, _) = try Client.join(server, "board:b", "controller")
    first.samples(1, "press", [0])
    try second.state("drawing")
    second.samples(1, "press", [8])
    #expect(try second.message("error")["code"] == "penBusy")
    first.say(#"{"type":"nonsense"}"#)
    #expect(try first.closeCode() == 4400)
    try second.state("cancelled")
    second.draw(2, [8, 7])
    #expect(try second.state("finished").path == [8, 7])
  }

  @Test(
    "gives a connection that shows the resume key the other's place, and no other",
    arguments: [1, 3])
  func resume(loops: Int) throws {
    let scratch = try Scratch()
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (first, welcome) = try Client.join(server, "board:b", "controller", #","name":"Ana""#)
    let (_, namesake) = try Client.join(server, "board:b", "controller", #","name":"Ana""#)
    #expect(namesake["member"] != (welcome["member"] as String?))
    // The namesake took nobody's place: the first still draws.
    first.draw(1, [0, 1])
    try first.state("finished")
    let key: String = try #require(welcome["resume"])
    let (_, again) = try Client.join(server, "board:b", "controller", #","resume":"\#(key)""#)
    #expect(again["member"] == (welcome["member"] as String?))
    #expect(try first.closeCode() == 4409)
  }

  @Test("shows nothing of a locked-out drawer's press to anybody", arguments: [1, 3])
  func lockedOut(loops: Int) throws {
    let scratch = try Scratch()
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (drawer, _) = try Client.join(server, "demo", "controller")
    for (index, code) in Codes.wrong.enumerated() {
      #expect(try drawer.attempt(index + 1, code)["outcome"] == "rejected")
    }
    let (viewer, welcome) = try Client.join(server, "demo", "viewer")
    #expect(welcome["retryAfterMs"] == Int?.none)
    try viewer.state("idle")
    let before = viewer.heard.count
    let verdict = try drawer.attempt(9, Codes.demo)
    #expect(verdict["outcome"] == "lockedOut")
    #expect(try #require(verdict["retryAfterMs"] as Int?) > 50_000)
    // A newcomer is seen after the press, and no state in between.
    let (newcomer, _) = try Client.join(server, "demo", "viewer")
    try viewer.message("members") { $0["viewers"] == 2 }
    #expect(!viewer.heard[before...].contains { $0.type == "state" })
    withExtendedLifetime(newcomer) {}
  }
}
