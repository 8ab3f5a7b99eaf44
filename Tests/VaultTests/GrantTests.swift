import PadModel
import Testing
import Vault

@Suite struct GrantTests {
  private func offered(mirror: MirrorMode = .stealth, isToy: Bool = false) async throws
    -> (world: World, lock: LockID, id: GrantID)
  {
    let world = try World()
    let lock = try world.addLock(mirror: mirror, isToy: isToy)
    return (world, lock, try #require(try await world.draw(at: lock).grant))
  }

  @Test("A grant is signed over all that it says")
  func signature() async throws {
    let (world, lock, id) = try await offered()
    let grant = try #require(try await world.claim(id, at: lock))
    let key = try world.vault().grantKey
    #expect(grant.isSigned(by: key))
    #expect(grant.id == id && grant.lock == lock && grant.audience == MemberID(3))
    #expect(grant.nonce == GrantNonce(high: 1, low: 7))
    #expect(!grant.isDemo)
    let changes: [(inout Grant) throws -> Void] = [
      { $0.id = GrantID(high: 0, low: 1) }, { $0.lock = try LockID("gate") },
      { $0.audience = MemberID(4) }, { $0.nonce = GrantNonce(high: 1, low: 8) },
      { $0.isDemo.toggle() }, { $0.keyID += 1 }, { $0.signature[63] ^= 1 },
      { $0.signature = [] },
    ]
    for change in changes {
      var changed = grant
      try change(&changed)
      let any = GrantKey(id: changed.keyID, publicKey: key.publicKey)
      #expect(!changed.isSigned(by: any))
    }
  }

  @Test("A grant is had once, also after a restart, and by one of many who ask at once")
  func once() async throws {
    let (world, lock, id) = try await offered()
    let vault = try world.vault()
    let taken = await withTaskGroup { group in
      for nonce in 0..<20 {
        group.addTask { await vault.grant(id, at: lock, nonce: UInt64(nonce)) }
      }
      return await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
    }
    #expect(taken == 1)
    world.stop()
    #expect(try await world.claim(id, at: lock) == nil)
  }

  @Test("An edited offer makes no real grant of a demo, and a damaged lock gives none")
  func edited() async throws {
    let (world, lock, id) = try await offered(mirror: .open)
    try world.database().run("UPDATE offer SET demo = 0")
    #expect(try await world.claim(id, at: lock)?.isDemo == true)
    let next = try #require(try await world.draw(at: lock).grant)
    try world.database().run("UPDATE offer SET demo = 0")
    try world.database().run("UPDATE lock SET mirror = 'stealth'")
    #expect(try await world.claim(next, at: lock) == nil)
  }

  @Test("A grant is had for five seconds, and not a millisecond longer")
  func inTime() async throws {
    for (delay, isHad) in [(5000, true), (5001, false)] {
      let (world, lock, id) = try await offered()
      world.clock.advance(.milliseconds(delay))
      #expect((try await world.claim(id, at: lock) != nil) == isHad)
    }
  }

  @Test("A grant is not had after a new boot, nor when its lock is gone")
  func gone() async throws {
    let (world, lock, id) = try await offered()
    try world.administration().removeLock(lock)
    #expect(try await world.claim(id, at: lock) == nil)
    let (second, door, other) = try await offered()
    second.clock.set { $0.bootID = "boot-2" }
    #expect(try await second.claim(other, at: door) == nil)
  }

  @Test("Asking at another lock gets nothing and spoils nothing")
  func otherLock() async throws {
    let (world, lock, id) = try await offered()
    let gate = try world.addLock("gate")
    #expect(try await world.claim(id, at: gate) == nil)
    #expect(try await world.claim(GrantID(high: 5, low: 5), at: lock) == nil)
    #expect(try await world.claim(id, at: lock) != nil)
  }

  @Test("Grants of an open-mirrored lock and of a toy are for show")
  func demo() async throws {
    for (mirror, isToy) in [(MirrorMode.open, false), (.stealth, true)] {
      let (world, lock, id) = try await offered(mirror: mirror, isToy: isToy)
      #expect(try await world.profile(of: lock)?.givesDemoGrants == true)
      let grant = try #require(try await world.claim(id, at: lock))
      #expect(grant.isDemo)
      #expect(grant.isSigned(by: try world.vault().grantKey))
    }
  }

  @Test("Offers that nobody claims don't pile up")
  func bounded() async throws {
    let world = try World()
    let lock = try world.addLock()
    for _ in 0..<20 {
      _ = try await world.draw(at: lock)
      world.clock.advance(.seconds(6))
    }
    #expect(try world.number("SELECT count(*) FROM offer") == 1)
  }
}

extension Vault {
  fileprivate func grant(_ id: GrantID, at lock: LockID, nonce: UInt64) async -> Grant? {
    let asked = GrantClaim(id: id, nonce: GrantNonce(high: 0, low: nonce))
    return await replied { claim(asked, lock: lock, audience: MemberID(1), reply: $0) }
  }
}
