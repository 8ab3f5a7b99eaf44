import PadModel
import Testing
import Vault

@Suite struct ConfiguredLimitTests {
  @Test("What an address may try, what is remembered and what is kept follow the limits")
  func limits() async throws {
    let world = try World()
    world.configure { configuration in
      configuration.limits.wrongCodesBurst = 2
      configuration.limits.wrongCodesPerMinute = 30
      configuration.limits.wrongCodesRemembered = 1
      configuration.limits.wrongCodesKept = .seconds(10)
      configuration.limits.auditRows = 3
    }
    let lock = try world.addLock()
    func failures(_ number: Int) async throws -> Int? {
      try await world.draw(wrongCode(number), at: lock).bucket?.failures
    }
    #expect(try await failures(1) == 1)
    #expect(try await failures(1) == 1)
    world.clock.advance(.seconds(10))
    #expect(try await failures(1) == 2)
    #expect(try await failures(2) == 3)
    // The second has pushed the first out.
    #expect(try await failures(1) == 4)
    #expect(try world.number("SELECT count(*) FROM audit") == 3)

    let others = try (1...3).map { try world.addLock("door\($0)") }
    for other in others.dropLast() {
      #expect(try await world.draw(wrongCode(1), at: other, address: 9).outcome == .rejected)
    }
    let refused = try await world.draw(wrongCode(1), at: others[2], address: 9)
    #expect(refused.outcome == .unavailable)
    #expect(refused.retryAt == world.clock.read().boot + .seconds(2))
    world.clock.advance(.seconds(2))
    #expect(try await world.draw(wrongCode(1), at: others[2], address: 9).outcome == .rejected)
  }

  @Test("Nothing is remembered when nothing may be")
  func nothing() async throws {
    let world = try World()
    world.configure { $0.limits.wrongCodesRemembered = 0 }
    let lock = try world.addLock()
    for count in 1...2 {
      #expect(try await world.draw(wrongCode(1), at: lock).bucket?.failures == count)
    }
  }

  @Test("What is written is on the disk before it is answered, and what is deleted is overwritten")
  func pragmas() throws {
    let world = try World()
    _ = try world.addLock()
    let database = try world.database()
    #expect(try database.first("PRAGMA journal_mode") { $0.text(0) } == "wal")
    for (pragma, value) in [
      ("synchronous", 2), ("secure_delete", 1), ("foreign_keys", 1), ("trusted_schema", 0),
    ] {
      #expect(try database.first("PRAGMA \(pragma)") { $0.integer(0) } == Int64(value), "\(pragma)")
    }
  }
}
