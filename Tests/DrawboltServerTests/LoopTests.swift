import Foundation
import TestSupport
import Testing

@Suite("A server with two loops", .waiting)
struct LoopTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test("shows a stroke to viewers on both, wherever it is drawn", arguments: [0, 1], [0, 1])
  func drawing(home: Int, drawing: Int) throws {
    let spread = try Spread(scratch)
    let room = try spread.board(at: home)
    let viewers = try [0, 1, 0, 1].map { try spread.join(room, "viewer", on: $0).client }
    let (drawer, welcome) = try spread.join(room, "controller", on: drawing, #","name":"Ana""#)
    #expect((welcome["pad"] as [String: Any]?)?["columns"] as? Int == 3)
    drawer.samples(7, "press", [0])
    for viewer in viewers { try viewer.state("drawing") { $0.path == [0] } }
    drawer.samples(7, "move", [1, 2, 5])
    drawer.samples(7, "release", [5])
    for client in viewers + [drawer] {
      #expect(try client.state("finished") { $0["stroke"] == 7 }.path == [0, 1, 2, 5])
    }
    // Who is here, and who has the pen, reaches both too.
    for viewer in viewers {
      #expect(viewer.heard.contains { $0.type == "pen" && $0["name"] == "Ana" })
      // On a busy machine that was told before the stroke ended.
      let isComplete = { (message: Message) in message["viewers"] == 4 }
      if !viewer.heard.contains(where: isComplete) {
        try viewer.message("members", where: isComplete)
      }
    }
    let (late, seen) = try spread.join(room, "viewer", on: 1 - drawing)
    #expect((seen["state"] as [String: Any]?)?["path"] as? [Int] == [0, 1, 2, 5])
    #expect(try late.message("pen")["name"] == "Ana")
    #expect(try spread.server.stop() == .exited(0))
  }

  @Test("opens the demo lock from the loop that is not its home, for an actuator on either")
  func demoLock() throws {
    let spread = try Spread(scratch)
    let (home, other) = try spread.loops(of: "demo")
    let (drawer, welcome) = try spread.join("demo", "controller", on: other)
    #expect(welcome["failures"] == 0)
    let viewers = try [home, other].map { try spread.join("demo", "viewer", on: $0).client }
    for (stroke, loop) in [home, other].enumerated() {
      let (actuator, _) = try spread.join("demo", "actuator", on: loop)
      #expect(try drawer.attempt(stroke + 1, Codes.demo)["actuators"] == 1)
      for viewer in viewers {
        #expect(try viewer.state("accepted") { $0["stroke"] == stroke + 1 }.path == Codes.demo)
      }
      let id: String = try #require(try actuator.message("grant.offer")["id"])
      actuator.say(
        #"{"type":"grant.claim","id":"\#(id)","nonce":"\#(String(repeating: "5a", count: 16))"}"#)
      #expect(try actuator.message("grant")["id"] == id)
      #expect(try drawer.message("verdict")["opened"] == true)
      actuator.say("bye")
      #expect(try actuator.closeCode() == 4400)
      #expect(try spread.server.settles(["members": 3]))
    }
    for viewer in viewers { #expect(!viewer.heard.contains { $0.type == "verdict" }) }
  }

  @Test("gives who shows the resume key on the other loop the place and the verdict")
  func resume() throws {
    let spread = try Spread(scratch)
    let (home, other) = try spread.loops(of: "demo")
    let (first, welcome) = try spread.join("demo", "controller", on: home)
    #expect(try first.attempt(1, Codes.wrong[0])["outcome"] == "rejected")
    let key: String = try #require(welcome["resume"])
    var before = first
    for loop in [other, home, other] {
      let (again, back) = try spread.join(
        "demo", "controller", on: loop, #","resume":"\#(key)""#)
      #expect(back["member"] == (welcome["member"] as String?))
      #expect(back["failures"] == 1)
      #expect(try again.message("verdict")["stroke"] == 1)
      #expect(try before.closeCode() == 4409)
      before = again
    }
    #expect(try spread.server.settles(["members": 1]))
    #expect(try before.attempt(2, Codes.demo)["outcome"] == "accepted")
  }

  @Test("forgets who was gone before its joining had come back, and whose room it was")
  func goneBefore() throws {
    let spread = try Spread(scratch, "--limits-grace-time", "100ms")
    for round in 0..<12 {
      for home in [0, 1] {
        let room = round % 3 == 0 ? "demo" : try spread.board(at: home, round)
        let client = try spread.client(on: 1 - home)
        if round % 2 == 0 { client.socket.resetOnClose() }
        client.hello(room, "controller")
        client.samples(1, "press", [0])
      }
    }
    #expect(try spread.server.settles(["members": 0, "rooms": 0]))
    let text = try HTTPAnswer.get(spread.server.adminPort, "/metrics").body
    #expect(text.contains("drawbolt_loops 2\n"))
    #expect(try spread.server.stop() == .exited(0))
  }

  @Test("opens a room again after it was dropped, on both")
  func reopened() throws {
    let spread = try Spread(scratch, "--limits-grace-time", "100ms")
    let room = try spread.board(at: 0)
    for round in 1...3 {
      let members = try [0, 1].map { try spread.join(room, "controller", on: $0).client }
      members[1].draw(round, [0, 1, 2])
      for member in members { try member.state("finished") { $0["stroke"] == round } }
      for member in members { member.say("bye") }
      #expect(try spread.server.settles(["members": 0, "rooms": 0]))
    }
    #expect(try spread.server.metric("rooms_opened_total") == 3)
  }

  @Test("counts every offered frame of both loops")
  func books() throws {
    let spread = try Spread(scratch)
    let room = try spread.board(at: 1)
    let (drawer, _) = try spread.join(room, "controller", on: 0)
    let viewers = try (0..<6).map { number in
      try spread.join(
        room, "viewer", on: number % 2, number < 2 ? #","maxRate":5"# : #","acks":true"#
      ).client
    }
    for stroke in 1...40 {
      drawer.draw(stroke, [0, 1, 2, 5, 8])
      try drawer.state("finished") { $0["stroke"] == stroke }
    }
    for viewer in viewers[..<2] { try viewer.state("finished") { $0["stroke"] == 40 } }
    // A window of 32 is full, on either loop, and opens for the newest.
    for viewer in viewers[2...] {
      let seen = try (0..<32).map { _ in try viewer.message("state") }
      #expect(seen.allSatisfy { $0["stroke"] != 40 })
      let version: Int = try #require(seen.last?["version"])
      viewer.say(#"{"type":"ack","version":\#(version)}"#)
      #expect(try viewer.message("state")["stroke"] == 40)
    }
    let names = ["offered_total", "sent_total", "coalesced_total", "withheld_total", "pending"]
    let counts = try (names + ["departed_total"]).map { try spread.server.metric("frames_" + $0) }
    #expect(counts[0] > 0 && counts[0] == counts[1...].reduce(0, +))
  }
}
