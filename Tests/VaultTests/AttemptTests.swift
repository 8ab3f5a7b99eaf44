import Foundation
import PadModel
import Synchronization
import Testing
import Vault

@Suite struct AttemptTests {
  @Test("Two right codes at once on the last use open once")
  func lastUse() async throws {
    let world = try World()
    let lock = try world.addLock(uses: 1)
    let vault = try world.vault()
    async let first = vault.answer(World.right, at: lock, connection: 1)
    async let second = vault.answer(World.right, at: lock, connection: 2)
    let answers = await [first, second]
    #expect(answers.filter { $0.outcome == .accepted }.count == 1)
    #expect(answers.compactMap(\.grant).count == 1)
    #expect(try world.number("SELECT uses_left FROM secret") == 0)
    #expect(try world.number("SELECT count(*) FROM offer") == 1)
  }

  @Test("Uses are counted down under new seals")
  func uses() async throws {
    let world = try World()
    let lock = try world.addLock(uses: 3)
    for left in [2, 1, 0] {
      #expect(try await world.draw(at: lock).outcome == .accepted)
      #expect(try world.number("SELECT uses_left FROM secret") == Int64(left))
    }
    #expect(try await world.draw(at: lock).outcome == .rejected)
  }

  @Test("Without an actuator the right code is accepted, spends no use and gives no grant")
  func noActuator() async throws {
    let world = try World()
    let lock = try world.addLock(uses: 1)
    for _ in 0..<3 {
      let answer = try await world.draw(at: lock, actuators: 0)
      #expect(answer.outcome == .accepted)
      #expect(answer.grant == nil)
    }
    #expect(try world.number("SELECT uses_left FROM secret") == 1)
    #expect(try world.number("SELECT count(*) FROM offer") == 0)
  }

  @Test("A verdict at its deadline stands; a millisecond later it is counted and unavailable")
  func lateVerdict() async throws {
    for (delay, outcome) in [(5000, Outcome.accepted), (5001, .unavailable)] {
      let world = try World()
      let lock = try world.addLock(uses: 1)
      try world.vault().setHashHook { [clock = world.clock] in
        clock.advance(.milliseconds(delay))
      }
      let answer = try await world.draw(at: lock)
      #expect(answer.outcome == outcome)
      #expect((answer.grant != nil) == (outcome == .accepted))
      #expect(try world.failures(of: lock) == (outcome == .accepted ? 0 : 1))
      #expect(try world.number("SELECT uses_left FROM secret") == (outcome == .accepted ? 0 : 1))
      #expect(try world.outcomes().last == outcome.rawValue)
    }
  }

  @Test("A full queue answers unavailable, and nothing is counted or written")
  func queueFull() async throws {
    let world = try World()
    world.configure { $0.limits.verifyQueue = 0 }
    let lock = try world.addLock()
    let rows = try world.outcomes()
    #expect(try await world.draw(at: lock).outcome == .unavailable)
    #expect(try world.vault().hashCount == 0)
    #expect(try world.failures(of: lock) == 0)
    #expect(try world.outcomes() == rows)
  }

  @Test("An unknown lock is unavailable, without a hash")
  func unknownLock() async throws {
    let world = try World()
    let lock = try LockID("nowhere")
    #expect(try await world.draw(at: lock).outcome == .unavailable)
    #expect(try await world.answer(about: lock) == .missing)
    #expect(try world.vault().hashCount == 0)
  }

  @Test("Right, wrong, duplicate, late and expired codes each cost exactly one hash")
  func oneHash() async throws {
    let world = try World()
    let lock = try world.addLock()
    _ = try world.administration().addSecret(
      NewSecret(lock: lock, nodes: [0, 1, 2, 5], expires: world.clock.read().wall))
    let codes = [World.right, wrongCode(1), wrongCode(1), [0, 1, 2, 5]]
    for (number, code) in codes.enumerated() {
      _ = try await world.draw(code, at: lock)
      #expect(try world.vault().hashCount == number + 1)
    }
  }

  @Test("An address may try ten wrong codes, then one every ten seconds; right ones don't count")
  func address() async throws {
    let world = try World()
    let locks = try (1...4).map { try world.addLock("door\($0)") }
    for _ in 0..<30 { _ = try await world.draw(at: locks[3], address: 9) }
    for number in 0..<10 {
      let answer = try await world.draw(wrongCode(number), at: locks[number / 4], address: 9)
      #expect(answer.outcome == .rejected)
    }
    let moment = world.clock.read().boot + .seconds(10)
    world.clock.advance(.seconds(10) - .aMillisecond)
    let early = try await world.draw(at: locks[3], address: 9)
    #expect(early.outcome == .unavailable)
    #expect(early.retryAt == moment)
    #expect(try world.failures(of: locks[3]) == 0)
    #expect(try await world.draw(at: locks[3], address: 8).outcome == .accepted)
    #expect(try await world.draw(at: locks[3], address: nil).outcome == .accepted)
    world.clock.advance(.aMillisecond)
    #expect(try await world.draw(at: locks[3], address: 9).outcome == .accepted)
  }

  @Test("Addresses and remembered codes follow the limits that are set")
  func addressLimits() async throws {
    let world = try World()
    world.configure {
      $0.limits.wrongCodesBurst = 2
      $0.limits.wrongCodesPerMinute = 60
      $0.limits.wrongCodesRemembered = 1
      $0.limits.wrongCodesKept = .seconds(2)
    }
    let lock = try world.addLock()
    for number in [0, 1] {
      #expect(try await world.draw(wrongCode(number), at: lock, address: 9).outcome == .rejected)
    }
    let refused = try await world.draw(at: lock, address: 9)
    #expect(refused.outcome == .unavailable)
    #expect(refused.retryAt == world.clock.read().boot + .seconds(1))
    // The newest one is remembered, the one before it is not, and it only for two seconds.
    for (code, failures) in [(1, 2), (0, 3), (0, 3)] {
      _ = try await world.draw(wrongCode(code), at: lock)
      #expect(try world.failures(of: lock) == Int64(failures))
    }
    world.clock.advance(.seconds(2))
    _ = try await world.draw(wrongCode(0), at: lock)
    #expect(try world.failures(of: lock) == 4)
  }

  @Test("Addresses refill at six a minute")
  func addressRefill() {
    var addresses = AddressBuckets(limits: .standard)
    var now = Instant.zero
    for _ in 0..<10 { addresses.count(1, at: now) }
    for _ in 0..<6 {
      #expect(addresses.retryAt(1, at: now) == now + .seconds(10))
      now = now + .seconds(10)
      #expect(addresses.retryAt(1, at: now) == nil)
      addresses.count(1, at: now)
    }
    addresses.takeBack(1)
    #expect(addresses.retryAt(1, at: now) == nil)
  }

  @Test("Waiting locks take turns, each in its own order")
  func turns() {
    var queue = VerifyQueue<String, Int>()
    for (job, key) in ["a", "a", "a", "b", "c", "b"].enumerated() { queue.append(job, of: key) }
    #expect(queue.count == 6)
    #expect(queue.removeAll() == [0, 3, 4, 1, 5, 2])
    #expect(queue.count == 0)
    #expect(queue.popFirst() == nil)
  }

  @Test("What has no verdict when the vault closes is answered, stays counted and is audited once")
  func closing() async throws {
    let world = try World()
    let vault = try world.administered()
    let blocked = DispatchSemaphore(value: 0)
    let entered = DispatchSemaphore(value: 0)
    vault.setHashHook {
      entered.signal()
      blocked.wait()
    }
    // Two hash, the third one waits.
    let locks = try ["one", "two", "three"].map { try LockID($0) }
    let answers = Mutex<[Outcome]>([])
    for (number, lock) in locks.enumerated() {
      let attempt = VaultAttempt(
        lock: lock, nodes: World.right, address: nil, connection: UInt64(number), actuators: 1,
        judgeBy: .distantFuture)
      vault.judge(attempt) { answer in answers.withLock { $0.append(answer.outcome) } }
    }
    entered.wait()
    entered.wait()
    _ = try await world.profile(of: locks[0])
    #expect(vault.queueLength == 1)
    // Whoever hashes may never get the processor again, so it is not waited for.
    vault.close()
    blocked.signal()
    blocked.signal()
    #expect(answers.withLock { $0 } == [.unavailable, .unavailable, .unavailable])
    #expect(try world.outcomes().filter { $0 == "abandoned" }.count == 3)
    for lock in locks { #expect(try world.failures(of: lock) == 1) }
    let late = await vault.answer(World.right, at: locks[0], connection: 9)
    #expect(late.outcome == .unavailable)
  }
}

extension World {
  /// A vault with three locks.
  fileprivate func administered() throws -> Vault {
    for name in ["one", "two", "three"] { try addLock(name) }
    return try vault()
  }
}
