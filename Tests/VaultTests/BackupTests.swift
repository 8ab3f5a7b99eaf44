import Foundation
import PadModel
import Testing
import Vault

@Suite struct BackupTests {
  private let world: World
  private let door: LockID
  private var file: String { world.folder + "/backup" }

  init() throws {
    world = try World()
    door = try world.addLock()
  }

  private func backUp() throws { try world.administration().backUp(to: file) }

  private func prepare() throws -> Restoration {
    try Restoration.prepare(world.configuration, from: file)
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test("A backup is the database alone, readable by its owner, and is never written over a file")
  func backup() async throws {
    let umask = Foundation.umask(0)
    defer { Foundation.umask(umask) }
    #expect(try await world.draw(at: door).outcome == .accepted)
    try backUp()
    #expect(try mode(file) == 0o600)
    #expect(FileManager.default.contents(atPath: file)?.starts(with: Data("SQLite".utf8)) == true)
    #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
    #expect(throws: VaultError.backupExists(path: file)) { try backUp() }
    for path in try FileManager.default.subpathsOfDirectory(atPath: world.folder) {
      let full = world.folder + "/" + path
      let isFolder =
        try FileManager.default.attributesOfItem(atPath: full)[.type] as? FileAttributeType
      #expect(try mode(full) == (isFolder == .typeDirectory ? 0o700 : 0o600), "\(path)")
    }
  }

  @Test("Nothing of a revoked secret is in a backup")
  func noFreePages() throws {
    let sealed = try #require(
      try world.database().first("SELECT sealed FROM secret") { $0.blob(0) })
    try world.administration().revokeSecret(lock: door, number: 1)
    try backUp()
    let bytes = [UInt8](try #require(FileManager.default.contents(atPath: file)))
    #expect(!bytes.holds(sealed))
    #expect(bytes.holds(Array("door".utf8)))
  }

  @Test("A backup that can't be made leaves no file")
  func failedBackup() throws {
    let administration = try world.administration()
    administration.setFault { () throws(VaultError) in throw .database(code: 13, doing: "a test") }
    #expect(throws: VaultError.self) { try administration.backUp(to: file) }
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(throws: VaultError.self) { try world.administration().backUp(to: "/nothing/there") }
  }

  @Test("A restored database opens as before, with its delays from the beginning")
  func restored() async throws {
    for number in 0..<5 {
      #expect(try await world.draw(wrongCode(number), at: door).outcome == .rejected)
    }
    world.clock.advance(.seconds(50))
    world.stop()
    try backUp()
    let restoration = try prepare()
    #expect(restoration.revived == [] && restoration.locks == 1)
    try restoration.commit()
    #expect(try await world.draw(at: door).outcome == .lockedOut)
    let profile = try #require(try await world.profile(of: door))
    #expect(profile.bucket.failures == 5)
    #expect(profile.bucket.retryAt == world.clock.read().boot + .seconds(60))
    world.clock.advance(.seconds(60))
    #expect(try await world.draw(at: door).outcome == .accepted)
    #expect(try world.outcomes().contains("restored"))
  }

  @Test("Failures since the backup stay counted, and what was audited since stays audited")
  func failuresStay() async throws {
    try backUp()
    for number in 0..<3 {
      #expect(try await world.draw(wrongCode(number), at: door).outcome == .rejected)
    }
    world.stop()
    let audited = try world.outcomes()
    try prepare().commit()
    #expect(try world.failures(of: door) == 3)
    #expect(try world.outcomes().starts(with: audited))
    #expect(try await world.draw(at: door).outcome == .accepted)
  }

  @Test("Secrets that open again are named: revoked, used up or of a lock that is gone")
  func revived() async throws {
    let gate = try world.addLock("gate", uses: 1)
    let shed = try world.addLock("shed")
    try backUp()
    #expect(try await world.draw(at: gate).outcome == .accepted)
    world.stop()
    try world.administration().revokeSecret(lock: door, number: 1)
    try world.administration().removeLock(shed)
    let restoration = try prepare()
    #expect(restoration.revived.map(\.lock) == [door, gate, shed])
    #expect(restoration.revived.allSatisfy { $0.number == 1 && $0.owner == "ann" })
    withExtendedLifetime(restoration) {}
    // Nothing has happened yet.
    #expect(try await world.draw(at: door).outcome == .rejected)
  }

  @Test("A lock that was removed and added anew gives its failures to no other of its name")
  func otherLock() async throws {
    try backUp()
    try world.administration().removeLock(door)
    try world.addLock()
    for number in 0..<3 { _ = try await world.draw(wrongCode(number), at: door) }
    world.stop()
    let restoration = try prepare()
    #expect(restoration.revived.map(\.lock) == [door])
    try restoration.commit()
    #expect(try world.failures(of: door) == 0)
  }

  @Test("Revoked tokens stay revoked, and no offer comes back")
  func tokens() async throws {
    #expect(try await world.draw(at: door).grant != nil)
    try backUp()
    world.stop()
    try world.administration().revokeToken("t1", expires: world.clock.read().wall + 1_000)
    try prepare().commit()
    #expect(try world.administration().revocations().map(\.token) == ["t1"])
    #expect(try world.number("SELECT count(*) FROM offer") == 0)
  }

  @Test("What is no whole backup of this server is refused, and changes nothing")
  func refused() throws {
    try backUp()
    let good = try #require(FileManager.default.contents(atPath: file))
    let damages: [Data] = [
      Data(), Data("no database".utf8), good.prefix(good.count / 2), good.prefix(5_000),
    ]
    for damage in damages {
      try damage.write(to: URL(fileURLWithPath: file))
      #expect(throws: VaultError.backupDamaged(path: file)) { _ = try prepare() }
    }
    try good.write(to: URL(fileURLWithPath: file))
    try Data([1]).write(to: URL(fileURLWithPath: file + "-wal"))
    #expect(throws: VaultError.backupInUse(path: file)) { _ = try prepare() }
    try FileManager.default.removeItem(atPath: file + "-wal")
    let other = try World()
    try other.addLock()
    #expect(throws: VaultError.self) {
      _ = try Restoration.prepare(other.configuration, from: file)
    }
    #expect(!FileManager.default.fileExists(atPath: world.configuration.directory + "/restoring"))
    #expect(try world.administration().locks().good.map(\.id) == [door])
    #expect(try prepare().locks == 1)
  }

  @Test("It takes the place of a database that can't be read, and then all secrets are named")
  func overDamaged() async throws {
    try backUp()
    world.stop()
    let database = world.configuration.directory + "/drawbolt.sqlite"
    try Data("gone".utf8).write(to: URL(fileURLWithPath: database))
    let restoration = try prepare()
    #expect(restoration.revived.map(\.lock) == [door])
    try restoration.commit()
    #expect(try await world.draw(at: door).outcome == .accepted)
  }
}
