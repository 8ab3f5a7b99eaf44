import PadModel
import Synchronization
import Testing
import Vault

@Suite struct RowTests {
  /// The names and declared types of a table's columns.
  private func columns(of table: String, _ world: World) throws -> [(name: String, type: String)] {
    try world.database().all("PRAGMA table_info(\(table))") { ($0.text(1), $0.text(2)) }
  }

  private func world() throws -> (World, LockID) {
    let world = try World()
    let shop = try #require(WebOrigin("https://shop.example"))
    let lock = try world.addLock(expires: 3_000_000_000, uses: 100, origins: [shop])
    return (world, lock)
  }

  /// Values that differ from what stands in a column, as SQL.
  private func edits(_ column: (name: String, type: String)) -> [String] {
    let name = column.name
    switch column.type {
    case "INTEGER": return ["\(name) + 1", "\(name) + 256", "\(name) + 4294967296", "-1"]
    case "BLOB":
      return [
        "x'00'", "substr(\(name), 1, length(\(name)) - 1)",
        "CAST(substr(\(name), 1, length(\(name)) - 1) || x'00' AS BLOB)", "zeroblob(24)",
      ]
    default: return ["\(name) || 'x'", "\(name) || char(0) || 'x'", "''"]
    }
  }

  @Test("An edit of any single column of a secret or its lock makes its code wrong or unavailable")
  func singleColumns() async throws {
    for table in ["secret", "lock"] {
      let (world, lock) = try world()
      let columns = try columns(of: table, world)
      #expect(columns.count == (table == "secret" ? 12 : 16))
      for column in columns {
        for edit in edits(column) { try await expectRefused(table, column.name, edit, world, lock) }
      }
      // A NULL where one may be, and the other meanings of the columns that are words.
      let words = [
        ("secret", "expires", "NULL"), ("secret", "uses_left", "NULL"),
        ("lock", "mirror", "'open'"), ("lock", "preset", "'hm-view'"), ("lock", "rule", "'free'"),
        ("lock", "schedule", "'gatekeeper'"), ("lock", "cancel", "'submit'"),
        ("lock", "origins", "'https://shop.example https://evil.example'"),
      ]
      for (_, column, edit) in words.filter({ $0.0 == table }) {
        try await expectRefused(table, column, edit, world, lock)
      }
    }
  }

  private func expectRefused(
    _ table: String, _ column: String, _ edit: String, _ world: World, _ lock: LockID
  ) async throws {
    let database = try world.database()
    try database.run("PRAGMA foreign_keys = OFF")
    try database.run("CREATE TEMP TABLE kept AS SELECT * FROM \(table)")
    try database.run("UPDATE \(table) SET \(column) = \(edit)")
    let isChanged =
      try database.first("SELECT * FROM \(table) EXCEPT SELECT * FROM kept") { _ in true } ?? false
    #expect(isChanged, "\(table).\(column) = \(edit) changes nothing")
    let answer = try await world.draw(at: lock)
    #expect(answer.outcome != .accepted, "\(table).\(column) = \(edit)")
    #expect(answer.grant == nil)
    try database.run("DELETE FROM \(table)")
    try database.run("INSERT INTO \(table) SELECT * FROM kept")
    try database.run("DROP TABLE kept")
    try database.run("DELETE FROM bucket")
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("Rows that change places open nothing")
  func swapped() async throws {
    let (world, lock) = try world()
    let gate = try world.addLock("gate")
    let other: [NodeIndex] = [0, 3, 6, 7, 8]
    _ = try world.administration().addSecret(NewSecret(lock: gate, nodes: other))
    // A known code's row put behind another lock, whole and by its seal alone.
    try world.database().run("UPDATE secret SET lock = 'door', number = 7 WHERE number = 2")
    #expect(try await world.draw(other, at: lock).outcome == .rejected)
    try world.database().run(
      """
      UPDATE secret SET (key, nonce, sealed) =
        (SELECT key, nonce, sealed FROM secret WHERE number = 7)
      WHERE lock = 'door' AND number = 1
      """)
    #expect(try await world.draw(other, at: lock).outcome == .rejected)
    #expect(try await world.draw(at: lock).outcome == .rejected)
    #expect(try await world.draw(at: gate).outcome == .accepted)
  }

  @Test("An edited row does not spoil the lock's others")
  func others() async throws {
    let (world, lock) = try world()
    let other: [NodeIndex] = [0, 3, 6, 7, 8]
    _ = try world.administration().addSecret(NewSecret(lock: lock, nodes: other))
    for edit in ["owner = 'eve'", "key = 99"] {
      try world.database().run("UPDATE secret SET \(edit) WHERE number = 1")
      #expect(try await world.draw(at: lock).outcome == .rejected)
      #expect(try await world.draw(other, at: lock).outcome == .accepted)
    }
  }

  @Test("A lock's room follows no edit of its row that its secrets don't vouch for")
  func mirror() async throws {
    let (world, lock) = try world()
    let empty = try LockID("empty")
    try world.administration().addLock(NewLock(id: empty))
    for edit in ["mirror = 'open'", "minimum = 1", "rule = 'free'", "mirror = 'none'"] {
      #expect(try await world.profile(of: lock)?.mirror == .stealth)
      let database = try world.database()
      try database.run("CREATE TEMP TABLE kept AS SELECT * FROM lock")
      try database.run("UPDATE lock SET \(edit) WHERE id = 'door'")
      let heard = Mutex<[VaultError]>([])
      try world.vault().whenFailed { _, error in heard.withLock { $0.append(error) } }
      #expect(try await world.answer(about: lock) == .unreadable)
      #expect(heard.withLock { $0 } == [.damagedLock(lock)])
      #expect(try await world.profile(of: empty)?.mirror == .stealth)
      try database.run("PRAGMA foreign_keys = OFF")
      try database.run("DELETE FROM lock")
      try database.run("INSERT INTO lock SELECT * FROM kept")
    }
    // One secret that opens is enough.
    _ = try world.administration().addSecret(NewSecret(lock: lock, nodes: [0, 3, 6, 7, 8]))
    try world.database().run("UPDATE secret SET owner = 'eve' WHERE number = 1")
    #expect(try await world.profile(of: lock) != nil)
    try world.database().run("UPDATE secret SET owner = 'eve'")
    #expect(try await world.answer(about: lock) == .unreadable)
    #expect(try await world.answer(about: try LockID("nowhere")) == .missing)
  }

  @Test("Numbers that no program writes stop a bucket until it is reset, and crash nothing")
  func nonsense() async throws {
    let least = "-9223372036854775808"
    let most = "9223372036854775807"
    for edit in [
      "failures = \(most)", "failures = \(least)", "failures = -1", "generation = \(most)",
      "generation = -1", "budget_used = \(least)", "budget_used = 51",
    ] {
      let (world, lock) = try world()
      _ = try await world.draw(wrongCode(1), at: lock)
      try world.database().run("UPDATE bucket SET \(edit)")
      let answer = try await world.draw(at: lock)
      #expect(answer.outcome == .lockedOut, "\(edit)")
      #expect(answer.bucket?.retryAt == .distantFuture, "\(edit)")
      // A start and a new boot find the same.
      world.stop()
      world.clock.set { $0.bootID = "boot-2" }
      #expect(try await world.profile(of: lock)?.bucket.retryAt == .distantFuture, "\(edit)")
      try world.administration().resetLock(lock)
      #expect(try await world.draw(wrongCode(2), at: lock).outcome == .rejected, "\(edit)")
      #expect(try await world.draw(at: lock).outcome == .accepted, "\(edit)")
    }
    for edit in [
      "budget_start = \(least)", "budget_start = \(most)", "boot = \(least)", "boot = \(most)",
      "wall = \(least)", "wall = \(most)",
    ] {
      let (world, lock) = try world()
      _ = try await world.draw(wrongCode(1), at: lock)
      try world.database().run("UPDATE bucket SET \(edit)")
      #expect(try await world.draw(at: lock).outcome == .accepted, "\(edit)")
    }
  }

  @Test("A lock's row with such numbers is like none, for the command line too")
  func nonsenseLock() throws {
    for edit in ["last_secret = 9223372036854775807", "minimum = -1", "minimum = 4294967300"] {
      let (world, lock) = try world()
      try world.database().run("UPDATE lock SET \(edit)")
      #expect(throws: VaultError.unknownLock(lock)) {
        try world.administration().addSecret(NewSecret(lock: lock, nodes: [0, 3, 6, 7, 8]))
      }
    }
  }

  @Test("A stolen database verifies nothing without its key")
  func stolen() async throws {
    let (world, lock) = try world()
    #expect(try await world.draw(at: lock).outcome == .accepted)
    world.stop()
    let foreign = world.folder + "/foreign.key"
    try VaultAdministration.createKey(at: foreign)
    world.configure { $0.keyPath = foreign }
    #expect(try await world.draw(at: lock).outcome == .rejected)
    #expect(throws: VaultError.damagedRows(lock: lock, count: 1)) {
      try world.administration().rotateKey()
    }
    world.stop()
    world.configure { $0.keyPath = "/nonexistent/server.key" }
    #expect(throws: VaultError.keyMissing(path: "/nonexistent/server.key")) { try world.vault() }
  }

  @Test("Neither code nor hash stands anywhere in the folder")
  func nothingPlain() async throws {
    let world = try World()
    let lock = try world.addLock()
    _ = try await world.draw(at: lock)
    _ = try await world.draw(wrongCode(1), at: lock)
    for bytes in try world.files() {
      for code in [World.right, wrongCode(1)] {
        #expect(!bytes.holds([5] + code))
        #expect(!bytes.holds(code))
        #expect(!bytes.holds(code.map { $0 + 49 }))
      }
    }
  }
}
