import Foundation
import PadModel
import Testing
import Vault

@Suite struct MigrationTests {
  /// A key and rows as a program of schema 1 wrote them.
  private static let key =
    "64726177626f6c742d6b65792d76310a"
    + "0000000137b5c2e8cc051c20b0f36759b8756768" + "7aeda54c5d286e1e411c718001185838"
  private static let rows = [
    """
    INSERT INTO lock VALUES ('door', 'android', 3, 3, 'fill', 4, 'stealth', 'standard', 0,
      x'3ea5d6f5144358e5e93b358b178390bc', 19922944, 2, 1)
    """,
    """
    INSERT INTO secret VALUES ('door', 1, 1, 'ann', 1796082531, NULL, NULL, 0, 1, 1,
      x'5e7e82415229f588352148aecbc3c5d61f3aa0349a171976',
      x'9589b677f93450bdc6d4d23eb68ffbfa1dfb66eab526944d5dd62186c0e62af84a37a7e259c11d48dd27d99c0f27e700')
    """,
    """
    INSERT INTO lock VALUES ('seed', 'sa-screen-lock', 3, 3, 'free', 1, 'stealth', 'standard', 1,
      x'00112233445566778899aabbccddeeff', 19922944, 2, 1)
    """,
    """
    INSERT INTO secret VALUES ('seed', 1, 1, 'bob', 1796094833, NULL, NULL, 0, 1, 1,
      x'de2385fbc50ab4c31e2808bd978d36d95a3657d0509702dd',
      x'3a6f520da8fce59799ca9f29521d8457b5c0a2599f0cb1a1f5201e3d870c04b31331ff5e7311530d1dcf60858766578f')
    """,
    // Nobody vouches for a lock without a code.
    """
    INSERT INTO lock VALUES ('bare', 'android', 3, 3, 'fill', 4, 'open', 'standard', 0,
      x'00112233445566778899aabbccddeeff', 19922944, 2, 0)
    """,
    """
    INSERT INTO bucket VALUES ('door', 0, 2, 2, 'boot-1', 0, 0, 0, 0)
    """,
  ]

  /// A world whose database has the first schema and those rows.
  private func oldWorld() throws -> World {
    let world = try World()
    let digits = Array(Self.key.utf8)
    let key = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    try Data(key).write(to: URL(fileURLWithPath: world.configuration.keyPath))
    _ = try world.administration()
    let database = try world.database()
    try database.run("DROP TABLE revocation")
    for column in ["view_width", "cancel", "origins", "key", "nonce", "sealed"] {
      try database.run("ALTER TABLE lock DROP COLUMN \(column)")
    }
    for table in ["admin", "bucket", "device", "key_check"] {
      try database.run("DROP TABLE \(table)")
    }
    try database.run(
      """
      CREATE TABLE bucket (
        lock TEXT NOT NULL REFERENCES lock (id) ON DELETE CASCADE, kind INTEGER NOT NULL,
        failures INTEGER NOT NULL, generation INTEGER NOT NULL, boot_id TEXT NOT NULL,
        boot INTEGER NOT NULL, wall INTEGER NOT NULL, budget_used INTEGER NOT NULL,
        budget_start INTEGER NOT NULL, PRIMARY KEY (lock, kind)) STRICT
      """)
    for row in Self.rows { try database.run(row) }
    try database.run("PRAGMA user_version = 1")
    return world
  }

  @Test("Codes that were sealed before a lock had a width and a cancel rule still open it")
  func firstSchema() async throws {
    let world = try oldWorld()
    let lock = try LockID("door")
    #expect(try await world.draw(at: lock).outcome == .accepted)
    #expect(try await world.draw(wrongCode(1), at: lock).outcome == .rejected)
    let pad = try world.administration().lock(lock).pad
    #expect(pad == Preset.android.pad())
  }

  @Test("A seed lock keeps submitting cancelled strokes")
  func seedLock() throws {
    let world = try oldWorld()
    let pad = try world.administration().lock(try LockID("seed")).pad
    #expect(pad.finish.cancel == .submit && pad.viewWidth == 375)
  }

  @Test("Rows without seals get theirs once, if a code vouches for them, and failures stay counted")
  func seals() async throws {
    let world = try oldWorld()
    let (door, bare) = (try LockID("door"), try LockID("bare"))
    #expect(try await world.draw(wrongCode(1), at: door).bucket?.failures == 3)
    #expect(try await world.answer(about: bare) == .unreadable)
    let listed = try world.administration().locks()
    #expect(listed.good.map(\.id.text) == ["door", "seed"] && listed.damaged == [bare])
    #expect(try world.number("SELECT count(*) FROM secret WHERE version = 2") == 2)
    #expect(throws: VaultError.damagedLock(bare)) { try world.administration().rotateKey() }
    try world.administration().removeLock(bare)
    #expect(try world.administration().rotateKey() == 2)
    // Whoever takes a seal away again does not get a fresh one.
    world.stop()
    try world.database().run(
      "UPDATE lock SET mirror = 'open', key = 0, nonce = x'', sealed = x'' WHERE id = 'door'")
    try world.database().run("DELETE FROM key_check")
    #expect(try await world.answer(about: door) == .unreadable)
  }

  @Test("Data of an older program are not taken up with another key")
  func foreignKey() throws {
    let world = try oldWorld()
    let foreign = world.folder + "/foreign.key"
    try VaultAdministration.createKey(at: foreign)
    world.configure { $0.keyPath = foreign }
    #expect(
      throws: VaultError.keyForeign(path: foreign, directory: world.configuration.directory)
    ) { try world.vault() }
  }
}
