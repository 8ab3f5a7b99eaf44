import PadModel
import Testing
import Vault

@Suite struct ThrottleTests {
  @Test("The standard table walked through a vault ends in a stop that no code lifts")
  func standard() async throws {
    let world = try World()
    let lock = try world.addLock()
    for failure in 1...20 {
      let answer = try await world.draw(wrongCode(failure), at: lock)
      #expect(answer.outcome == .rejected)
      #expect(answer.bucket?.failures == failure)
      guard failure < 20 else { break }
      try await expectDelay(ThrottleSchedule.standard.delay(after: failure), world, lock)
    }
    #expect(try await world.profile(of: lock)?.bucket.retryAt == .distantFuture)
    world.clock.advance(.seconds(100 * 365 * 86_400))
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
    #expect(try world.failures(of: lock) == 20)
    #expect(try world.vault().hashCount == 20)
  }

  @Test("Gatekeeper's table walked through a vault up to its last delay")
  func gatekeeper() async throws {
    let world = try World()
    let lock = try world.addLock(schedule: .gatekeeper)
    for failure in 1...141 {
      let answer = try await world.draw(wrongCode(failure), at: lock)
      #expect(answer.outcome == .rejected)
      #expect(answer.bucket?.failures == failure)
      try await expectDelay(ThrottleSchedule.gatekeeper.delay(after: failure), world, lock)
    }
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  /// Refused a millisecond before the moment, without a hash and without being counted.
  private func expectDelay(_ delay: Duration?, _ world: World, _ lock: LockID) async throws {
    let delay = try #require(delay)
    guard delay > .zero else { return }
    let hashes = try world.vault().hashCount
    let moment = world.clock.read().boot + delay
    world.clock.advance(delay - .aMillisecond)
    let early = try await world.draw(at: lock)
    #expect(early.outcome == .lockedOut)
    #expect(early.bucket?.retryAt == moment)
    #expect(early.grant == nil)
    #expect(try world.vault().hashCount == hashes)
    world.clock.advance(.aMillisecond)
  }

  @Test("A hundred wrong codes at once verify no more than five")
  func hundredAtOnce() async throws {
    let world = try World()
    world.configure { $0.limits.verifyQueue = 200 }
    let lock = try world.addLock()
    _ = try world.vault()
    let outcomes = try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        group.addTask { [vault = try world.vault()] in
          await vault.answer(wrongCode(number), at: lock, connection: UInt64(number))
        }
      }
      return try await group.reduce(into: []) { $0.append($1.outcome) }
    }
    #expect(outcomes.filter { $0 == .rejected }.count == 5)
    #expect(outcomes.filter { $0 == .lockedOut }.count == 95)
    #expect(try world.vault().hashCount == 5)
    #expect(try world.failures(of: lock) == 5)
  }

  @Test("A thousand rounds of four wrong codes and a right one verify no more than the budget")
  func thousandRounds() async throws {
    let world = try World()
    let lock = try world.addLock()
    let (wrong, days) = try await rounds(1000, world, lock)
    let given = try #require(try world.number("SELECT given_back FROM secret"))
    #expect(given >= 40)
    #expect(given <= 50 * (1 + days / 30))
    // Twenty failures end it all, whatever was given back before.
    #expect(wrong == 20 + given)
  }

  @Test("An expiring secret gives back ten failures in all, however long it takes")
  func expiringBudget() async throws {
    let world = try World()
    let lock = try world.addLock(expires: 40_000_000_000)
    let (wrong, _) = try await rounds(100, world, lock)
    #expect(wrong == 20 + 10)
    #expect(try world.number("SELECT given_back FROM secret") == 10)
  }

  @Test("While nobody waits, alternating is no way around the fifth failure")
  func impatientRounds() async throws {
    let world = try World()
    let lock = try world.addLock()
    var wrong = 0
    for round in 0..<1000 {
      for number in 0..<4 {
        let answer = try await world.draw(wrongCode((round * 4 + number) % 1680), at: lock)
        if answer.outcome == .rejected { wrong += 1 }
      }
      _ = try await world.draw(at: lock)
    }
    #expect(wrong == 8)
  }

  @Test("A secret that does not expire notes what it gave back and still opens")
  func resealed() async throws {
    let world = try World()
    let lock = try world.addLock()
    _ = try await world.draw(wrongCode(1), at: lock)
    #expect(try await world.draw(at: lock).outcome == .accepted)
    #expect(try world.number("SELECT given_back FROM secret") == 1)
    #expect(try world.failures(of: lock) == 0)
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  /// How many wrong codes were verified, and in how many days, with all delays waited for.
  private func rounds(_ count: Int, _ world: World, _ lock: LockID) async throws
    -> (wrong: Int64, days: Int64)
  {
    let start = world.clock.read().wall
    var (wrong, number): (Int64, Int) = (0, 0)
    for _ in 0..<count {
      for _ in 0..<4 {
        try await waitForDelay(world, lock)
        number += 1
        if try await world.draw(wrongCode(number % 1680), at: lock).outcome == .rejected {
          wrong += 1
        }
      }
      try await waitForDelay(world, lock)
      if try await world.draw(at: lock).bucket?.retryAt == .distantFuture { break }
    }
    return (wrong, (world.clock.read().wall - start) / 86_400)
  }

  private func waitForDelay(_ world: World, _ lock: LockID) async throws {
    guard let moment = try await world.profile(of: lock)?.bucket.retryAt, moment != .distantFuture,
      moment > world.clock.read().boot
    else { return }
    world.clock.advance(to: moment)
  }

  @Test("The same wrong code of one connection is counted once, of another one again")
  func duplicates() async throws {
    let world = try World()
    let lock = try world.addLock()
    for _ in 0..<30 {
      let answer = try await world.draw(wrongCode(1), at: lock, connection: 1)
      #expect(answer.outcome == .rejected)
      #expect(answer.bucket?.failures == 1)
    }
    #expect(try world.vault().hashCount == 30)
    let other = try await world.draw(wrongCode(1), at: lock, connection: 2)
    #expect(other.bucket?.failures == 2)
  }

  @Test("A wrong code is remembered for five minutes, at its lock only")
  func memory() async throws {
    let world = try World()
    let lock = try world.addLock(schedule: .gatekeeper)
    let second = try world.addLock("gate")
    func count(_ number: Int) async throws -> Int? {
      try await world.draw(wrongCode(number), at: lock).bucket?.failures
    }
    for number in 1...4 { #expect(try await count(number) == number) }
    #expect(try await count(1) == 4)
    #expect(try await world.draw(wrongCode(1), at: second).bucket?.failures == 1)
    world.clock.advance(.seconds(300))
    #expect(try await count(2) == 5)
  }

  @Test("A duplicate leaves the delay as it was before it")
  func duplicateDelay() async throws {
    let world = try World()
    let lock = try world.addLock()
    for number in 1...5 { _ = try await world.draw(wrongCode(number), at: lock) }
    world.clock.advance(.seconds(60))
    let answer = try await world.draw(wrongCode(5), at: lock)
    #expect(answer.outcome == .rejected)
    #expect(answer.bucket?.failures == 5)
    #expect(answer.bucket?.retryAt == world.clock.read().boot)
  }
}

extension Vault {
  /// Judges a code and waits for the answer.
  func answer(
    _ nodes: [NodeIndex], at lock: LockID, connection: UInt64, actuators: Int = 1
  ) async -> AttemptAnswer {
    let attempt = VaultAttempt(
      lock: lock, nodes: nodes, address: nil, connection: connection, actuators: actuators,
      judgeBy: .distantFuture)
    return await replied { judge(attempt, reply: $0) }
  }
}
