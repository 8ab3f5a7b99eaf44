import Dispatch
import Foundation
import PadModel
import Synchronization
import Testing
import Vault

@Suite struct AdministrationTests {
  private let other: [NodeIndex] = [0, 3, 6, 7, 8]

  @Test("A revoke refuses the next attempt of the running vault and tells it of the change")
  func revoke() async throws {
    let world = try World()
    let lock = try world.addLock()
    #expect(try await world.draw(at: lock).outcome == .accepted)
    let sealed = try world.database().first("SELECT sealed FROM secret") { $0.blob(0) }
    #expect(
      try await changed(world) { try $0.revokeSecret(lock: lock, number: 1) }
        == [LockChange(.secretRevoked, lock: lock)])
    #expect(try await world.draw(at: lock).outcome == .rejected)
    let bytes = try #require(sealed)
    #expect(try !world.files().contains { $0.holds(bytes) })
  }

  @Test("A removed lock is unknown at once, a new one of its name starts without failures")
  func remove() async throws {
    let world = try World()
    let lock = try world.addLock()
    for number in 1...5 { _ = try await world.draw(wrongCode(number), at: lock) }
    #expect(
      try await changed(world) { try $0.removeLock(lock) }
        == [LockChange(.lockRemoved, lock: lock)])
    #expect(try await world.draw(at: lock).outcome == .unavailable)
    try world.addLock()
    let answer = try await world.draw(wrongCode(1), at: lock, connection: 5)
    #expect(answer.bucket?.failures == 1)
  }

  @Test("A reset ends the delay of the running vault")
  func reset() async throws {
    let world = try World()
    let lock = try world.addLock()
    for number in 1...5 { _ = try await world.draw(wrongCode(number), at: lock) }
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
    #expect(try world.administration().lock(lock).failures == 5)
    #expect(
      try await changed(world) { try $0.resetLock(lock) }
        == [LockChange(.lockReset, lock: lock)])
    #expect(try await world.profile(of: lock)?.bucket.failures == 0)
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("A reset during an attempt is not used to take back a later failure")
  func resetDuringAttempt() async throws {
    let world = try World()
    let lock = try world.addLock()
    let configuration = world.configuration
    _ = try await world.draw(wrongCode(1), at: lock)
    let vault = try world.vault()
    vault.setHashHook {
      try? VaultAdministration.open(configuration).resetLock(lock)
    }
    // The right code's own count is gone already; it must not take another one's.
    let first = await vault.answer(World.right, at: lock, connection: 1)
    #expect(first.outcome == .accepted)
    #expect(try world.failures(of: lock) == 0)
    let generation = try world.number("SELECT generation >> 32 FROM bucket")
    #expect(generation == world.clock.read().wall / 60)
  }

  /// What the running vault says of a change from outside.
  private func changed(
    _ world: World, _ change: (VaultAdministration) throws -> Void
  ) async throws -> [LockChange] {
    let vault = try world.vault()
    _ = try await world.profile(of: try LockID("any"))
    let (stream, told) = AsyncStream.makeStream(of: [LockChange].self)
    vault.whenChanged { told.yield($0) }
    try change(try world.administration())
    for await changes in stream { return changes }
    return []
  }

  @Test("A rotation is told as done to all, and an edit by hand without a word on what it was")
  func otherChanges() async throws {
    let world = try World()
    let lock = try world.addLock()
    #expect(
      try await changed(world) { _ = try $0.rotateKey() } == [LockChange(.keyRotated, lock: nil)])
    #expect(
      try await changed(world) { _ in
        try world.database().run("UPDATE lock SET mirror = 'open'")
      } == [])
    #expect(try await world.answer(about: lock) == .unreadable)
  }

  @Test("A secret that has expired or is used up is told as such, and not counted in its lock")
  func unusable() async throws {
    let world = try World()
    let now = world.clock.read().wall
    let lock = try world.addLock(uses: 1)
    let administration = try world.administration()
    _ = try administration.addSecret(
      NewSecret(lock: lock, nodes: other, expires: now + 10))
    #expect(try administration.lock(lock).secrets == 2)
    #expect(try await world.draw(at: lock).grant != nil)
    #expect(try administration.lock(lock).secrets == 1)
    world.clock.advance(.seconds(10))
    #expect(try administration.lock(lock).secrets == 0)
    let secrets = try administration.secrets(of: lock)
    #expect(secrets.map(\.usesLeft) == [0, nil])
    #expect(secrets.map(\.hasExpired) == [false, true])
  }

  @Test("A lock that is easily guessed must be declared a toy")
  func toys() throws {
    let world = try World()
    let administration = try world.administration()
    let id = try LockID("toy")
    let tests: [(NewLock, VaultError.ToyReason)] = [
      (NewLock(id: id, minimumNodes: 3), .shortCodes(minimum: 3)),
      (NewLock(id: id, hasFewCodes: true), .fewCodes(limit: 100_000)),
    ]
    for (lock, reason) in tests {
      #expect(throws: VaultError.toy(reason: reason)) { try administration.addLock(lock) }
    }
    for (preset, cancel) in [(Preset.saScreenLock, nil), (.android, CancelRule.submit)] {
      #expect(throws: VaultError.toy(reason: .submitsOnCancel)) {
        try administration.addLock(NewLock(id: id, preset: preset, cancel: cancel))
      }
    }
    #expect(try administration.locks().good.isEmpty)
    try administration.addLock(
      NewLock(id: try LockID("no-toy"), preset: .saScreenLock, rule: .free, cancel: .discard))
    try administration.addLock(NewLock(id: id, minimumNodes: 3, isToy: true))
    #expect(try administration.lock(id).isToy)
  }

  @Test("A lock keeps its width and what a cancel comes to, and no edit of them opens it")
  func widthAndCancel() async throws {
    let world = try World()
    let lock = try LockID("seed")
    let administration = try world.administration()
    try administration.addLock(
      NewLock(
        id: lock, preset: .saScreenLock, viewWidth: 320, rule: .free, cancel: .discard))
    _ = try administration.addSecret(NewSecret(lock: lock, nodes: World.right))
    let pad = try #require(try await world.profile(of: lock)).pad
    #expect(pad.geometry == Preset.saScreenLock.pad(viewWidth: 320).geometry)
    #expect(pad.finish.cancel == .discard)
    #expect(try await world.draw(at: lock).outcome == .accepted)
    for (edit, back) in [
      ("view_width = 375", "view_width = 320"), ("view_width = 199", "view_width = 320"),
      ("cancel = 'submit'", "cancel = 'discard'"),
    ] {
      try world.database().run("UPDATE lock SET \(edit)")
      #expect(try await world.draw(at: lock).outcome != .accepted, "\(edit)")
      try world.database().run("UPDATE lock SET \(back)")
      #expect(try await world.draw(at: lock).outcome == .accepted)
    }
    #expect(throws: VaultError.lockRefused(try LockID("wide"))) {
      try administration.addLock(NewLock(id: try LockID("wide"), viewWidth: 400))
    }
  }

  @Test("What can't be done is refused with its reason, and changes and audits nothing")
  func refusals() throws {
    let world = try World()
    let lock = try world.addLock()
    let administration = try world.administration()
    let none = try LockID("none")
    let before = try world.outcomes()
    func expect(_ error: VaultError, _ work: () throws -> Void) {
      #expect(throws: error, performing: work)
      #expect(!error.message.isEmpty && !error.message.contains("\n"))
    }
    expect(.lockExists(lock)) { try administration.addLock(NewLock(id: lock)) }
    expect(.unknownLock(none)) { try administration.removeLock(none) }
    expect(.unknownLock(none)) { try administration.resetLock(none) }
    expect(.unknownLock(none)) { _ = try administration.secrets(of: none) }
    expect(.unknownLock(none)) { _ = try administration.lock(none) }
    expect(.unknownLock(none)) {
      _ = try administration.addSecret(NewSecret(lock: none, nodes: other))
    }
    expect(.unknownSecret(lock: lock, number: 2)) {
      try administration.revokeSecret(lock: lock, number: 2)
    }
    for nodes in [[0, 1, 2], [0, 1, 2, 9], [0, 1, 2, 0]] {
      expect(.codeRefused(minimum: 4)) {
        _ = try administration.addSecret(NewSecret(lock: lock, nodes: nodes.map { NodeIndex($0) }))
      }
    }
    expect(.ownerLabel(byteCount: 3, limit: 64)) {
      _ = try administration.addSecret(NewSecret(lock: lock, nodes: other, owner: "a\nb"))
    }
    expect(.ownerLabel(byteCount: 65, limit: 64)) {
      let owner = String(repeating: "a", count: 65)
      _ = try administration.addSecret(NewSecret(lock: lock, nodes: other, owner: owner))
    }
    #expect(try world.outcomes() == before)
  }

  @Test("A lock has at most five secrets, whose numbers are never given again")
  func numbers() async throws {
    let world = try World()
    let lock = try world.addLock()
    let administration = try world.administration()
    for number in 2...5 {
      let secret = NewSecret(lock: lock, nodes: wrongCode(number))
      #expect(try administration.addSecret(secret) == number)
    }
    let sixth = NewSecret(lock: lock, nodes: other)
    #expect(throws: VaultError.tooManySecrets(lock: lock, limit: 5)) {
      try administration.addSecret(sixth)
    }
    try administration.revokeSecret(lock: lock, number: 5)
    #expect(try administration.addSecret(sixth) == 6)
    #expect(try administration.secrets(of: lock).map(\.number) == [1, 2, 3, 4, 6])
    for code in [World.right, wrongCode(2), wrongCode(4), other] {
      #expect(try await world.draw(code, at: lock).outcome == .accepted)
    }
    #expect(try await world.draw(wrongCode(5), at: lock).outcome == .rejected)
  }

  @Test("The demo lock is added once and then left as it is")
  func demo() async throws {
    let world = try World()
    let administration = try world.administration()
    #expect(try administration.ensureDemoLock())
    let demo = VaultAdministration.demoLock
    _ = try await world.draw(wrongCode(1), at: demo)
    #expect(try !administration.ensureDemoLock())
    #expect(try administration.lock(demo).failures == 1)
    #expect(try await world.draw([1, 4, 7, 8, 5], at: demo).outcome == .accepted)
  }

  @Test("A database of a newer program is not touched")
  func newerSchema() throws {
    let world = try World()
    try world.addLock()
    try world.database().run("PRAGMA user_version = 99")
    #expect(throws: VaultError.schemaTooNew(found: 99, known: 6)) { try world.vault() }
    #expect(throws: VaultError.schemaTooNew(found: 99, known: 6)) { try world.administration() }
  }

  @Test("A data directory is held by one server at a time")
  func directoryLock() throws {
    let world = try World()
    let folder = world.folder + "/deep/er"
    let lock = try DataDirectory.lock(folder)
    #expect(throws: VaultError.directoryInUse(path: folder)) { try DataDirectory.lock(folder) }
    lock.release()
    try DataDirectory.lock(folder).release()
    #expect(throws: VaultError.self) { try DataDirectory.lock("/proc/nothing") }
  }

  @Test("Attempts, codes and grants have no textual form")
  func redacted() throws {
    let attempt = VaultAttempt(
      lock: try LockID("door"), nodes: World.right, address: nil, connection: 1, actuators: 1,
      judgeBy: .distantFuture)
    let secret = NewSecret(lock: try LockID("door"), nodes: World.right)
    #expect("\(attempt)" == "VaultAttempt" && String(reflecting: secret) == "NewSecret")
    var text = ""
    dump(attempt, to: &text)
    dump(secret, to: &text)
    #expect(!text.contains("nodes") && !text.contains("4"))
  }
}
