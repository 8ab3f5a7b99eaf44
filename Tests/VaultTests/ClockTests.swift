import PadModel
import Testing
import Vault

@Suite struct ClockTests {
  /// A lock with six failures, whose delay of five minutes has just begun.
  private func delayed(expires: Int64? = nil) async throws -> (World, LockID) {
    let world = try World()
    let lock = try world.addLock(expires: expires)
    for failure in 1...6 {
      _ = try await world.draw(wrongCode(failure), at: lock)
      if failure == 5 { world.clock.advance(.seconds(60)) }
    }
    return (world, lock)
  }

  private func expectOpens(after wait: Duration, _ world: World, _ lock: LockID) async throws {
    world.clock.advance(wait - .aMillisecond)
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
    world.clock.advance(.aMillisecond)
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("The wall clock set forward shortens no delay")
  func wallForward() async throws {
    let (world, lock) = try await delayed()
    world.clock.advance(.seconds(100))
    world.clock.set { $0.wall += 10 * 365 * 86_400 }
    try await expectOpens(after: .seconds(200), world, lock)
  }

  @Test("The wall clock set back begins the present step again, and no more than that")
  func wallBack() async throws {
    let (world, lock) = try await delayed()
    world.clock.advance(.seconds(299))
    world.clock.set { $0.wall -= 10 * 365 * 86_400 }
    _ = try await world.profile(of: lock)
    try await expectOpens(after: .seconds(300), world, lock)
  }

  @Test("A wall clock that was far ahead and comes back locks for one step, not for years")
  func wallAheadAndBack() async throws {
    let (world, lock) = try await delayed()
    world.clock.set { $0.wall += 50 * 365 * 86_400 }
    world.clock.advance(.seconds(300))
    #expect(try await world.draw(wrongCode(9), at: lock).outcome == .rejected)
    world.clock.set { $0.wall -= 50 * 365 * 86_400 }
    _ = try await world.profile(of: lock)
    try await expectOpens(after: .seconds(900), world, lock)
  }

  @Test("A new boot begins the present step again, whatever its clock says")
  func newBoot() async throws {
    for boot: Int64 in [0, 5, 100_000_000] {
      let (world, lock) = try await delayed()
      world.clock.advance(.seconds(299))
      world.stop()
      world.clock.set { reading in
        reading.bootID = "boot-2"
        reading.boot = Instant(nanoseconds: boot * 1_000_000_000)
      }
      // Opening it is enough to notice.
      _ = try world.vault()
      try await expectOpens(after: .seconds(300), world, lock)
    }
  }

  @Test("A step that began anew goes on through restarts of the server")
  func restartWithinBoot() async throws {
    let (world, lock) = try await delayed()
    world.clock.set { $0.bootID = "boot-2" }
    _ = try await world.profile(of: lock)
    world.clock.advance(.seconds(100))
    world.stop()
    try await expectOpens(after: .seconds(200), world, lock)
  }

  @Test("The hard stop holds through a new boot and any wall clock")
  func hardStop() async throws {
    let world = try World()
    let lock = try world.addLock()
    for failure in 1...20 {
      #expect(try await world.draw(wrongCode(failure), at: lock).outcome == .rejected)
      let retryAt = try #require(try await world.profile(of: lock)).bucket.retryAt
      if failure < 20 { world.clock.advance(to: max(retryAt, world.clock.read().boot)) }
    }
    world.clock.set { reading in
      reading.bootID = "boot-2"
      reading.wall += 100 * 365 * 86_400
    }
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
  }

  @Test("An expired secret stays so when the wall clock is set back")
  func validity() async throws {
    let world = try World()
    let expiry = world.clock.read().wall + 10
    let lock = try world.addLock(expires: expiry)
    world.clock.set { $0.wall = expiry - 1 }
    #expect(try await world.draw(at: lock).outcome == .accepted)
    world.clock.set { $0.wall = expiry }
    #expect(try await world.draw(at: lock).outcome == .rejected)
    world.clock.set { $0.wall = expiry - 1000 }
    #expect(try await world.draw(at: lock).outcome == .rejected)
    world.stop()
    #expect(try await world.draw(at: lock).outcome == .rejected)
  }
}
