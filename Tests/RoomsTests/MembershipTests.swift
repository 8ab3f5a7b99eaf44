import PadModel
import Rooms
import Testing

@Suite("Members")
struct MembershipTests {
  @Test("are numbered from one, and a number is never used again")
  func numbered() {
    var world = RoomWorld(board())
    #expect(world.join(11).first == "c11 is m1")
    #expect(world.join(12).first == "c12 is m2")
    world.handle(.left(12))
    #expect(world.join(13).first == "c13 is m3")
  }

  @Test("numbers begin anew after the last one, and pass over those that somebody has")
  func wraps() {
    var world = RoomWorld(board())
    world.join(1)
    world.join(2)
    world.room.setLastMember(.max - 1)
    #expect(world.join(3).first == "c3 is m4294967295")
    world.handle(.left(2))
    #expect(world.join(4).first == "c4 is m2")
    #expect(world.join(5).first == "c5 is m3")
  }

  @Test("viewers are counted and never listed, at most fifty controllers are listed")
  func listed() throws {
    var world = RoomWorld(board())
    for connection in 1...60 { world.join(UInt64(connection), name: "n\(connection)") }
    for connection in 61...90 { world.join(UInt64(connection), .viewer, name: "v") }
    world.join(91, .actuator)
    world.join(92, .admin)
    world.handle(.left(1))
    let members = world.room.members
    #expect(members.viewers == 30)
    #expect(members.actuators == 1)
    #expect(members.controllers.map(\.member.number) == Array(2...51))
    #expect(members.controllers.first?.name == (try MemberName("n2")))
  }

  @Test("are told at once, then at most once a second, and the last change always")
  func throttled() {
    var world = RoomWorld(board())
    #expect(world.join(1) == ["c1 is m1", "members"])
    #expect(world.join(2) == ["c2 is m2"])
    #expect(world.join(3) == ["c3 is m3"])
    #expect(world.pass(.milliseconds(999)) == [])
    #expect(world.pass(.milliseconds(1)) == ["members"])
    #expect(world.pass(.seconds(5)) == [])
    #expect(world.handle(.left(3)) == ["members"])
  }

  @Test("a connection that shows the key replaces the old one at once")
  func replaced() throws {
    var world = RoomWorld(board())
    world.join(1, name: "Ana")
    world.join(2)
    world.pass(.seconds(2))
    let key = try #require(world.keys[1])
    world.press(1)
    #expect(
      world.join(31, name: "Ana", showing: key) == [
        "close c1: replaced", "open changed", "c31 is m1", "pen to c31", "members",
      ])
    #expect(world.phase == .cancelled)
    #expect(world.keys[31] == key)
    #expect(world.room.counts.members == 2)
    // What the old connection still says or does is ignored.
    #expect(world.move(1, 1, [1]) == [])
    #expect(world.handle(.left(1)) == [])
    #expect(world.press(31, 2) == ["open changed"])
  }

  @Test("the same name, or a wrong key, replaces nobody")
  func notReplaced() {
    var world = RoomWorld(board())
    world.join(1, name: "Ana")
    #expect(world.join(2, name: "Ana").first == "c2 is m2")
    #expect(world.join(3, showing: ResumeKey(high: 1, low: 2)).first == "c3 is m3")
    #expect(world.room.counts.members == 3)
  }

  @Test("one who waits for the pen keeps the place in the queue when replaced")
  func queueSurvives() throws {
    var world = RoomWorld(board())
    for connection in 1...3 { world.join(UInt64(connection)) }
    for connection in 1...3 { world.handle(.penCommanded(UInt64(connection), .request)) }
    let key = try #require(world.keys[2])
    world.join(12, showing: key)
    world.handle(.penCommanded(1, .release))
    #expect(world.room.penStatus == PenStatus(holder: MemberID(2), waiting: 1))
    #expect(world.press(12) == ["open changed"])
  }

  @Test("one who comes back as a viewer has no pen any more")
  func roleChanges() throws {
    var world = RoomWorld(board())
    world.join(1)
    world.join(2)
    world.handle(.penCommanded(1, .request))
    world.handle(.penCommanded(2, .request))
    let key = try #require(world.keys[1])
    world.join(11, .viewer, showing: key)
    #expect(world.room.penStatus == PenStatus(holder: MemberID(2), waiting: 0))
    #expect(world.room.members.viewers == 1)
    #expect(world.room.members.controllers.map(\.member.number) == [2])
  }

  @Test("a full room turns away newcomers and still lets a member replace its connection")
  func full() throws {
    var limits = Limits.standard
    limits.membersPerRoom = 2
    var world = RoomWorld(board(limits))
    world.join(1)
    world.join(2)
    #expect(world.join(3) == ["close c3: roomFull"])
    #expect(world.handle(.left(3)) == [])
    let key = try #require(world.keys[1])
    #expect(world.join(11, showing: key).first == "close c1: replaced")
    #expect(world.room.counts.members == 2)
  }

  @Test("a room without members is dropped after the grace time, not before, not if one comes")
  func dropped() {
    var world = RoomWorld(board())
    world.join(1)
    world.handle(.left(1))
    #expect(world.pass(.milliseconds(4_999)) == [])
    #expect(!world.room.mayBeDropped(at: world.now))
    world.join(2)
    #expect(world.pass(.seconds(60)).contains("drop") == false)
    world.handle(.left(2))
    #expect(world.pass(.seconds(5)) == ["drop"])
    #expect(world.room.mayBeDropped(at: world.now))
    #expect(world.pass(.seconds(60)) == [])
    #expect(world.room.counts == RoomCounts(empty: ()))
  }

  @Test("one that joins as the grace time ends keeps the room")
  func joinsAtTheEnd() {
    var world = RoomWorld(board())
    world.join(1)
    world.handle(.left(1))
    world.now = world.now + .seconds(7)
    #expect(world.join(2) == ["c2 is m2", "members"])
    #expect(world.pass(.seconds(60)) == [])
  }

  @Test("a room with an attempt in flight, however late, or a verdict kept, is not dropped")
  func keptForVerdict() throws {
    var world = RoomWorld(try lock(.stealth))
    world.join(1)
    world.draw(1)
    world.handle(.left(1))
    world.pass(.seconds(60))
    #expect(!world.isDropped)
    #expect(world.room.counts.attempts == 1)
    #expect(world.judge(.rejected) == ["drop"])
    world = RoomWorld(try lock(.stealth))
    world.join(1)
    world.draw(1)
    world.handle(.left(1))
    world.judge(.rejected)
    world.pass(.milliseconds(29_999))
    #expect(!world.isDropped)
    world.pass(.milliseconds(1))
    #expect(world.isDropped)
    #expect(world.room.counts == RoomCounts(empty: ()))
  }

  @Test("a thousand that come, draw and go leave nothing behind")
  func nothingLeaks() throws {
    for settings in [board(), try lock(.open), try lock(.stealth)] {
      var world = RoomWorld(settings)
      for connection in 1...1000 {
        let key = UInt64(connection)
        world.join(key, Role.allCases[connection % 4])
        world.press(key, 1, [0, 1, 2, 5])
        if connection.isMultiple(of: 3) { world.handle(.penCommanded(key, .request)) }
        if connection.isMultiple(of: 2) { world.release(key) }
        if connection.isMultiple(of: 5) { world.pass(.milliseconds(300)) }
        world.handle(.left(key))
        while !world.submitted.isEmpty { world.judge(.rejected) }
      }
      world.pass(.seconds(40))
      #expect(world.room.counts == RoomCounts(empty: ()))
      #expect(world.isDropped)
    }
  }
}

@Suite("Draining and closing")
struct DrainTests {
  @Test("strokes are cancelled, members closed, and a drawer after its verdict")
  func drains() throws {
    var world = RoomWorld(try lock(.open))
    for connection in 1...3 { world.join(UInt64(connection)) }
    world.pass(.seconds(2))
    world.draw(1)
    world.press(2)
    #expect(
      world.handle(.drainBegan) == [
        "open changed", "close c2: restart", "close c3: restart", "pen",
      ])
    #expect(world.phase == .cancelled)
    #expect(world.press(1, 2) == ["c1 hears unavailable 2"])
    #expect(world.judge(.accepted(grant: nil)) == ["c1 hears accepted 1", "close c1: restart"])
    #expect(world.join(9) == ["close c9: restart"])
    #expect(world.room.counts.members == 0)
  }

  @Test("a drawer that hears unavailable in time is closed too")
  func drainsLate() throws {
    var world = RoomWorld(try lock(.open))
    world.join(1)
    world.draw(1)
    world.handle(.drainBegan)
    #expect(
      world.pass(.seconds(5)).prefix(2) == ["c1 hears unavailable 1", "close c1: restart"])
  }

  @Test("a change of the mirror mode closes the room for its members; a reset does not")
  func policyChanges() throws {
    var world = RoomWorld(try lock(.open))
    world.join(1)
    world.pass(.seconds(2))
    let minimum = LockPolicy(
      mirror: .open, minimumNodes: 2, buckets: [.strangers: BucketStatus(failures: 2)])
    #expect(world.handle(.policyChanged(minimum)) == ["c1 hears 2 failures, 0 ms"])
    #expect(world.room.lockout(of: 1, at: world.now)?.failures == 2)
    world.press(1, 1, [0, 1])
    let stealth = LockPolicy(mirror: .stealth, minimumNodes: 2)
    #expect(
      world.handle(.policyChanged(stealth)).prefix(2) == ["open changed", "close c1: roomClosed"])
    #expect(world.room.state(.open).path == [])
    #expect(world.join(2).contains("c2 is m2"))
    #expect(world.room.projection(of: 2) == .stealth)
    #expect(world.handle(.closed(.denied)).first == "close c2: denied")
    #expect(world.room.counts.members == 0)
  }
}

extension RoomCounts {
  init(empty: Void) { self = Room(board(), at: .zero).counts }
}
