import Foundation
import PadModel
import Synchronization
import Testing
import Vault

/// Puts attempts before a vault whose hashes wait until they are let go.
///
/// Nothing of it is a task: what waits here would take the few threads that tasks have from others.
private final class Holder: Sendable {
  private let held = DispatchSemaphore(value: 0)
  private let begun = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let outcomes = Mutex<[UInt64: Outcome]>([:])
  private let vault: Vault

  init(_ vault: Vault) {
    self.vault = vault
    vault.setHashHook { [held, begun] in
      begun.signal()
      held.wait()
    }
  }

  func judge(
    _ nodes: [NodeIndex] = World.right, at lock: LockID, as bucket: BucketID = .strangers,
    connection: UInt64, by judgeBy: Instant = .distantFuture
  ) {
    let attempt = VaultAttempt(
      lock: lock, bucket: bucket, nodes: nodes, address: nil, connection: connection, actuators: 1,
      judgeBy: judgeBy)
    vault.judge(attempt) { [self] answer in
      outcomes.withLock { $0[connection] = answer.outcome }
      ended.signal()
    }
  }

  func waitForHashes(_ count: Int) { for _ in 0..<count { begun.wait() } }
  func waitForQueue(_ count: Int) { while vault.queueLength < count { sched_yield() } }
  func letGo(_ count: Int) { for _ in 0..<count { held.signal() } }

  /// Waits for so many more answers, and gives all that came.
  func answers(_ count: Int) -> [UInt64: Outcome] {
    for _ in 0..<count { ended.wait() }
    return outcomes.withLock { $0 }
  }
}

@Suite struct QueueTests {
  @Test("As many attempts wait for a hash as strangers have places, and one more is turned away")
  func limit() throws {
    let world = try World()
    let limits = world.configuration.limits
    let places = limits.verifyQueue - limits.verifyQueueTrusted
    let threads = world.configuration.hashThreads
    #expect(places == 24)
    let all = places + threads
    let locks = try (0...all).map { try world.addLock("door\($0)") }
    let holder = Holder(try world.vault())
    for number in 0..<threads { holder.judge(at: locks[number], connection: UInt64(number)) }
    holder.waitForHashes(threads)
    for number in threads..<all { holder.judge(at: locks[number], connection: UInt64(number)) }
    holder.waitForQueue(places)
    holder.judge(at: locks[all], connection: UInt64(all))
    #expect(holder.answers(1) == [UInt64(all): .unavailable])
    holder.letGo(all)
    let answers = holder.answers(all)
    #expect(answers.count == all + 1)
    #expect(answers.values.count { $0 == .accepted } == all)
  }

  @Test("A trusted device has a place when strangers have none, until those are taken too")
  func trustedPlaces() async throws {
    let world = try World()
    world.configure {
      $0.limits.verifyQueue = 3
      $0.limits.verifyQueueTrusted = 2
      $0.hashThreads = 1
    }
    let locks = try (0..<7).map { try world.addLock("door\($0)") }
    var homes: [BucketID] = []
    for lock in locks[4...] { homes.append(try #require(try await world.draw(at: lock).home?.id)) }
    let holder = Holder(try world.vault())
    holder.judge(at: locks[0], connection: 0)
    holder.waitForHashes(1)
    holder.judge(at: locks[1], connection: 1)
    holder.waitForQueue(1)
    holder.judge(at: locks[2], connection: 2)
    #expect(holder.answers(1) == [2: .unavailable])
    for index in 0..<2 {
      holder.judge(at: locks[4 + index], as: homes[index], connection: UInt64(4 + index))
      holder.waitForQueue(2 + index)
    }
    holder.judge(at: locks[6], as: homes[2], connection: 6)
    #expect(holder.answers(1)[6] == .unavailable)
    holder.letGo(4)
    let answers = holder.answers(4)
    for connection in [0, 1, 4, 5] as [UInt64] { #expect(answers[connection] == .accepted) }
  }

  @Test("An attempt whose time is over before its hash is not hashed and does not count")
  func late() throws {
    let world = try World()
    let lock = try world.addLock(uses: 1)
    let busy = try world.addLock("busy")
    let vault = try world.vault()
    let threads = world.configuration.hashThreads
    let holder = Holder(vault)
    for number in 0..<threads { holder.judge(at: busy, connection: UInt64(number)) }
    holder.waitForHashes(threads)
    let judgeBy = world.clock.read().boot + .seconds(5)
    holder.judge(wrongCode(1), at: lock, connection: 9, by: judgeBy)
    holder.waitForQueue(1)
    #expect(try world.failures(of: lock) == 1)
    world.clock.advance(.milliseconds(5_001))
    holder.letGo(threads)
    #expect(holder.answers(threads + 1)[9] == .unavailable)
    #expect(vault.hashCount == threads)
    #expect(try world.failures(of: lock) == 0)
    #expect(try world.number("SELECT count(*) FROM attempt") == 0)
    let rows = "SELECT count(*) FROM audit WHERE lock = 'door' AND outcome = 'unavailable'"
    #expect(try world.number(rows) == 1)
    #expect(try world.number("SELECT uses_left FROM secret WHERE lock = 'door'") == 1)
  }
}
