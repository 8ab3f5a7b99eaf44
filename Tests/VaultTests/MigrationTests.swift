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
      x'00112233445566778899aabbccddeeff', 19922944, 2, 0)
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
    for column in ["view_width", "cancel", "origins"] {
      try database.run("ALTER TABLE lock DROP COLUMN \(column)")
    }
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
}
