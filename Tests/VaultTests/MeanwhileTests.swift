import Foundation
import PadModel
import Synchronization
import Testing
import Vault

/// What happens while a transaction waits for another process, or between two of them.
@Suite struct MeanwhileTests {
  /// Lets time pass at the next write only, which is where a transaction waits for its turn.
  private func delayNextWrite(of vault: Vault, _ clock: TestClock, by time: Duration) {
    let isDone = Mutex(false)
    vault.setFault { () throws(VaultError) in
      let isFirst = isDone.withLock { done in
        defer { done = true }
        return !done
      }
      if isFirst { clock.advance(time) }
    }
  }

  @Test("A verdict whose transaction waited past the deadline grants nothing and stays counted")
  func lateTransaction() async throws {
    for (delay, outcome) in [(5000, Outcome.accepted), (5001, .unavailable)] {
      let world = try World()
      let lock = try world.addLock(uses: 1)
      let vault = try world.vault()
      // Set in the hash, after the reservation: the next write is the verdict's BEGIN.
      vault.setHashHook { [clock = world.clock] in
        delayNextWrite(of: vault, clock, by: .milliseconds(delay))
      }
      let answer = try await world.draw(at: lock)
      #expect(answer.outcome == outcome)
      #expect((answer.grant != nil) == (outcome == .accepted))
      #expect(try world.failures(of: lock) == (outcome == .accepted ? 0 : 1))
      #expect(try world.number("SELECT uses_left FROM secret") == (outcome == .accepted ? 0 : 1))
      world.stop()
    }
  }

  @Test("The time for a verdict is the attempt's own, however late it comes to the vault")
  func ownTime() async throws {
    let world = try World()
    let lock = try world.addLock(uses: 1)
    let vault = try world.vault()
    let over = world.clock.read().boot
    world.clock.advance(.aMillisecond)
    // It waited behind another one until nobody waits for it: free, and never judged.
    #expect(try await world.draw(at: lock, judgeBy: over).outcome == .unavailable)
    #expect(try world.failures(of: lock) == 0)
    #expect(vault.hashCount == 0)
    // Half a second is left of it.
    let judgeBy = world.clock.read().boot + .milliseconds(500)
    vault.setHashHook { [clock = world.clock] in clock.advance(.milliseconds(501)) }
    let late = try await world.draw(at: lock, judgeBy: judgeBy)
    #expect(late.outcome == .unavailable)
    #expect(late.grant == nil)
    #expect(try world.failures(of: lock) == 1)
    #expect(try world.number("SELECT uses_left FROM secret") == 1)
  }

  @Test("A claim whose transaction waited past the grant's time gets nothing")
  func lateClaim() async throws {
    let world = try World()
    let lock = try world.addLock()
    let limit = world.configuration.limits.grantTime
    for (delay, isHad) in [(limit, true), (limit + .aMillisecond, false)] {
      let offered = try #require(try await world.draw(at: lock).grant)
      delayNextWrite(of: try world.vault(), world.clock, by: delay)
      #expect((try await world.claim(offered, at: lock) != nil) == isHad)
    }
  }

  @Test("A delay begins when the reservation is written, not when it began to wait")
  func lateReservation() async throws {
    let world = try World()
    let lock = try world.addLock()
    for number in 1...4 { _ = try await world.draw(wrongCode(number), at: lock) }
    delayNextWrite(of: try world.vault(), world.clock, by: .seconds(3))
    let answer = try await world.draw(wrongCode(5), at: lock)
    #expect(answer.bucket?.retryAt == world.clock.read().boot + .seconds(60))
  }

  @Test("Two rotations at once never forget a key that rows need")
  func rotations() async throws {
    let world = try World()
    let lock = try world.addLock()
    let administration = try world.administration()
    var hasRotated = false
    administration.setFault { () throws(VaultError) in
      // As soon as the first rotation has committed, another one is made from start to end.
      guard !hasRotated, (try? world.number("SELECT key FROM secret")) == 2 else { return }
      hasRotated = true
      _ = try VaultAdministration.open(world.configuration).rotateKey()
    }
    #expect(try administration.rotateKey() == 3)
    #expect(hasRotated)
    #expect(try world.number("SELECT key FROM secret") == 3)
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("A demo lock that a crash left without its code gets it at the next start")
  func demo() async throws {
    let demo = VaultAdministration.demoLock
    var failing = 1
    while true {
      let world = try World()
      let administration = try world.administration()
      var writes = 0
      administration.setFault { () throws(VaultError) in
        writes += 1
        if writes == failing { throw .database(code: 13, doing: "being tested") }
      }
      let isWhole = (try? administration.ensureDemoLock()) != nil
      world.stop()
      _ = try world.administration().ensureDemoLock()
      #expect(try await world.draw([1, 4, 7, 8, 5], at: demo).outcome == .accepted)
      if isWhole { break }
      failing += 1
    }
    #expect(failing > 8)
  }

  @Test("A demo lock whose code was revoked stays without it")
  func revokedDemo() throws {
    let world = try World()
    let administration = try world.administration()
    _ = try administration.ensureDemoLock()
    try administration.revokeSecret(lock: VaultAdministration.demoLock, number: 1)
    #expect(try !administration.ensureDemoLock())
    #expect(try administration.secrets(of: VaultAdministration.demoLock).isEmpty)
  }
}
