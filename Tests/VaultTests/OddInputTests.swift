import Foundation
import PadModel
import Testing
import Vault

/// Locks and files that are none of ours.
@Suite struct OddInputTests {
  @Test("A pipe in the key's place is refused instead of waited for", .timeLimit(.minutes(1)))
  func pipe() throws {
    let world = try World()
    let path = world.folder + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    world.configure { $0.keyPath = path }
    #expect(throws: VaultError.keyDamaged(path: path, byteCount: 0)) { try world.vault() }
  }

  @Test("A lock that could not be read back is not added")
  func unreadable() throws {
    let world = try World()
    let grid = try Grid(columns: 4, rows: 4)
    let fixed = try #require(Preset.allCases.first { !$0.hasAnyGrid })
    let id = try LockID("door")
    #expect(throws: VaultError.self) {
      try world.administration().addLock(NewLock(id: id, preset: fixed, grid: grid, isToy: true))
    }
    for minimum in [-1, 0, 10] {
      #expect(throws: VaultError.self) {
        try world.administration().addLock(NewLock(id: id, minimumNodes: minimum, isToy: true))
      }
    }
    world.configure { $0.hashCost = HashCost(memory: 1 << 30, passes: 1) }
    #expect(throws: VaultError.self) { try world.administration().addLock(NewLock(id: id)) }
    #expect(try world.number("SELECT count(*) FROM lock") == 0)
    #expect(try world.outcomes().isEmpty)
  }

  @Test("A lock whose row was edited beyond reading can still be removed")
  func removal() async throws {
    let world = try World()
    let lock = try world.addLock()
    try world.database().run("UPDATE lock SET preset = 'none'")
    #expect(try await world.draw(at: lock).outcome == .unavailable)
    try world.administration().removeLock(lock)
    #expect(throws: VaultError.unknownLock(lock)) { try world.administration().removeLock(lock) }
    try world.addLock()
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }
}
