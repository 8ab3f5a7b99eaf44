import Foundation
import PadModel
import Synchronization
import Testing
import Vault

/// Lets every write through but one.
private final class Fault: Sendable {
  private let writes = Mutex(0)
  private let failing: Int

  init(at failing: Int) { self.failing = failing }

  var count: Int { writes.withLock { $0 } }

  func write() throws(VaultError) {
    let number = writes.withLock { writes in
      writes += 1
      return writes
    }
    if number == failing { throw .database(code: 13, doing: "being tested") }
  }
}

@Suite struct FaultTests {
  private func answer(_ code: [NodeIndex], failing: Int) async throws
    -> (answer: AttemptAnswer, writes: Int, world: World)
  {
    let world = try World()
    let lock = try world.addLock(uses: 2)
    let fault = Fault(at: failing)
    try world.vault().setFault(fault.write)
    return (try await world.draw(code, at: lock), fault.count, world)
  }

  @Test("Whichever write fails, right and wrong are answered alike and nothing is granted")
  func eachWrite() async throws {
    let whole = try await answer(World.right, failing: 0)
    #expect(whole.answer.outcome == .accepted)
    #expect(try await answer(wrongCode(1), failing: 0).writes == whole.writes)
    #expect(whole.writes > 10)
    var reserved = 0
    for failing in 1...whole.writes {
      let right = try await answer(World.right, failing: failing)
      let wrong = try await answer(wrongCode(1), failing: failing)
      #expect(right.answer == wrong.answer)
      #expect(right.answer.outcome == .unavailable)
      #expect(right.answer.grant == nil)
      #expect(right.writes == wrong.writes)
      let hashes = try right.world.vault().hashCount
      #expect(try wrong.world.vault().hashCount == hashes)
      reserved += hashes
      for world in [right.world, wrong.world] {
        #expect(try world.number("SELECT coalesce(max(failures), 0) FROM bucket") == Int64(hashes))
        #expect(try world.number("SELECT uses_left FROM secret") == 2)
        #expect(try world.number("SELECT count(*) FROM offer") == 0)
        #expect(try world.outcomes() == ["lock added", "secret added"])
      }
    }
    #expect(reserved > 5 && reserved < whole.writes)
  }

  @Test("A vault whose writes fail for a while judges again afterwards")
  func recovers() async throws {
    let world = try World()
    let lock = try world.addLock()
    try world.vault().setFault { () throws(VaultError) in
      throw .database(code: 13, doing: "being tested")
    }
    for _ in 0..<10 { #expect(try await world.draw(at: lock).outcome == .unavailable) }
    try world.vault().setFault { () throws(VaultError) in }
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("Every failure of the storage is counted and told, and a lock that is gone is none")
  func told() async throws {
    let world = try World()
    let lock = try world.addLock()
    let vault = try world.vault()
    let heard = Mutex<[String]>([])
    vault.whenFailed { duty, error in
      heard.withLock { $0.append("\(duty) \(error == .database(code: 13, doing: "being tested"))") }
    }
    vault.setFault { () throws(VaultError) in
      throw .database(code: 13, doing: "being tested")
    }
    _ = try await world.draw(at: lock)
    _ = try await world.claim(GrantID(high: 1, low: 1), at: lock)
    vault.note([Refusals(lock: lock, bucket: .strangers, outcome: .lockedOut, count: 1)])
    #expect(try await world.answer(about: lock) != .unreadable)
    #expect(heard.withLock { $0 } == ["judging true", "signing true", "refusing true"])
    vault.setFault { () throws(VaultError) in }
    try world.database().run("ALTER TABLE bucket RENAME TO gone")
    #expect(try await world.answer(about: lock) == .unreadable)
    try world.database().run("ALTER TABLE gone RENAME TO bucket")
    #expect(heard.withLock { $0.last } == "reading false")
    vault.setHashHook { [configuration = world.configuration] in
      try? VaultAdministration.open(configuration).removeLock(lock)
    }
    let count = vault.failures
    #expect(try await world.draw(at: lock).outcome == .unavailable)
    #expect(try await world.answer(about: lock) == .missing)
    #expect(vault.failures == count)
  }

  @Test("A kill between reservation and verdict does not give the attempt back")
  func killed() async throws {
    let world = try World()
    let lock = try world.addLock()
    _ = try await world.draw(wrongCode(1), at: lock)
    world.stop()
    let folder = world.folder
    await #expect(processExitsWith: .signal(SIGKILL)) { [folder = folder as String] in
      let child = try World(in: folder)
      try child.vault().setHashHook { kill(getpid(), SIGKILL) }
      _ = try await child.draw(at: try LockID("door"))
    }
    #expect(try world.failures(of: lock) == 2)
    #expect(try world.number("SELECT count(*) FROM attempt") == 1)
    #expect(try await world.profile(of: lock)?.bucket.failures == 2)
    #expect(try world.outcomes().suffix(2) == ["rejected", "abandoned"])
    #expect(try world.number("SELECT count(*) FROM attempt") == 0)
    #expect(try world.number("SELECT count(*) FROM offer") == 0)
  }

  @Test("A kill at any write of the verdict does not give the attempt back either")
  func killedInVerdict() async throws {
    for write in [1, 4, 8] {
      let world = try World()
      let lock = try world.addLock()
      let folder = world.folder
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [folder = folder as String, write = write as Int] in
        let child = try World(in: folder)
        let vault = try child.vault()
        let writes = Mutex(0)
        vault.setHashHook {
          vault.setFault { () throws(VaultError) in
            let number = writes.withLock { writes in
              writes += 1
              return writes
            }
            if number == write { kill(getpid(), SIGKILL) }
          }
        }
        _ = try await child.draw(at: try LockID("door"))
      }
      #expect(try await world.profile(of: lock)?.bucket.failures == 1)
      #expect(try world.outcomes().last == "abandoned")
      #expect(try world.number("SELECT count(*) FROM offer") == 0)
    }
  }
}
