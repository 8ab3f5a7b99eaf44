import TestSupport
import Testing

/// What is written down of verdicts that no vault decides.
@Suite("A refusal", .waiting)
struct RefusalTests {
  private let scratch: Scratch
  private var data: String { scratch.path + "/data" }

  init() throws { scratch = try Scratch() }

  @Test("of a locked-out drawer reaches audit, metric and log, gathered")
  func lockedOut() throws {
    let server = try TestServer(scratch)
    let rows = try Rows(data)
    let (drawer, _) = try Client.join(server, "demo", "controller")
    for (index, code) in Codes.wrong.enumerated() {
      #expect(try drawer.attempt(index + 1, code)["outcome"] == "rejected")
    }
    for stroke in 6...25 {
      #expect(try drawer.attempt(stroke, Codes.demo)["outcome"] == "lockedOut")
    }
    #expect(try server.metric(#"verdicts_total{outcome="rejected"}"#) == 5)
    #expect(try server.metric(#"verdicts_total{outcome="lockedOut"}"#) == 20)
    let sum = "SELECT sum(count) FROM audit WHERE lock = 'demo' AND outcome = 'lockedOut'"
    #expect(try rows.settles(sum, "20"))
    // One row a minute, and the test may see the next one begin.
    let written = try rows.run("SELECT count(*) FROM audit WHERE outcome = 'lockedOut'")
    #expect(["1", "2"].contains(written))
    let line = "info attemptsRefused lock=demo outcome=lockedOut count="
    #expect(server.process.logs(line))
  }

  @Test("that was not written yet is written when the server stops")
  func stop() throws {
    let server = try TestServer(scratch)
    let rows = try Rows(data)
    let (drawer, _) = try Client.join(server, "demo", "controller")
    for (index, code) in Codes.wrong.enumerated() { _ = try drawer.attempt(index + 1, code) }
    #expect(try drawer.attempt(6, Codes.demo)["outcome"] == "lockedOut")
    #expect(try server.stop() == .exited(0))
    #expect(try rows.run("SELECT sum(count) FROM audit WHERE outcome = 'lockedOut'") == "1")
  }

  @Test("of a stroke that is too short is counted, and in no audit, which knows no lengths")
  func tooShort() throws {
    let server = try TestServer(scratch)
    let rows = try Rows(data)
    let (drawer, _) = try Client.join(server, "demo", "controller")
    for stroke in 1...3 {
      #expect(try drawer.attempt(stroke, [0, 1])["outcome"] == "tooShort")
    }
    #expect(try server.metric(#"verdicts_total{outcome="tooShort"}"#) == 3)
    #expect(try server.stop() == .exited(0))
    let attempts = "SELECT count(*) FROM audit WHERE attempt IS NOT NULL OR actor IS NULL"
    #expect(try rows.run(attempts) == "0")
  }
}
