import PadModel
import Testing
import Vault

/// What is counted, when somebody without the key writes into the database.
@Suite struct BucketTests {
  private func world() async throws -> (World, LockID) {
    let world = try World()
    let lock = try world.addLock()
    for number in 1...2 { _ = try await world.draw(wrongCode(number), at: lock) }
    return (world, lock)
  }

  @Test("An edit of any single column stops a bucket until it is reset, and crashes nothing")
  func columns() async throws {
    let (world, _) = try await world()
    let columns = try world.columns(of: "bucket")
    #expect(columns.count == 14)
    for column in columns where column.name != "lock" {
      var values = column.edits
      if column.type == "INTEGER" { values += ["0", "-9223372036854775808", "\(Int64.max)"] }
      for value in values {
        try await expectStopped(
          "UPDATE bucket SET \(column.name) = \(value) WHERE \(column.name) IS NOT \(value)")
      }
    }
    try await expectStopped("DELETE FROM bucket")
  }

  private func expectStopped(_ edit: String) async throws {
    let (world, lock) = try await world()
    guard try world.database().run(edit) > 0 else { return }
    let answer = try await world.draw(at: lock)
    #expect(answer.outcome == .lockedOut, "\(edit)")
    #expect(answer.bucket?.retryAt == .distantFuture, "\(edit)")
    // A start and a new boot find the same.
    world.stop()
    world.clock.set { $0.bootID = "boot-2" }
    #expect(try await world.profile(of: lock)?.bucket.retryAt == .distantFuture, "\(edit)")
    try world.administration().resetLock(lock)
    #expect(try await world.draw(wrongCode(3), at: lock).outcome == .rejected, "\(edit)")
    #expect(try await world.draw(at: lock).outcome == .accepted, "\(edit)")
  }

  @Test("What a bucket was before is not taken for what it is, as long as the server runs")
  func replayed() async throws {
    let (world, lock) = try await world()
    let database = try world.database()
    try database.run("CREATE TEMP TABLE kept AS SELECT * FROM bucket")
    _ = try await world.draw(wrongCode(3), at: lock)
    #expect(try await world.profile(of: lock)?.bucket.failures == 3)
    try database.run("DELETE FROM bucket")
    try database.run("INSERT INTO bucket SELECT * FROM kept")
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
    try world.administration().resetLock(lock)
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("No bucket fits another lock, nor a new one of its lock's name")
  func moved() async throws {
    let (world, lock) = try await world()
    let gate = try world.addLock("gate")
    let database = try world.database()
    try database.run("CREATE TEMP TABLE kept AS SELECT * FROM bucket WHERE lock = 'door'")
    try database.run("DELETE FROM bucket WHERE lock = 'gate'")
    try database.run("UPDATE bucket SET lock = 'gate'")
    #expect(try await world.draw(at: gate).outcome == .lockedOut)
    try world.administration().removeLock(lock)
    try world.addLock()
    #expect(try await world.draw(at: lock).outcome == .accepted)
    try database.run("DELETE FROM bucket WHERE lock = 'door'")
    try database.run("INSERT INTO bucket SELECT * FROM kept")
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
  }

  @Test("A bucket that was edited is one after a rotation too")
  func rotated() async throws {
    let (world, lock) = try await world()
    try world.database().run("UPDATE bucket SET failures = 0")
    _ = try world.administration().rotateKey()
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
    try world.administration().resetLock(lock)
    #expect(try await world.draw(at: lock).outcome == .accepted)
  }

  @Test("Attempts go on while the key is rotated at a lock without secrets")
  func rotationBesideAttempts() async throws {
    let world = try World()
    let lock = try LockID("bare")
    try world.administration().addLock(NewLock(id: lock))
    for failures in 1...3 {
      let answer = try await world.draw(wrongCode(failures), at: lock)
      #expect(answer.outcome == .rejected && answer.bucket?.failures == failures)
      _ = try world.administration().rotateKey()
    }
    world.stop()
    #expect(try await world.profile(of: lock)?.bucket.failures == 3)
  }
}
