import PadModel
import Testing
import Vault

/// Administrators of the HTTP interface, and what only they and the command line do.
@Suite struct AdminTests {
  @Test("A token is its administrator's until it is revoked; it is stored as a digest")
  func tokens() throws {
    let world = try World()
    let vault = try world.administration()
    let token = try vault.addAdmin("ana")
    let other = try vault.addAdmin("bob")
    #expect(try vault.admin(with: token) == "ana" && vault.admin(with: other) == "bob")
    #expect(try vault.admins().map(\.name) == ["ana", "bob"])
    #expect(throws: VaultError.adminExists("ana")) { try vault.addAdmin("ana") }
    #expect(throws: VaultError.adminName("A b")) { try vault.addAdmin("A b") }
    _ = try vault.rotateKey()
    #expect(try vault.admin(with: token) == "ana")
    try vault.revokeAdmin("ana")
    #expect(try vault.admin(with: token) == nil && vault.admin(with: other) == "bob")
    #expect(throws: VaultError.unknownAdmin("ana")) { try vault.revokeAdmin("ana") }
    #expect(try !world.files().contains { $0.holds(Array(other.text.utf8)) })
    #expect(
      try world.outcomes() == ["admin added", "admin added", "key rotated", "admin revoked"])
  }

  @Test("As many administrators as may be are added, and one more is not")
  func limit() throws {
    let world = try World()
    world.configure { $0.limits.admins = 2 }
    let vault = try world.administration()
    for name in ["a", "b"] { _ = try vault.addAdmin(name) }
    #expect(throws: VaultError.tooManyAdmins(limit: 2)) { try vault.addAdmin("c") }
  }

  @Test("Nobody without the key makes himself an administrator, or another of the one there is")
  func edited() throws {
    let world = try World()
    let vault = try world.administration()
    let token = try vault.addAdmin("ana")
    for column in try world.columns(of: "admin") {
      for value in column.edits {
        let database = try world.database()
        try database.run("CREATE TEMP TABLE kept AS SELECT * FROM admin")
        let edit = "UPDATE admin SET \(column.name) = \(value) WHERE \(column.name) IS NOT \(value)"
        guard try database.run(edit) > 0 else { continue }
        #expect(try vault.admin(with: token) == nil && vault.admins().isEmpty, "\(edit)")
        try database.run("DELETE FROM admin")
        try database.run("INSERT INTO admin SELECT * FROM kept")
      }
    }
    #expect(try vault.admin(with: token) == "ana")
  }

  @Test("A changed mirror keeps the codes and the failures, and real grants end where strokes show")
  func mirror() async throws {
    let world = try World()
    let lock = try world.addLock()
    _ = try await world.draw(wrongCode(1), at: lock)
    try world.administration().setMirror(.open, of: lock)
    #expect(try await world.profile(of: lock)?.mirror == .open)
    #expect(try await world.profile(of: lock)?.bucket.failures == 1)
    let answer = try await world.draw(at: lock)
    #expect(answer.outcome == .accepted)
    let grant = try #require(answer.grant)
    #expect(try await world.claim(grant, at: lock)?.isDemo == true)
    try world.administration().setMirror(.stealth, of: lock)
    #expect(try await world.draw(at: lock).outcome == .accepted)
    #expect(throws: VaultError.unknownLock(try LockID("gate"))) {
      try world.administration().setMirror(.open, of: try LockID("gate"))
    }
  }

  @Test("The audit is read from the newest entry back, of one lock or of all, page by page")
  func audit() async throws {
    let world = try World()
    let lock = try world.addLock()
    let vault = try world.administration()
    vault.actor = .admin("ana")
    for _ in 0..<3 { try vault.resetLock(lock) }
    _ = try await world.draw(at: lock)
    let newest = try vault.audit(of: lock, before: .max, limit: 2)
    #expect(newest.map(\.what) == ["accepted", "lock reset"])
    #expect(newest[0].bucket == "strangers" && newest[0].secret == 1 && newest[0].actor == nil)
    #expect(newest[1].bucket == nil && newest[1].actor == "admin:ana")
    let older = try vault.audit(of: lock, before: newest[1].id, limit: 10)
    #expect(older.map(\.what) == ["lock reset", "lock reset", "secret added", "lock added"])
    #expect(older.last?.actor == "command line")
    #expect(try vault.audit(of: try LockID("gate"), before: .max, limit: 10).isEmpty)
    #expect(try vault.audit(of: nil, before: .max, limit: 1000).count == 6)
  }
}
