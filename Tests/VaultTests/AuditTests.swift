import PadModel
import Testing
import Vault

@Suite struct AuditTests {
  @Test("The audit has exactly these columns")
  func columns() throws {
    let world = try World()
    try world.addLock()
    let names = try world.database().all("PRAGMA table_info(audit)") { $0.text(1) }
    let expected = [
      "id", "time", "lock", "attempt", "bucket", "outcome", "secret", "actor", "count",
    ]
    #expect(names == expected)
  }

  @Test("Attempts and actions are told with what belongs to them and nothing else")
  func rows() async throws {
    let world = try World()
    let lock = try world.addLock()
    _ = try await world.draw(at: lock)
    _ = try await world.draw(wrongCode(1), at: lock)
    try world.administration().resetLock(lock)
    try world.administration().revokeSecret(lock: lock, number: 1)
    try world.administration().removeLock(lock)
    let rows = try world.database().all(
      """
      SELECT outcome, coalesce(secret, '-'), coalesce(actor, '-'), coalesce(length(attempt), '-'),
        coalesce(bucket, '-'), lock, time FROM audit ORDER BY id
      """
    ) { row in (0..<7).map { row.text($0) } }
    let tail = ["door", "1800000000"]
    let expected = [
      ["lock added", "-", "command line", "-", "-"],
      ["secret added", "1", "command line", "-", "-"], ["accepted", "1", "-", "16", "0"],
      ["rejected", "-", "-", "16", "0"], ["lock reset", "-", "command line", "-", "-"],
      ["secret revoked", "1", "command line", "-", "-"],
      ["lock removed", "-", "command line", "-", "-"],
    ]
    #expect(rows == expected.map { $0 + tail })
  }

  @Test("Refusals are one row a lock, bucket and minute, with a count")
  func refusals() async throws {
    let world = try World()
    let lock = try world.addLock()
    let gate = try world.addLock("gate")
    world.clock.set { $0.wall = $0.wall / 60 * 60 }
    for number in 1...5 {
      _ = try await world.draw(wrongCode(number), at: lock)
      _ = try await world.draw(wrongCode(number), at: gate)
    }
    for _ in 0..<7 { _ = try await world.draw(at: lock) }
    _ = try await world.draw(at: gate)
    world.clock.advance(.seconds(59))
    _ = try await world.draw(at: lock)
    let sql = "SELECT lock, time, count FROM audit WHERE outcome = 'lockedOut' ORDER BY id"
    func refused() throws -> [[String]] {
      try world.database().all(sql) { row in (0..<3).map { row.text($0) } }
    }
    let minute = ["door", "1800000000", "8"]
    #expect(try refused() == [minute, ["gate", "1800000000", "1"]])
    world.clock.set { $0.wall += 1 }
    _ = try await world.draw(at: lock)
    #expect(try refused() == [minute, ["gate", "1800000000", "1"], ["door", "1800000060", "1"]])
  }

  @Test("Refusals that others decided are added to the row of their minute")
  func noted() async throws {
    let world = try World()
    let lock = try world.addLock()
    let vault = try world.vault()
    for count in [3, 4] {
      vault.note([
        Refusals(lock: lock, bucket: .strangers, outcome: .lockedOut, count: count),
        Refusals(lock: lock, bucket: .strangers, outcome: .unavailable, count: 1),
      ])
    }
    _ = try await world.profile(of: lock)
    let rows = try world.database().all(
      "SELECT outcome, count, time FROM audit WHERE bucket = 0 ORDER BY outcome"
    ) { row in (0..<3).map { row.text($0) } }
    #expect(rows == [["lockedOut", "7", "1800000000"], ["unavailable", "2", "1800000000"]])
  }

  @Test("Rows can't be changed, and the oldest go when there are too many")
  func bounded() async throws {
    let world = try World()
    let lock = try world.addLock()
    let database = try world.database()
    let mostRows = world.configuration.limits.auditRows
    #expect(throws: VaultError.self) { try database.run("UPDATE audit SET outcome = 'accepted'") }
    try database.run("UPDATE sqlite_sequence SET seq = \(mostRows + 1) WHERE name = 'audit'")
    _ = try await world.draw(at: lock)
    #expect(try world.outcomes() == ["accepted"])
    for number in 1...5 { _ = try await world.draw(wrongCode(number), at: lock) }
    try database.run(
      "UPDATE sqlite_sequence SET seq = \(3 * mostRows) WHERE name = 'audit'")
    _ = try await world.draw(at: lock)
    #expect(try world.outcomes() == ["lockedOut"])
  }

  @Test("A refusal of an address is audited too")
  func addresses() async throws {
    let world = try World()
    let locks = try (1...4).map { try world.addLock("door\($0)") }
    for number in 0..<12 {
      _ = try await world.draw(wrongCode(number), at: locks[number / 4], address: 9)
    }
    let sql = "SELECT count FROM audit WHERE outcome = 'unavailable' AND attempt IS NULL"
    #expect(try world.number(sql) == 2)
  }
}
