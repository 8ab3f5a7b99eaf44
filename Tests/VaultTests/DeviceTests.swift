import PadModel
import Testing
import Vault

/// Devices that opened a lock before, and the bucket that their secret has for all of them.
@Suite struct DeviceTests {
  /// A lock and a device that has just opened it.
  private func trusted(_ configure: (World) throws -> Void = { _ in }) async throws -> (
    World, LockID, BearerToken, BucketID
  ) {
    let world = try World()
    try configure(world)
    let lock = try world.addLock()
    let answer = try await world.draw(at: lock)
    let (token, home) = (try #require(answer.device), try #require(answer.home))
    #expect(home.reading.failures == 0)
    return (world, lock, token, home.id)
  }

  private func own(_ token: BearerToken, _ world: World, _ lock: LockID) async throws -> BucketID? {
    try await world.profile(of: lock, for: .device(token.digest))?.own
  }

  /// Fails so often in a row, each time as soon as that is allowed; the token is shown all the while.
  private func fail(
    _ times: Int, in world: World, at lock: LockID, as bucket: BucketID = .strangers,
    showing token: BearerToken
  ) async throws -> [AttemptAnswer] {
    var answers: [AttemptAnswer] = []
    for number in 0..<times {
      let retryAt = answers.last?.bucket?.retryAt ?? .zero
      while world.clock.read().boot < retryAt {
        let left = retryAt - world.clock.read().boot
        world.clock.advance(min(left, .seconds(80 * 86_400)))
        _ = try await own(token, world, lock)
      }
      answers.append(try await world.draw(wrongCode(number), at: lock, as: bucket))
    }
    return answers
  }

  @Test("A token is 64 hexadecimal digits, read back as it was written, and differs each time")
  func token() async throws {
    let (_, _, token, _) = try await trusted()
    #expect(BearerToken(token.text) == token)
    #expect(token.text.count == 64 && "\(token)" == "BearerToken")
    let (_, _, other, _) = try await trusted()
    #expect(token != other)
    for text in [
      "", "0", token.text.uppercased() + "A", String(token.text.dropLast()), token.text + "0",
    ] {
      #expect(BearerToken(text) == nil, "\(text)")
    }
    #expect(BearerToken(String(token.text.dropLast()) + "g") == nil)
  }

  @Test("A success earns trust, for whoever is not trusted yet; a failure earns none")
  func earned() async throws {
    let (world, lock, token, bucket) = try await trusted()
    #expect(try await own(token, world, lock) == bucket)
    let again = try await world.draw(at: lock, as: bucket)
    #expect(again.outcome == .accepted && again.device == nil && again.home == nil)
    let wrong = try await world.draw(wrongCode(1), at: lock)
    #expect(wrong.outcome == .rejected && wrong.device == nil && wrong.home == nil)
  }

  @Test("A token that is unknown, or of another lock, makes a stranger")
  func unknown() async throws {
    let (world, lock, token, _) = try await trusted()
    let gate = try world.addLock("gate")
    #expect(try await own(token, world, gate) == .strangers)
    let made = try #require(BearerToken(String(repeating: "0", count: 64)))
    #expect(try await own(made, world, lock) == .strangers)
  }

  @Test("The token is nowhere in the data")
  func stored() async throws {
    let (world, _, token, _) = try await trusted()
    world.stop()
    let bytes = (0..<32).map { index in
      let digits = Array(token.text.utf8)[2 * index...2 * index + 1]
      return UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    }
    #expect(try !world.files().contains { $0.holds(bytes) || $0.holds(Array(token.text.utf8)) })
  }

  @Test("Strangers lock themselves out and not the owner's device, and the other way round")
  func apart() async throws {
    let (world, lock, token, bucket) = try await trusted()
    _ = try await fail(20, in: world, at: lock, showing: token)
    #expect(try await world.draw(at: lock).outcome == .lockedOut)
    #expect(try await world.draw(at: lock, as: bucket).outcome == .accepted)
    let (other, door, _, own) = try await trusted()
    for number in 0..<5 { _ = try await other.draw(wrongCode(number), at: door, as: own) }
    #expect(try await other.draw(at: door, as: own).outcome == .lockedOut)
    #expect(try await other.draw(at: door).outcome == .accepted)
  }

  @Test("All devices of a secret have one bucket, a restart and a rotated key leave it as it is")
  func shared() async throws {
    let (world, lock, first, bucket) = try await trusted()
    let second = try #require(try await world.draw(at: lock).device)
    _ = try await world.draw(wrongCode(1), at: lock, as: bucket)
    for token in [first, second] {
      let profile = try await world.profile(of: lock, for: .device(token.digest))
      #expect(profile?.own == bucket && profile?.bucket.failures == 1)
    }
    world.stop()
    _ = try world.administration().rotateKey()
    #expect(try await world.profile(of: lock, for: .device(first.digest))?.bucket.failures == 1)
  }

  @Test("Trust ends with the last failure of a secret's devices, who are strangers from then on")
  func hardStop() async throws {
    let (world, lock, token, bucket) = try await trusted()
    let answers = try await fail(20, in: world, at: lock, as: bucket, showing: token)
    #expect(answers.dropLast().allSatisfy { $0.home == nil && $0.outcome == .rejected })
    #expect(answers.last?.home?.id == .strangers && answers.last?.outcome == .rejected)
    #expect(try await own(token, world, lock) == .strangers)
    // Whoever still says that it is trusted is counted with the strangers.
    let late = try await world.draw(wrongCode(30), at: lock, as: bucket)
    #expect(late.home?.id == .strangers && late.home?.reading.failures == 1)
    #expect(try await world.draw(at: lock).home?.id == bucket)
    #expect(try await own(token, world, lock) == .strangers)
  }

  @Test("Trust ends with its secret: revoked, expired, used up")
  func secret() async throws {
    let (revoked, lock, token, _) = try await trusted()
    try revoked.administration().revokeSecret(lock: lock, number: 1)
    #expect(try await own(token, revoked, lock) == .strangers)
    #expect(try revoked.number("SELECT count(*) FROM device") == 0)
    #expect(try revoked.number("SELECT count(*) FROM bucket") == 1)
    let world = try World()
    let wall = world.clock.read().wall
    for (id, expires, uses) in [("soon", wall + 60, nil), ("once", nil, 1)]
      as [(String, Int64?, Int?)]
    {
      let lock = try world.addLock(id, expires: expires, uses: uses)
      let token = try #require(try await world.draw(at: lock).device)
      if uses == nil { #expect(try await own(token, world, lock) != .strangers) }
      world.clock.advance(.seconds(60))
      #expect(try await own(token, world, lock) == .strangers)
    }
  }

  @Test("Trust ends when an administrator ends it, and the code earns it again")
  func ended() async throws {
    let (world, lock, token, bucket) = try await trusted()
    _ = try await world.draw(wrongCode(1), at: lock, as: bucket)
    try world.administration().endTrust(lock: lock, number: 1)
    #expect(try await own(token, world, lock) == .strangers)
    #expect(throws: VaultError.unknownSecret(lock: lock, number: 2)) {
      try world.administration().endTrust(lock: lock, number: 2)
    }
    let again = try await world.draw(at: lock)
    #expect(again.home?.id == bucket && again.home?.reading.failures == 0)
  }

  @Test("A device is trusted for 90 days after it was last shown")
  func unused() async throws {
    let (world, lock, token, bucket) = try await trusted()
    let time = Duration.seconds(90 * 86_400)
    world.clock.advance(time - .seconds(1))
    #expect(try await own(token, world, lock) == bucket)
    world.clock.advance(time - .seconds(1))
    #expect(try await own(token, world, lock) == bucket)
    world.clock.advance(time)
    #expect(try await own(token, world, lock) == .strangers)
  }

  @Test("As many devices of a secret are trusted as may be; the one shown longest ago goes")
  func many() async throws {
    let (world, lock, first, bucket) = try await trusted { world in
      world.configure { $0.limits.devicesPerSecret = 2 }
    }
    world.clock.advance(.seconds(86_400))
    let second = try #require(try await world.draw(at: lock).device)
    world.clock.advance(.seconds(86_400))
    #expect(try await own(first, world, lock) == bucket)
    world.clock.advance(.seconds(86_400))
    let third = try #require(try await world.draw(at: lock).device)
    #expect(try await own(first, world, lock) == bucket)
    #expect(try await own(second, world, lock) == .strangers)
    #expect(try await own(third, world, lock) == bucket)
  }

  @Test("With no devices a secret nobody is trusted")
  func none() async throws {
    let world = try World()
    world.configure { $0.limits.devicesPerSecret = 0 }
    let answer = try await world.draw(at: try world.addLock())
    #expect(answer.outcome == .accepted && answer.device == nil && answer.home == nil)
  }

  @Test("A device's row that is edited, or moved to another lock, is not trusted")
  func edited() async throws {
    let (world, lock, token, _) = try await trusted()
    for column in try world.columns(of: "device") where !["digest", "lock"].contains(column.name) {
      for value in column.edits {
        let (world, lock, token, _) = try await trusted()
        let edit =
          "UPDATE device SET \(column.name) = \(value) WHERE \(column.name) IS NOT \(value)"
        guard try world.database().run(edit) > 0 else { continue }
        #expect(try await own(token, world, lock) == .strangers, "\(edit)")
      }
    }
    _ = try world.addLock("gate")
    try world.database().run("UPDATE device SET lock = 'gate'")
    #expect(try await own(token, world, lock) == .strangers)
    #expect(try await own(token, world, try LockID("gate")) == .strangers)
  }

  @Test("A pad that many use has a bucket of its own and earns no trust")
  func sharedPad() async throws {
    let world = try World()
    let lock = try world.addLock()
    let drawers: [Drawer] = [.sharedPad("hall"), .sharedPad("yard"), .stranger]
    var buckets: [BucketID] = []
    for drawer in drawers {
      buckets.append(try #require(try await world.profile(of: lock, for: drawer)?.own))
    }
    #expect(Set(buckets).count == 3)
    let answer = try await world.draw(at: lock, as: buckets[0])
    #expect(answer.outcome == .accepted && answer.device == nil && answer.home == nil)
    for number in 0..<5 { _ = try await world.draw(wrongCode(number), at: lock, as: buckets[0]) }
    #expect(try await world.draw(at: lock, as: buckets[0]).outcome == .lockedOut)
    #expect(try await world.draw(at: lock, as: buckets[1]).outcome == .accepted)
    #expect(try await world.draw(at: lock).outcome == .accepted)
    #expect(
      try world.database().all("SELECT bucket FROM audit WHERE outcome = 'accepted'") {
        $0.integer(0)
      } == [2, 2, 0])
  }

  @Test("So many shared pads have a bucket of their own; one more is with the strangers")
  func sharedPads() async throws {
    let world = try World()
    world.configure { $0.limits.sharedPadsPerLock = 2 }
    let lock = try world.addLock()
    for name in ["a", "b", "c"] {
      let own = try #require(try await world.profile(of: lock, for: .sharedPad(name))?.own)
      #expect((own == .strangers) == (name == "c"))
      _ = try await world.draw(wrongCode(1), at: lock, as: own)
    }
    let own = try await world.profile(of: lock, for: .sharedPad("a"))
    #expect(own?.own != .strangers && own?.bucket.failures == 1)
  }

  @Test("A reset forgets what is counted against everybody")
  func reset() async throws {
    let (world, lock, _, bucket) = try await trusted()
    let pad = try #require(try await world.profile(of: lock, for: .sharedPad("hall"))?.own)
    for (connection, id) in [.strangers, bucket, pad].enumerated() {
      for number in 0..<3 {
        _ = try await world.draw(
          wrongCode(number), at: lock, as: id, connection: UInt64(connection))
      }
    }
    #expect(try await world.profile(of: lock)?.buckets.map(\.reading.failures) == [3, 3, 3])
    try world.administration().resetLock(lock)
    #expect(try await world.profile(of: lock)?.buckets.map(\.reading.failures) == [0, 0, 0])
  }

  @Test("A restored backup brings back no administrator that was revoked since it was made")
  func restoredAdmins() throws {
    let world = try World()
    let backup = world.folder + "/backup.sqlite"
    let (kept, revoked) = (
      try world.administration().addAdmin("ana"), try world.administration().addAdmin("bob")
    )
    try world.administration().backUp(to: backup)
    try world.administration().revokeAdmin("bob")
    try Restoration.prepare(world.configuration, from: backup).commit()
    #expect(try world.administration().admin(with: kept) == "ana")
    #expect(try world.administration().admin(with: revoked) == nil)
    // An administrator of the same name with another token is another one.
    try world.administration().revokeAdmin("ana")
    let other = try world.administration().addAdmin("ana")
    try Restoration.prepare(world.configuration, from: backup).commit()
    #expect(try world.administration().admin(with: kept) == nil)
    #expect(try world.administration().admin(with: other) == nil)
  }

  @Test("A restored backup trusts nobody and keeps the failures of every pad")
  func restored() async throws {
    let (world, lock, token, bucket) = try await trusted()
    let pad = try #require(try await world.profile(of: lock, for: .sharedPad("hall"))?.own)
    let backup = world.folder + "/backup.sqlite"
    _ = try await world.draw(wrongCode(1), at: lock, as: pad)
    try world.administration().backUp(to: backup)
    for number in 2..<4 { _ = try await world.draw(wrongCode(number), at: lock, as: pad) }
    _ = try await world.draw(wrongCode(1), at: lock, as: bucket)
    world.stop()
    try Restoration.prepare(world.configuration, from: backup).commit()
    #expect(try await own(token, world, lock) == .strangers)
    #expect(try await world.profile(of: lock, for: .sharedPad("hall"))?.bucket.failures == 3)
    #expect(try await world.profile(of: lock)?.buckets.count == 2)
  }
}
