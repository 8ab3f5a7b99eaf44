import PadModel
import Testing
import Vault

/// What a running vault knows of who may come in.
@Suite struct EntryRulesTests {
  private let shop: WebOrigin
  private let wall: Int64 = 1_800_000_000

  init() throws { shop = try #require(WebOrigin("https://shop.example")) }

  /// Asks until the rules are as wanted, as long as only a failing test waits.
  private func settles(_ vault: Vault, _ isWanted: (EntryRules) -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end { if isWanted(vault.entryRules) { return true } }
    return false
  }

  @Test("A revoked token is known to a running vault, to the next one, and to nobody after its end")
  func revocation() throws {
    let world = try World()
    let vault = try world.vault()
    #expect(vault.entryRules.revoked.isEmpty)
    try world.administration().revokeToken("abc", expires: wall + 60)
    #expect(settles(vault) { $0.revoked == ["abc"] })
    world.stop()
    #expect(try world.vault().entryRules.revoked == ["abc"])
    #expect(
      try world.administration().revocations() == world.administration().revocations())
    world.stop()
    world.clock.advance(.seconds(59))
    #expect(try world.vault().entryRules.revoked == ["abc"])
    world.stop()
    world.clock.advance(.seconds(1))
    #expect(try world.vault().entryRules.revoked.isEmpty)
    #expect(try world.administration().revocations().isEmpty)
    try world.administration().revokeToken("other", expires: wall + 3600)
    #expect(try world.number("SELECT count(*) FROM revocation") == 1)
  }

  @Test("A token that is revoked twice stays so until the later end")
  func twice() throws {
    let world = try World()
    for end in [60, 90, 30] {
      try world.administration().revokeToken("abc", expires: wall + Int64(end))
    }
    let revoked = try world.administration().revocations()
    #expect(revoked.map(\.token) == ["abc"])
    #expect(revoked.map(\.expires) == [wall + 90])
  }

  @Test("What was forgotten does not count again when the clock is set back")
  func setBack() throws {
    let world = try World()
    try world.administration().revokeToken("abc", expires: wall + 60)
    world.clock.advance(.seconds(120))
    try world.administration().revokeToken("other", expires: wall + 3600)
    world.clock.set { $0.wall = wall }
    // The token is gone from the list, and the rules say that it is later than its end.
    #expect(try world.vault().entryRules.revoked == ["other"])
    #expect(try world.vault().entryRules.wall == wall + 120)
  }

  @Test("As many are remembered as may be, and no more")
  func limit() throws {
    let world = try World()
    world.configure { $0.limits.revocations = 2 }
    let administration = try world.administration()
    try administration.revokeToken("a", expires: wall + 60)
    try administration.revokeToken("b", expires: wall + 120)
    try administration.revokeToken("b", expires: wall + 130)
    #expect(throws: VaultError.tooManyRevocations(limit: 2)) {
      try administration.revokeToken("c", expires: wall + 60)
    }
    #expect(try administration.revocations().map(\.token) == ["a", "b"])
    world.clock.advance(.seconds(60))
    try administration.revokeToken("c", expires: wall + 120)
    #expect(try administration.revocations().map(\.token) == ["c", "b"])
    #expect(try world.outcomes().filter { $0 == "token revoked" }.count == 4)
  }

  @Test("The origins of a lock are known as they were given, as many as may be")
  func origins() throws {
    let world = try World()
    world.configure { $0.limits.originsPerRoom = 2 }
    let site = try #require(WebOrigin("http://127.0.0.1:9000"))
    let lock = try world.addLock(origins: [shop, site])
    let plain = try world.addLock("plain")
    #expect(try world.vault().entryRules.origins == [lock: [shop, site]])
    #expect(try world.administration().lock(lock).origins == [shop, site])
    #expect(try world.administration().lock(plain).origins == [])
    #expect(throws: VaultError.tooManyOrigins(lock: try LockID("many"), limit: 2)) {
      try world.addLock("many", origins: [shop, site, shop])
    }
    let more = try world.addLock("more", origins: [site])
    #expect(settles(try world.vault()) { $0.origins == [lock: [shop, site], more: [site]] })
  }

  @Test("A lock whose origins were edited lets no page in")
  func edited() throws {
    let world = try World()
    let lock = try world.addLock(origins: [shop])
    let database = try world.database()
    for edit in ["https://evil.example", "https://shop.example https://evil.example", "null"] {
      try database.run("UPDATE lock SET origins = '\(edit)'")
      #expect(try world.vault().entryRules.origins == [lock: []])
      world.stop()
    }
    try database.run("UPDATE lock SET origins = 'https://shop.example'")
    #expect(try world.vault().entryRules.origins == [lock: [shop]])
  }
}
