import Dispatch
import PadModel
import Testing
import Vault

@Suite struct ConfiguredLimitTests {
  @Test("What an address may try, what is remembered and what is kept follow the limits")
  func limits() async throws {
    let world = try World()
    world.configure { configuration in
      configuration.limits.addressWrongBurst = 2
      configuration.limits.addressWrongPerMinute = 30
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

  @Test("Thirty-two attempts may wait for a hash, and not one more")
  func verifyQueue() async throws {
    let world = try World()
    let locks = try (1...35).map { try world.addLock("door\($0)") }
    let vault = try world.vault()
    let gate = DispatchSemaphore(value: 0)
    vault.setHashHook { gate.wait() }
    func attempt(_ lock: LockID) async -> Outcome {
      await vault.answer(World.right, at: lock, connection: 1).outcome
    }
    try await withThrowingTaskGroup(of: Outcome.self) { group in
      // One for each hashing thread, which then waits at the gate.
      for lock in locks.prefix(2) { group.addTask { await attempt(lock) } }
      while vault.hashCount < 2 { await Task.yield() }
      for lock in locks[2..<34] { group.addTask { await attempt(lock) } }
      while vault.queueLength < 32 { await Task.yield() }
      #expect(await attempt(locks[34]) == .unavailable)
      #expect(try world.failures(of: locks[34]) == 0)
      for _ in 0..<34 { gate.signal() }
      for try await outcome in group { #expect(outcome == .accepted) }
    }
    #expect(vault.hashCount == 34)
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
