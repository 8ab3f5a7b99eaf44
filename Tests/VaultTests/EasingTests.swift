import PadModel
import Testing
import Vault

/// What an owner's success does for others, and when somebody is told of failures.
@Suite struct EasingTests {
  private static let day = Duration.seconds(86_400)

  /// Fails as a bucket until its count is this, each time as soon as that is allowed.
  private func fail(
    to count: Int, in world: World, at lock: LockID, as bucket: BucketID = .strangers
  )
    async throws -> [Bool]
  {
    var alarms: [Bool] = []
    while true {
      let profile = try await world.profile(of: lock)
      // A shared pad has no bucket before its first attempt.
      let reading = profile?.buckets.first { $0.id == bucket }?.reading
      if let reading, reading.failures >= count { return alarms }
      world.clock.advance(to: max(reading?.retryAt ?? .zero, world.clock.read().boot))
      // Of a connection of its own, since the same wrong code again is not counted.
      let connection = UInt64(alarms.count)
      let answer = try await world.draw(
        wrongCode(alarms.count), at: lock, as: bucket, connection: connection)
      alarms.append(answer.raisesAlarm)
    }
  }

  private func failures(_ world: World, _ lock: LockID) async throws -> [Int] {
    try await world.profile(of: lock)?.buckets.map(\.reading.failures) ?? []
  }

  @Test("A trusted device's success puts the other buckets back to five failures, once a day")
  func eased() async throws {
    let world = try World()
    let lock = try world.addLock()
    let bucket = try #require(try await world.draw(at: lock).home?.id)
    let pad = try #require(try await world.profile(of: lock, for: .sharedPad("hall"))?.own)
    _ = try await fail(to: 12, in: world, at: lock)
    _ = try await fail(to: 7, in: world, at: lock, as: pad)
    #expect(try await failures(world, lock) == [12, 0, 7])
    #expect(try await world.draw(at: lock, as: bucket).easesOthers)
    #expect(try await failures(world, lock) == [5, 0, 5])
    _ = try await fail(to: 7, in: world, at: lock)
    #expect(try await !world.draw(at: lock, as: bucket).easesOthers)
    #expect(try await failures(world, lock) == [7, 0, 5])
    world.clock.advance(Self.day)
    // A restart does not forget when the last time was, nor does it make it the first.
    world.stop()
    #expect(try await world.draw(at: lock, as: bucket).easesOthers)
    #expect(try await failures(world, lock) == [5, 0, 5])
  }

  @Test("Five failures are left as they are, and a failure or a stranger's success eases nobody")
  func notEased() async throws {
    let world = try World()
    let lock = try world.addLock()
    let bucket = try #require(try await world.draw(at: lock).home?.id)
    _ = try await fail(to: 5, in: world, at: lock)
    #expect(try await !world.draw(at: lock, as: bucket).easesOthers)
    _ = try await fail(to: 6, in: world, at: lock)
    #expect(try await !world.draw(wrongCode(9), at: lock, as: bucket).easesOthers)
    let pad = try #require(try await world.profile(of: lock, for: .sharedPad("hall"))?.own)
    #expect(try await !world.draw(at: lock, as: pad).easesOthers)
    #expect(try await failures(world, lock)[0] == 6)
  }

  @Test("A bucket that was edited stays stopped")
  func edited() async throws {
    let world = try World()
    let lock = try world.addLock()
    let bucket = try #require(try await world.draw(at: lock).home?.id)
    try world.database().run("UPDATE bucket SET failures = 7 WHERE kind = 0")
    #expect(try await !world.draw(at: lock, as: bucket).easesOthers)
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
  }

  @Test("The failure that makes the delay a quarter of an hour raises one alarm, later ones none")
  func alarm() async throws {
    let world = try World()
    let lock = try world.addLock()
    let alarms = try await fail(to: 12, in: world, at: lock)
    #expect(alarms.enumerated().filter(\.element).map(\.offset) == [6])
    try world.administration().resetLock(lock)
    #expect(try await fail(to: 8, in: world, at: lock).filter(\.self).count == 1)
  }
}
