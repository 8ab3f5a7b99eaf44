import TestSupport
import Testing

/// What drawers, locks and those who run the server see of a database that fails for a while.
@Suite("A database that fails", .waiting)
struct StoreFailureTests {
  private let scratch: Scratch
  private let server: TestServer
  private let rows: Rows

  init() throws {
    scratch = try Scratch()
    server = try TestServer(scratch)
    rows = try Rows(scratch.path + "/data")
  }

  /// Waits until the vault has noticed so many failures.
  private func failures(atLeast count: Int) throws -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
      if try server.metric("store_failures_total") >= count { return true }
      Patience.pause()
    }
    return false
  }

  @Test("is no unknown lock: who comes is asked to come again")
  func hello() throws {
    try rows.run("ALTER TABLE lock RENAME TO gone")
    let client = try Client(server)
    client.hello("demo", "actuator")
    let error = try client.message("error")
    #expect(error["code"] == "busy")
    #expect(error["retryable"] == true)
    #expect(try client.closeCode() == 1013)
    try rows.run("ALTER TABLE gone RENAME TO lock")
    _ = try Client.join(server, "demo", "actuator")
  }

  @Test("closes no room, and what changed meanwhile is taken up afterwards")
  func room() throws {
    let (drawer, _) = try Client.join(server, "demo", "controller")
    let (viewer, _) = try Client.join(server, "demo", "viewer")
    // The number of locks can be read, and so the room is asked for, but not its bucket.
    try rows.run("ALTER TABLE bucket RENAME TO gone")
    #expect(try failures(atLeast: 2))
    #expect(try drawer.attempt(1, Codes.demo)["outcome"] == "unavailable")
    #expect(try server.metric("members") == 2)
    try rows.run("ALTER TABLE gone RENAME TO bucket")
    #expect(try drawer.attempt(2, Codes.demo)["outcome"] == "accepted")
    try rows.run("DELETE FROM lock")
    #expect(try viewer.closeCode() == 4012)
  }

  @Test("is logged as an error, and not at each time that it fails")
  func logged() throws {
    let (drawer, _) = try Client.join(server, "demo", "controller")
    try rows.run("ALTER TABLE bucket RENAME TO gone")
    for stroke in 1...9 { _ = try drawer.attempt(stroke, Codes.demo) }
    #expect(try failures(atLeast: 9))
    #expect(server.process.logs(" error storeFailed duty="))
    let lines = server.process.errors.split(separator: "\n").filter {
      $0.contains(" error storeFailed duty=")
    }
    #expect(lines.count >= 1 && lines.count < 9)
    #expect(lines.first?.contains("SQLite 1") == true)
  }

  @Test("and that somebody edited without the key shows nobody's stroke")
  func edited() throws {
    let add = try ChildProcess(
      ["lock", "add", "door", "--dev", "--data-directory", scratch.path + "/data"],
      scratch: scratch)
    #expect(try add.end() == .exited(0))
    let secret = try ChildProcess(
      ["secret", "add", "door", "--dev", "--data-directory", scratch.path + "/data"],
      scratch: scratch, input: "2-5-8-9-6-3\n")
    #expect(try secret.end() == .exited(0))
    let (drawer, _) = try Client.join(server, "door", "controller")
    let (viewer, _) = try Client.join(server, "door", "viewer")
    try rows.run("UPDATE lock SET mirror = 'open' WHERE id = 'door'")
    #expect(try failures(atLeast: 1))
    #expect(server.process.logs("door was edited outside drawbolt"))
    #expect(try drawer.attempt(1, [1, 4, 7, 8, 5, 2])["outcome"] != "accepted")
    try viewer.message("state") { $0["phase"] != "idle" }
    #expect(viewer.heard.allSatisfy { $0.path.isEmpty })
  }
}
