import Foundation
import PadModel
import Testing
import Vault

@Suite struct KeyTests {
  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test("Folders are made for their owner only, and so is every file in them")
  func modes() async throws {
    let world = try World()
    let lock = try world.addLock()
    _ = try await world.draw(at: lock)
    #expect(try mode(world.configuration.directory) == 0o700)
    #expect(try mode(world.folder + "/key") == 0o700)
    let files = try FileManager.default.contentsOfDirectory(atPath: world.configuration.directory)
    #expect(files.contains("drawbolt.sqlite-wal"))
    for file in files { #expect(try mode(world.configuration.directory + "/" + file) == 0o600) }
    #expect(try mode(world.configuration.keyPath) == 0o600)
    _ = try world.administration().rotateKey()
    #expect(try mode(world.configuration.keyPath) == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: world.folder + "/key").count == 1)
  }

  @Test("A key file that others may read is refused, and says how to mend it")
  func readable() throws {
    let world = try World()
    let path = world.configuration.keyPath
    for wrong in [0o440, 0o640, 0o604, 0o620, 0o610, 0o644, 0o660] {
      try setMode(wrong, path)
      let error = VaultError.keyReadable(path: path, mode: UInt32(wrong))
      #expect(throws: error) { try world.vault() }
      #expect(error.message.contains("chmod 600 \(path)"))
    }
    for right in [0o600, 0o400] {
      try setMode(right, path)
      _ = try world.vault()
      world.stop()
    }
  }

  @Test(
    "A credential of root's may be readable by its group, which is its reader's entry in a list")
  func credential() throws {
    let world = try World()
    let path = world.configuration.keyPath
    var configuration = world.configuration
    configuration.keyIsCredential = true
    for (mode, isGood) in [(0o400, true), (0o440, geteuid() == 0), (0o460, false), (0o444, false)] {
      try setMode(mode, path)
      if isGood {
        _ = try VaultAdministration.open(configuration).locks()
      } else {
        #expect(throws: VaultError.keyReadable(path: path, mode: UInt32(mode))) {
          try VaultAdministration.open(configuration)
        }
      }
    }
  }

  @Test("A data folder or database that others may write, or that is a link, is refused")
  func untrusted() throws {
    let world = try World()
    _ = try world.addLock()
    let folder = world.configuration.directory
    func isRefused() -> Bool {
      do throws(VaultError) {
        _ = try VaultAdministration.open(world.configuration)
        return false
      } catch {
        guard case .untrusted = error else { return false }
        return error.message.contains("can't be trusted")
      }
    }
    #expect(!isRefused())
    for (path, right, wrong) in [
      (folder, 0o700, [0o720, 0o702, 0o777]),
      (folder + "/drawbolt.sqlite", 0o600, [0o620, 0o640, 0o604, 0o666]),
    ] {
      for mode in wrong {
        try setMode(mode, path)
        #expect(isRefused(), "\(path) \(mode)")
      }
      try setMode(right, path)
      #expect(!isRefused())
    }
    try FileManager.default.moveItem(atPath: folder, toPath: folder + "-moved")
    try FileManager.default.createSymbolicLink(
      atPath: folder, withDestinationPath: folder + "-moved")
    #expect(isRefused())
    #expect(throws: VaultError.self) { try DataDirectory.lock(folder) }
  }

  @Test("A lock file that is a link is not followed")
  func lockFile() throws {
    let world = try World()
    let folder = world.configuration.directory
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try setMode(0o700, folder)
    try FileManager.default.createSymbolicLink(
      atPath: folder + "/lock", withDestinationPath: world.folder + "/elsewhere")
    #expect(throws: VaultError.self) { try DataDirectory.lock(folder) }
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/elsewhere"))
  }

  @Test("Anything that is no whole key is refused")
  func damaged() throws {
    let world = try World()
    let path = world.configuration.keyPath
    let good = try #require(FileManager.default.contents(atPath: path))
    let head = good.prefix(16)
    let zeroKey = head + Data([0, 0, 0, 1]) + Data(count: 32)
    let zeroNumber = head + Data(count: 4) + good.suffix(32)
    let lastNumber = head + Data([255, 255, 255, 255]) + good.suffix(32)
    let twice = good + good.suffix(36)
    let many = head + (1...17).map { Data([0, 0, 0, $0]) + good.suffix(32) }.reduce(Data(), +)
    let bad = [
      Data(), good.dropLast(), good + [0], head, good.suffix(36), Data(count: good.count), zeroKey,
      zeroNumber, lastNumber, twice, many, Data("drawbolt-key-v2\n".utf8) + good.suffix(36),
    ]
    for contents in bad {
      let handle = try #require(FileHandle(forWritingAtPath: path))
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: contents)
      try handle.close()
      #expect { try world.vault() } throws: { error in
        if case .keyDamaged(path, _)? = error as? VaultError { true } else { false }
      }
    }
  }

  @Test("A missing key, a link and a folder are refused; a key is never overwritten")
  func otherFiles() throws {
    let world = try World()
    let path = world.configuration.keyPath
    let before = FileManager.default.contents(atPath: path)
    #expect(throws: VaultError.keyExists(path: path)) {
      try VaultAdministration.createKey(at: path)
    }
    #expect(FileManager.default.contents(atPath: path) == before)
    let link = world.folder + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(throws: VaultError.keyExists(path: link)) {
      try VaultAdministration.createKey(at: link)
    }
    for wrong in [link, world.folder + "/none", world.folder + "/key"] {
      world.configure { $0.keyPath = wrong }
      #expect(throws: VaultError.self) { try world.vault() }
    }
    let dangling = world.folder + "/dangling"
    try FileManager.default.createSymbolicLink(
      atPath: dangling, withDestinationPath: world.folder + "/target")
    #expect(throws: VaultError.self) { try VaultAdministration.createKey(at: dangling) }
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/target"))
  }

  @Test("A rotation leaves no old seal and no old key, and every code opens as before")
  func rotation() async throws {
    let world = try World()
    let locks = try ["one", "two"].map { try world.addLock($0, uses: 9) }
    let seals = try world.database().all("SELECT nonce, sealed FROM secret") {
      [$0.blob(0), $0.blob(1)]
    }.flatMap { $0 }
    let keyFile = try world.files().first { $0.count == 52 }
    let oldKey = try #require(keyFile).suffix(32)
    #expect(seals.count == 4)
    for bytes in seals + [Array(oldKey)] {
      #expect(try world.files().contains { $0.holds(bytes) })
    }
    #expect(try world.administration().rotateKey() == 2)
    for bytes in seals + [Array(oldKey)] {
      #expect(try !world.files().contains { $0.holds(bytes) })
    }
    #expect(try world.administration().keyID == 2)
    for lock in locks { #expect(try await world.draw(at: lock).outcome == .accepted) }
    #expect(try await world.draw(wrongCode(1), at: locks[0]).outcome == .rejected)
  }

  @Test("A running server follows a rotation, and its grants stay those of the key it told")
  func rotationWhileRunning() async throws {
    let world = try World()
    let lock = try world.addLock(uses: 9)
    let key = try world.vault().grantKey
    for id: UInt32 in [2, 3] {
      #expect(try world.administration().rotateKey() == id)
      let answer = try await world.draw(at: lock)
      let offered = try #require(answer.grant)
      let grant = try #require(try await world.claim(offered, at: lock))
      #expect(grant.isSigned(by: key))
    }
    world.stop()
    #expect(try world.vault().grantKey.id == 3)
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("An administration opened before a rotation seals with the new key")
  func rotationBesideEnrolment() async throws {
    let world = try World()
    let lock = try world.addLock()
    let early = try world.administration()
    _ = try world.administration().rotateKey()
    _ = try early.addSecret(NewSecret(lock: lock, nodes: [0, 3, 6, 7, 8]))
    #expect(try world.number("SELECT count(*) FROM secret WHERE key = 2") == 2)
    #expect(try await world.draw([0, 3, 6, 7, 8], at: lock).outcome == .accepted)
  }

  @Test("Rotations that fail lose nothing and do not fill the key file")
  func failingRotations() async throws {
    let world = try World()
    let lock = try world.addLock()
    let gate = try world.addLock("gate")
    try world.database().run("UPDATE secret SET owner = 'eve' WHERE lock = 'gate'")
    for _ in 0..<20 {
      #expect(throws: VaultError.damagedRows(lock: gate, count: 1)) {
        try world.administration().rotateKey()
      }
    }
    #expect(try await world.draw(at: lock).outcome == .accepted)
    try world.administration().revokeSecret(lock: gate, number: 1)
    _ = try world.administration().rotateKey()
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("A database that names a key which is not in the file is not opened")
  func unknownKey() throws {
    let world = try World()
    try world.addLock()
    try world.database().run("UPDATE key_check SET key = 9")
    let error = VaultError.keyUnknown(path: world.configuration.keyPath, id: 9)
    #expect(throws: error) { try world.vault() }
    #expect(throws: error) { try world.administration() }
  }

  @Test("Another key of the same number is not the key of the data, secrets or not")
  func foreignKey() throws {
    let world = try World()
    let path = world.configuration.keyPath
    let directory = world.configuration.directory
    func changeKey() throws {
      try FileManager.default.removeItem(atPath: path)
      try VaultAdministration.createKey(at: path)
    }
    _ = try world.administration()
    let first = try #require(FileManager.default.contents(atPath: path))
    try changeKey()
    let error = VaultError.keyForeign(path: path, directory: directory)
    #expect(throws: error) { try world.administration() }
    #expect(throws: error) { try world.vault() }
    try first.write(to: URL(fileURLWithPath: path))
    try setMode(0o600, path)
    try world.addLock()
    _ = try world.administration().rotateKey()
    _ = try world.vault()
    world.stop()
    try FileManager.default.removeItem(atPath: path)
    let lost = VaultError.keyLost(path: path, directory: directory)
    #expect(throws: lost) { try world.vault() }
    #expect(lost.message.contains("restore it, or delete \(directory) to start anew"))
    // The key from before the rotation opens nothing any more.
    try first.write(to: URL(fileURLWithPath: path))
    try setMode(0o600, path)
    #expect(throws: VaultError.keyUnknown(path: path, id: 2)) { try world.vault() }
  }

  @Test("A key check that was edited or moved from other data is no key check")
  func editedCheck() throws {
    for edit in [
      "nonce = zeroblob(24)", "sealed = x''",
      "(nonce, sealed) = (SELECT nonce, sealed FROM lock)",
    ] {
      let world = try World()
      try world.addLock()
      try world.database().run("UPDATE key_check SET \(edit)")
      #expect(throws: VaultError.self, "\(edit)") { try world.vault() }
    }
  }
}
