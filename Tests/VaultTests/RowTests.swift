import PadModel
import Synchronization
import Testing
import Vault

@Suite struct RowTests {
  private func world() throws -> (World, LockID) {
    let world = try World()
    let shop = try #require(WebOrigin("https://shop.example"))
    let lock = try world.addLock(expires: 3_000_000_000, uses: 100, origins: [shop])
    return (world, lock)
  }

  @Test("An edit of any single column of a secret or its lock makes its code wrong or unavailable")
  func singleColumns() async throws {
    for table in ["secret", "lock"] {
      let (world, lock) = try world()
      let columns = try world.columns(of: table)
      #expect(columns.count == (table == "secret" ? 12 : 19))
      for column in columns {
        for edit in column.edits { try await expectRefused(table, column.name, edit, world, lock) }
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
    try world.administration().resetLock(lock)
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

  @Test("A lock's room follows no edit of its row, whether it has secrets or not")
  func mirror() async throws {
    let (world, lock) = try world()
    let empty = try LockID("empty")
    try world.administration().addLock(NewLock(id: empty))
    let gate = try LockID("gate")
    try world.administration().addLock(NewLock(id: gate))
    for edit in ["mirror = 'open'", "minimum = 1", "rule = 'free'", "mirror = 'none'"] {
      #expect(try await world.profile(of: lock)?.mirror == .stealth)
      let database = try world.database()
      try database.run("CREATE TEMP TABLE kept AS SELECT * FROM lock")
      try database.run("UPDATE lock SET \(edit) WHERE id IN ('door', 'gate')")
      let heard = Mutex<[VaultError]>([])
      try world.vault().whenFailed { _, error in heard.withLock { $0.append(error) } }
      #expect(try await world.answer(about: lock) == .unreadable)
      #expect(try await world.answer(about: gate) == .unreadable)
      #expect(heard.withLock { $0 } == [.damagedLock(lock), .damagedLock(gate)])
      #expect(throws: VaultError.damagedLock(gate)) {
        try world.administration().addSecret(NewSecret(lock: gate, nodes: [0, 3, 6, 7, 8]))
      }
      #expect(try await world.profile(of: empty)?.mirror == .stealth)
      try database.run("PRAGMA foreign_keys = OFF")
      try database.run("DELETE FROM lock")
      try database.run("INSERT INTO lock SELECT * FROM kept")
    }
    // Its row is what it was, whatever became of its secrets.
    try world.database().run("UPDATE secret SET owner = 'eve'")
    #expect(try await world.profile(of: lock)?.mirror == .stealth)
    #expect(try await world.answer(about: try LockID("nowhere")) == .missing)
  }

  @Test("A lock's row with numbers that no program writes is damaged, for the command line too")
  func nonsenseLock() throws {
    for edit in ["last_secret = 9223372036854775807", "minimum = -1", "minimum = 4294967300"] {
      let (world, lock) = try world()
      try world.database().run("UPDATE lock SET \(edit)")
      #expect(throws: VaultError.damagedLock(lock)) {
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
    let directory = world.configuration.directory
    let error = VaultError.keyForeign(path: foreign, directory: directory)
    #expect(throws: error) { try world.vault() }
    #expect(throws: error) { try world.administration() }
    #expect(error.message.contains("restore that one, or delete \(directory) to start anew"))
    world.configure { $0.keyPath = "/nonexistent/server.key" }
    #expect(throws: VaultError.keyLost(path: "/nonexistent/server.key", directory: directory)) {
      try world.vault()
    }
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
