import Foundation
import TestSupport
import Testing

@Suite("Failures", .waiting)
struct CountingTests {
  private let scratch: Scratch
  private var data: String { scratch.path + "/data" }

  init() throws { scratch = try Scratch() }

  private func drawbolt(_ words: String...) throws -> ChildProcess.Ending {
    try ChildProcess(words + ["--dev", "--data-directory", data], scratch: scratch).end()
  }

  @Test(
    "lock a drawer out at the fifth, through a restart, until the lock is reset", arguments: [1, 3])
  func fiveTimes(loops: Int) throws {
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (drawer, welcome) = try Client.join(server, "demo", "controller")
    #expect(welcome["failures"] == 0)
    for (index, code) in Codes.wrong.enumerated() {
      let verdict = try drawer.attempt(index + 1, code)
      #expect(verdict["outcome"] == "rejected")
      #expect(verdict["failures"] == index + 1)
      #expect((verdict["retryAfterMs"] == 0) == (index < 4))
    }
    #expect(try drawer.attempt(6, Codes.demo)["outcome"] == "lockedOut")
    #expect(try server.stop() == .exited(0))

    let again = try TestServer(scratch, "--loops", "\(loops)")
    let (other, later) = try Client.join(again, "demo", "controller")
    #expect(later["failures"] == 5)
    let wait: Int = try #require(later["retryAfterMs"])
    #expect(wait > 0 && wait <= 60_000)
    #expect(try other.attempt(1, Codes.demo)["outcome"] == "lockedOut")

    #expect(try drawbolt("lock", "reset", "demo") == .exited(0))
    // The running server notices, and tells the drawer that it need not wait any more.
    let lifted = try other.message("lockout")
    #expect(lifted["failures"] == 0 && lifted["retryAfterMs"] == 0)
    #expect(try other.attempt(2, Codes.demo)["outcome"] == "accepted")
    #expect(again.process.logs(" info lockChanged lock=demo action=\"lock reset\"\n"))
  }

  @Test(
    "stay counted though the server is killed between reservation and verdict", arguments: [1, 3])
  func killed(loops: Int) throws {
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let rows = try Rows(data)
    try SlowLock.add(to: data)
    let (drawer, _) = try Client.join(server, "slow", "controller")
    drawer.draw(1, Codes.wrong[0])
    #expect(try rows.settles("SELECT count(*) FROM attempt", "1"))
    server.process.signal(SIGKILL)
    #expect(try server.process.end() == .killed(SIGKILL))
    #expect(try rows.run("SELECT failures FROM bucket WHERE lock = 'slow'") == "1")

    let again = try TestServer(scratch, "--loops", "\(loops)")
    #expect(try rows.run("SELECT count(*) FROM attempt") == "0")
    #expect(try rows.run("SELECT count(*) FROM audit WHERE outcome = 'abandoned'") == "1")
    let (other, welcome) = try Client.join(again, "slow", "controller")
    #expect(welcome["failures"] == 1)
    withExtendedLifetime(other) {}
  }

  @Test(
    "end with a secret that the command line revoked under a running server", arguments: [1, 3])
  func revoked(loops: Int) throws {
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let (drawer, _) = try Client.join(server, "demo", "controller")
    #expect(try drawer.attempt(1, Codes.demo)["outcome"] == "accepted")
    #expect(try drawbolt("secret", "revoke", "demo", "1") == .exited(0))
    #expect(try drawer.attempt(2, Codes.demo)["outcome"] == "rejected")
  }

  @Test(
    "in flight at a stop get three seconds, and the process is gone in eight", arguments: [1, 3])
  func stopTimes(loops: Int) throws {
    try Patience.threeTries { () throws in
      let scratch = try Scratch()
      let server = try TestServer(scratch, "--loops", "\(loops)")
      let rows = try Rows(scratch.path + "/data")
      // Slow enough that the verdict's transaction finds the database taken.
      try SlowLock.add(to: scratch.path + "/data", megabytes: 19)
      let (drawer, _) = try Client.join(server, "slow", "controller")
      let (viewer, _) = try Client.join(server, "slow", "viewer")
      drawer.draw(1, Codes.wrong[0])
      #expect(try rows.settles("SELECT count(*) FROM attempt", "1"))
      try rows.run("BEGIN IMMEDIATE")
      let start = ContinuousClock.now
      server.process.signal(SIGTERM)
      #expect(try viewer.closeCode() == 1012)
      let others = ContinuousClock.now - start
      #expect(try drawer.closeCode() == 1012)
      let told = ContinuousClock.now - start
      #expect(try server.process.end() == .exited(0))
      return others < .seconds(1) && told < .seconds(3.5)
        && ContinuousClock.now - start < .seconds(8)
    }
  }

  @Test("do not hold up a stop: what is unjudged stays counted and is audited", arguments: [1, 3])
  func stopWithAttempt(loops: Int) throws {
    let server = try TestServer(scratch, "--loops", "\(loops)")
    let rows = try Rows(data)
    try SlowLock.add(to: data)
    let (drawer, _) = try Client.join(server, "slow", "controller")
    let (viewer, _) = try Client.join(server, "slow", "viewer")
    drawer.draw(1, Codes.wrong[0])
    #expect(try rows.settles("SELECT count(*) FROM attempt", "1"))
    // Half a request, asked before the stop and finished after it.
    let probe = try Socket(server.adminPort)
    probe.send(Array("GET /readyz HTTP/1.1\r\n".utf8))
    #expect(try HTTPAnswer.get(server.adminPort, "/readyz").status == 200)
    server.process.signal(SIGTERM)
    #expect(try viewer.closeCode() == 1012)
    probe.send(Array("Host: 127.0.0.1:\(server.adminPort)\r\n\r\n".utf8))
    #expect(try HTTPAnswer(probe).status == 503)
    // The drawer is kept for its verdict, but not for ever; a press is answered meanwhile.
    drawer.samples(2, "press", [0])
    #expect(try drawer.message("verdict") { $0["stroke"] == 2 }["outcome"] == "unavailable")
    #expect(try drawer.closeCode() == 1012)
    #expect(drawer.heard.contains { $0.type == "goaway" })
    #expect(try server.process.end() == .exited(0))
    #expect(try rows.run("SELECT failures FROM bucket WHERE lock = 'slow'") == "1")
    let again = try TestServer(scratch, "--loops", "\(loops)")
    #expect(try rows.run("SELECT count(*) FROM audit WHERE outcome = 'abandoned'") == "1")
    withExtendedLifetime(again) {}
  }
}
