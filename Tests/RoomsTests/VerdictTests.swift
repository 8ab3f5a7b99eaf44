import PadModel
import Rooms
import Testing

@Suite("A verdict")
struct VerdictTests {
  func pair(_ settings: RoomSettings) -> RoomWorld {
    var world = RoomWorld(settings)
    world.join(1)
    world.join(2)
    world.join(3, .viewer)
    world.pass(.seconds(2))
    return world
  }

  @Test("it is told in full to the drawer alone and shown to all in an open room")
  func told() throws {
    var world = pair(try lock(.open))
    #expect(world.draw(1) == ["open changed", "pen", "submit 1 of m1", "open changed", "pen"])
    let said = world.judge(.rejected, failures: 5, retryIn: .seconds(60))
    #expect(said == ["c1 hears rejected 1", "open changed"])
    #expect(
      world.actions.contains(
        .tell(
          1,
          .verdict(
            Verdict(stroke: 1, outcome: .rejected, retryAfterMilliseconds: 60_000, failures: 5)))))
    #expect(world.phase == .rejected)
    #expect(world.path == [0, 1, 2, 5])
    #expect(world.pass(.seconds(3)) == ["open changed"])
    #expect(world.phase == .idle)
  }

  @Test("a later address limit is told to the drawer and does not touch the bucket")
  func addressLimit() throws {
    var world = pair(try lock(.open))
    world.draw(1)
    let ticket = try #require(world.submitted.first?.ticket)
    world.handle(
      .verdictReached(
        ticket, VerdictReport(.unavailable, retryAt: world.now + .milliseconds(7_500))))
    #expect(
      world.actions.contains(
        .tell(
          1,
          .verdict(Verdict(stroke: 1, outcome: .unavailable, retryAfterMilliseconds: 7_500)))))
    #expect(world.room.lockout(of: 1, at: world.now)?.retryAfterMilliseconds == 0)
  }

  @Test("a verdict of an older stroke never changes the phase of a newer one")
  func older() throws {
    var world = pair(try lock(.open))
    world.draw(1)
    world.press(2, 4, [8])
    #expect(world.judge(.accepted(grant: nil)) == ["c1 hears accepted 1"])
    #expect(world.phase == .drawing)
    #expect(world.room.state(.open).stroke == 4)
    world.move(2, 4, [7, 6, 3])
    world.release(2, 4)
    #expect(world.phase == .checking)
    #expect(world.judge(.rejected) == ["c2 hears rejected 4", "open changed"])
    #expect(world.phase == .rejected)
  }

  @Test("a locked-out drawer's press is answered once a stroke and moves nothing")
  func lockedOut() throws {
    for mirror in MirrorMode.allCases {
      var world = pair(try lock(mirror))
      world.draw(1)
      world.judge(.rejected, failures: 5, retryIn: .seconds(60))
      world.pass(.seconds(10))
      let before = RoomProjection.allCases(of: world.room)
      #expect(world.press(2, 7) == ["c2 hears lockedOut 7"])
      #expect(
        world.actions.contains(
          .tell(
            2,
            .verdict(
              Verdict(
                stroke: 7, outcome: .lockedOut, retryAfterMilliseconds: 50_000, failures: 5)))))
      #expect(world.press(2, 7) == [])
      #expect(world.move(2, 7, [1, 2, 5]) == [])
      #expect(world.release(2, 7) == [])
      #expect(world.send(2, .tap, 8, [world.at(0)]) == ["c2 hears lockedOut 8"])
      #expect(RoomProjection.allCases(of: world.room) == before)
      #expect(world.room.penStatus == PenStatus(holder: nil))
      world.pass(.milliseconds(49_999))
      #expect(world.press(2, 9) == ["c2 hears lockedOut 9"])
      world.pass(.milliseconds(1))
      // The refused stroke stays refused; the next press counts.
      #expect(world.move(2, 9, [1]) == [])
      #expect(world.press(2, 10).first == "open changed")
    }
  }

  @Test("a bucket that is reset or locked elsewhere counts at once, for its own drawers only")
  func buckets() throws {
    var world = pair(
      try lock(
        .open, buckets: [.strangers: BucketStatus(failures: 6, retryAt: .distantFuture)]))
    world.join(5, bucket: BucketKey(5))
    #expect(world.press(1) == ["c1 hears lockedOut 1"])
    #expect(world.press(5) == ["open changed", "pen"])
    world.release(5)
    #expect(
      world.handle(.bucketChanged(.strangers, .clean)) == [
        "c1 hears 0 failures, 0 ms", "c2 hears 0 failures, 0 ms",
      ])
    #expect(world.handle(.bucketChanged(.strangers, .clean)) == [])
    let locked = BucketStatus(failures: 5, retryAt: world.now + .seconds(60))
    #expect(world.handle(.bucketChanged(BucketKey(5), locked)) == ["c5 hears 5 failures, 60000 ms"])
    let policy = LockPolicy(mirror: .open, minimumNodes: 4, buckets: [BucketKey(5): .clean])
    #expect(world.handle(.policyChanged(policy)) == ["c5 hears 0 failures, 0 ms"])
    #expect(world.press(1, 2) == ["open changed", "pen"])
  }

  @Test("a controller of a lock room learns its bucket when it joins")
  func lockout() throws {
    let world = pair(
      try lock(
        .stealth,
        buckets: [.strangers: BucketStatus(failures: 6, retryAt: .zero + .seconds(1100))]))
    #expect(
      world.room.lockout(of: 1, at: world.now)
        == Lockout(retryAfterMilliseconds: 98_000, failures: 6))
    #expect(world.room.lockout(of: 3, at: world.now) == nil)
    #expect(pair(board()).room.lockout(of: 1, at: world.now) == nil)
  }

  @Test("one attempt a bucket is in flight; the next goes when it is answered, in order")
  func oneInFlight() throws {
    var world = RoomWorld(try lock(.open))
    for connection in 1...7 { world.join(UInt64(connection)) }
    world.pass(.seconds(2))
    for connection in 1...7 { world.draw(UInt64(connection)) }
    #expect(world.submitted.map(\.member.number) == [1])
    #expect(world.room.counts.attempts == 5)
    #expect(world.phase == .unavailable)
    for connection in 1...5 {
      let said = world.judge(.rejected)
      #expect(said.first == "c\(connection) hears rejected 1")
      #expect(said.count == (connection < 5 ? 2 : 1))
    }
    #expect(world.room.counts.attempts == 0)
  }

  @Test("beyond four waiting a stroke is answered unavailable at once")
  func bucketFull() throws {
    var world = RoomWorld(try lock(.open))
    for connection in 1...6 { world.join(UInt64(connection)) }
    world.pass(.seconds(2))
    for connection in 1...5 { world.draw(UInt64(connection)) }
    #expect(
      world.draw(6) == [
        "open changed", "pen", "c6 hears unavailable 1", "open changed", "pen",
      ])
    #expect(world.phase == .unavailable)
  }

  @Test("a connection has one attempt waiting behind the one in flight")
  func connectionFull() throws {
    var world = pair(try lock(.open))
    world.draw(1, 1)
    world.draw(1, 2)
    #expect(world.draw(1, 3).contains("c1 hears unavailable 3"))
    #expect(world.draw(2, 1).contains("c2 hears unavailable 1") == false)
    #expect(world.room.counts.attempts == 3)
    #expect(world.judge(.rejected) == ["c1 hears rejected 1", "submit 2 of m1"])
  }

  @Test("buckets do not wait for each other")
  func twoBuckets() throws {
    var world = pair(try lock(.open))
    world.join(5, bucket: BucketKey(5))
    world.draw(1)
    #expect(world.draw(5).contains("submit 2 of m4"))
    #expect(world.submitted.map(\.bucket) == [.strangers, BucketKey(5)])
  }

  @Test("a verdict that earns trust moves its drawer to that bucket and tells it the token")
  func trusted() throws {
    var world = pair(try lock(.open))
    let locked = BucketStatus(failures: 6, retryAt: .distantFuture)
    world.draw(1)
    let report = VerdictReport(
      .accepted(grant: nil), bucket: locked, home: BucketHome(BucketKey(9), .clean), device: "d")
    let heard = world.judge(report)
    #expect(heard.contains("c1 hears accepted 1") && heard.contains("c1 hears device"))
    #expect(world.room.lockout(of: 1, at: world.now)?.failures == 0)
    #expect(world.room.lockout(of: 2, at: world.now)?.failures == 6)
    #expect(world.draw(2, 1).contains("c2 hears lockedOut 1"))
    world.draw(1, 2)
    #expect(world.submitted.map(\.bucket) == [BucketKey(9)])
  }

  @Test("the token is for the connection that drew, not for one that came in its place")
  func trustedConnection() throws {
    var world = pair(try lock(.open))
    let key = try #require(world.keys[1])
    world.draw(1)
    world.join(7, showing: key)
    let report = VerdictReport(
      .accepted(grant: nil), home: BucketHome(BucketKey(9), .clean), device: "d")
    let heard = world.judge(report)
    #expect(heard.contains("c7 hears accepted 1"))
    #expect(!heard.contains { $0.hasSuffix("hears device") })
  }

  @Test("a waiting attempt whose bucket was locked by the one before is not judged")
  func lockedWhileWaiting() throws {
    var world = pair(try lock(.open))
    world.draw(1)
    world.draw(2)
    #expect(
      world.judge(.rejected, failures: 5, retryIn: .seconds(60)) == [
        "c1 hears rejected 1", "c2 hears lockedOut 1", "open changed",
      ])
    #expect(world.submitted.isEmpty)
    #expect(world.phase == .unavailable)
    #expect(world.room.counts.attempts == 0)
  }

  @Test("a released stroke is judged without its connection, and the key brings the verdict")
  func kept() throws {
    var world = pair(try lock(.open))
    let key = try #require(world.keys[1])
    world.draw(1)
    world.handle(.left(1))
    #expect(world.phase == .checking)
    #expect(world.judge(.accepted(grant: nil)) == ["open changed"])
    #expect(world.room.counts.verdictsKept == 1)
    world.pass(.milliseconds(29_999))
    #expect(
      world.join(31, showing: key) == ["c31 is m1", "c31 hears accepted 1", "members"])
    #expect(world.room.counts.verdictsKept == 0)
    #expect(world.room.counts.departed == 0)
  }

  @Test("it is kept thirty seconds and no longer, and no other key brings it")
  func lapses() throws {
    var world = pair(try lock(.open))
    let key = try #require(world.keys[1])
    world.draw(1)
    world.handle(.left(1))
    world.judge(.accepted(grant: nil))
    #expect(world.join(30, showing: ResumeKey(high: 0, low: 1)).first == "c30 is m4")
    world.pass(.seconds(30))
    #expect(world.room.counts.verdictsKept == 0)
    #expect(world.room.counts.departed == 0)
    #expect(world.join(31, showing: key).first == "c31 is m5")
  }

  @Test("one that was told is told again for thirty seconds to who comes back with the key")
  func toldAgain() throws {
    var world = pair(try lock(.open))
    let key = try #require(world.keys[1])
    world.draw(1)
    world.judge(.rejected)
    // The old connection may be dead though nobody knows it yet.
    #expect(world.join(31, showing: key).contains("c31 hears rejected 1"))
    world.handle(.left(31))
    world.pass(.milliseconds(29_999))
    #expect(world.join(32, showing: key).contains("c32 hears rejected 1"))
    world.pass(.milliseconds(1))
    #expect(!world.join(33, showing: key).contains("c33 hears rejected 1"))
    world.pass(.seconds(1))
    world.handle(.left(33))
    #expect(world.room.counts.departed == 0)
  }

  @Test("a member that resumed hears the verdict of what its old connection drew")
  func resumed() throws {
    var world = pair(try lock(.stealth))
    let key = try #require(world.keys[1])
    world.draw(1)
    world.join(31, showing: key)
    #expect(world.judge(.rejected) == ["c31 hears rejected 1", "open changed", "stealth changed"])
  }
}

/// Both projections of a room.
enum RoomProjection {
  static func allCases(of room: Room) -> [RoomState] { Projection.allCases.map(room.state) }
}
