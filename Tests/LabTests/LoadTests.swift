import DrawboltServer
import PadModel
import TestSupport
import Testing
import drawbolt_lab

@Suite("A load", .waiting)
struct LoadTests {
  @Test("on a server shows every viewer its states, says how late, and loses nobody")
  func load() throws {
    let server = try LabServer(pinned: false)
    defer { server.stop() }
    let url = "ws://\(server.address)/ws"
    let printed = Printed()
    try CommandSet.lab.run(
      [
        "load", "--url", url, "--viewers", "10", "--rate", "100", "--seconds", "1", "--acks",
        "--json",
      ], console: printed.console)
    let report = try printed.object()
    #expect(report["viewers"] as? Int == 10)
    #expect(report["samples"] as? Int == 200)
    #expect(report["lost"] as? Int == 0)
    #expect(report["reordered"] as? Int == 0)
    #expect(report["withoutLast"] as? Int == 0)
    let latency = try #require(report["latency"] as? [String: Any])
    let shown = try #require(latency["count"] as? Int)
    // Each counted sample was shown to each viewer, or a newer one was.
    #expect(shown + (report["superseded"] as? Int ?? -1) == 10 * 101)
    let (p50, p99) = (latency["p50"] as? Double ?? -1, latency["p99"] as? Double ?? -1)
    #expect(p50 > 0 && p99 >= p50 && (latency["max"] as? Double ?? -1) >= p99)
  }

  @Test("prints a table, and a second one at the same board says that the pen is taken")
  func table() throws {
    let server = try LabServer(pinned: false)
    defer { server.stop() }
    var plan = LoadPlan(address: server.address, room: .board("taken"))
    plan.viewers = 1
    let other = try LoadRun.connected(plan)
    other.sent += 1
    other.putSample(1)
    other.flush(0)
    let load = ["load", "--url", "ws://\(server.address)/ws", "--viewers", "2", "--seconds", "1"]
    let printed = Printed()
    try CommandSet.lab.run(load + ["--room", "board:free"], console: printed.console)
    #expect(printed.text.contains("240 samples at 120/s to 2 viewers"))
    #expect(printed.text.contains("state shown to a viewer"))
    let failure = #expect(throws: CommandFailure.self) {
      try CommandSet.lab.run(
        load + ["--room", "board:taken", "--seconds", "9"], console: printed.console)
    }
    #expect(failure?.message.contains("no state came back") == true)
    withExtendedLifetime(other) {}
  }

  @Test("at a lock that is not there is refused by what the server says")
  func refused() throws {
    let server = try LabServer(pinned: false)
    defer { server.stop() }
    let plan = LoadPlan(address: server.address, room: .lock(try LockID("nowhere")))
    let failure = #expect(throws: CommandFailure.self) { try LoadRun.connected(plan) }
    #expect(failure?.message.contains("member 1 was not let in") == true)
  }
}
