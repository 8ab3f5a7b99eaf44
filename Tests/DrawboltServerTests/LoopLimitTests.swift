import Foundation
import TestSupport
import Testing

@Suite("Of a server with two loops", .waiting)
struct LoopLimitTests {
  private let scratch: Scratch
  private var data: String { scratch.path + "/data" }

  init() throws { scratch = try Scratch() }

  @Test("the limits of rooms and of a room's members are those of the process")
  func limits() throws {
    let spread = try Spread(
      scratch, "--limits-rooms", "2", "--limits-members-per-room", "2", "--limits-grace-time",
      "100ms")
    let rooms = try [0, 1].map { try spread.board(at: $0) }
    let members = try rooms.flatMap { room in
      try [0, 1].map { try spread.join(room, "viewer", on: $0).client }
    }
    for loop in [0, 1] {
      let third = try spread.client(on: loop)
      third.hello(rooms[0], "viewer")
      #expect(try third.closeCode() == 4010)
      let other = try spread.client(on: loop)
      other.hello(try spread.board(at: 1, 5), "viewer")
      #expect(try other.message("error")["code"] == "busy")
      #expect(try other.closeCode() == 1013)
      let none = try spread.client(on: loop)
      none.hello("nowhere", "viewer")
      #expect(try [1013, 4403].contains(none.closeCode()))
    }
    for member in members[2...] { member.say("bye") }
    #expect(try spread.server.settles(["rooms": 1, "members": 2]))
    _ = try spread.join(try spread.board(at: 0, 5), "viewer", on: 1)
    withExtendedLifetime(members) {}
  }

  @Test("a drawer that is too fast loses its stroke, on the loop that is not the room's home")
  func rates() throws {
    let spread = try Spread(
      scratch, "--limits-samples-per-second", "1", "--limits-samples-burst", "4",
      "--limits-rate-strikes", "1")
    let room = try spread.board(at: 0)
    let viewers = try [0, 1].map { try spread.join(room, "viewer", on: $0).client }
    let (drawer, _) = try spread.join(room, "controller", on: 1)
    drawer.samples(1, "press", [0])
    for viewer in viewers { try viewer.state("drawing") }
    drawer.samples(1, "move", [1, 2, 5, 8, 7])
    for viewer in viewers { #expect(try viewer.state("cancelled").path == []) }
    #expect(try drawer.closeCode() == 4008)
  }

  @Test("all members of a lock that is removed are sent away")
  func removed() throws {
    let spread = try Spread(scratch)
    let members = try [0, 1].map { try spread.join("demo", "viewer", on: $0).client }
    let removal = try ChildProcess(
      ["lock", "remove", "demo", "--dev", "--data-directory", data], scratch: scratch)
    #expect(try removal.end() == .exited(0))
    for member in members { #expect(try member.closeCode() == 4012) }
    #expect(try spread.server.settles(["rooms": 0, "members": 0]))
  }

  @Test("a stop tells every member, after the last state, and waits for a verdict on its way")
  func stop() throws {
    // A machine that is busy may take longer than a stop waits for a verdict.
    try Patience.threeTries { () throws in try verdictIsWaitedFor(at: Scratch()) }
  }

  private func verdictIsWaitedFor(at scratch: Scratch) throws -> Bool {
    let spread = try Spread(scratch)
    let data = scratch.path + "/data"
    let rows = try Rows(data)
    try SlowLock.add(to: data, megabytes: 19, passes: 3)
    let (home, other) = try spread.loops(of: "slow")
    let (drawer, _) = try spread.join("slow", "controller", on: other)
    let watchers = try [home, other].map { try spread.join("slow", "viewer", on: $0).client }
    let room = try spread.board(at: home)
    let (teacher, _) = try spread.join(room, "controller", on: other)
    let pupils = try [home, other].map { try spread.join(room, "viewer", on: $0).client }
    teacher.samples(1, "press", [0])
    for pupil in pupils { try pupil.state("drawing") }
    drawer.draw(1, Codes.wrong[0])
    #expect(try rows.settles("SELECT count(*) FROM attempt", "1"))
    spread.server.process.signal(SIGTERM)
    for client in watchers + pupils + [teacher, drawer] {
      #expect(try client.closeCode() == 1012)
      #expect(client.heard.last?.type == "goaway")
    }
    for pupil in pupils {
      #expect(pupil.heard.last { $0.type == "state" }?["phase"] == "cancelled")
    }
    #expect(try spread.server.process.end() == .exited(0))
    let verdicts = drawer.heard.filter { $0.type == "verdict" }
    if let outcome: String = verdicts.first?["outcome"] {
      #expect(["rejected", "unavailable"].contains(outcome))
    }
    #expect(verdicts.count <= 1)
    return !verdicts.isEmpty
  }
}
