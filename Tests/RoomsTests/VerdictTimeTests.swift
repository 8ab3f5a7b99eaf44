import PadModel
import Rooms
import Testing

@Suite("A verdict's time")
struct VerdictTimeTests {
  func pair(_ settings: RoomSettings) -> RoomWorld { VerdictTests().pair(settings) }

  @Test("without one after five seconds the drawer hears unavailable, and a late one opens nothing")
  func late() throws {
    var world = pair(try lock(.open))
    world.join(9, .actuator)
    world.draw(1)
    #expect(world.pass(.milliseconds(4_999)).contains("c1 hears unavailable 1") == false)
    #expect(world.pass(.milliseconds(1)) == ["c1 hears unavailable 1", "open changed"])
    #expect(world.phase == .unavailable)
    #expect(world.room.counts.attempts == 1)
    let grant = GrantID(high: 1, low: 1)
    #expect(world.judge(.accepted(grant: grant), failures: 3) == [])
    #expect(world.phase == .unavailable)
    #expect(world.room.lockout(of: 1, at: world.now)?.failures == 3)
    #expect(world.room.counts.attempts == 0)
    #expect(world.room.counts.grants == 0)
  }

  @Test("a waiting attempt is told unavailable after five seconds and never judged")
  func waitedTooLong() throws {
    var world = pair(try lock(.open))
    world.draw(1)
    world.pass(.seconds(1))
    world.draw(2)
    #expect(world.pass(.seconds(4)) == ["c1 hears unavailable 1"])
    #expect(world.pass(.seconds(1)) == ["c2 hears unavailable 1", "open changed"])
    #expect(world.judge(.rejected) == [])
    #expect(world.submitted.isEmpty)
    #expect(world.room.counts.attempts == 0)
  }

  @Test("time for a verdict counts from the release, also of an attempt that waits for its turn")
  func judgedBy() throws {
    var world = pair(try lock(.open))
    let time = Duration.milliseconds(4_750)
    world.draw(1)
    #expect(world.submitted.map(\.judgeBy) == [world.now + time])
    world.pass(.seconds(1))
    world.draw(2)
    let judgeBy = world.now + time
    world.pass(.seconds(2))
    world.judge(.rejected)
    #expect(world.submitted.map(\.judgeBy) == [judgeBy])
    // Its drawer hears that there is no verdict after the last moment for one.
    world.pass(.milliseconds(2_999))
    #expect(judgeBy < world.now)
    #expect(world.pass(.milliseconds(1)) == ["c2 hears unavailable 1", "open changed"])
  }

  @Test("each is noted once, and a refusal as one that nobody else writes down")
  func noted() throws {
    var world = RoomWorld(try lock(.open))
    for connection in 1...7 { world.join(UInt64(connection)) }
    world.draw(1, 1, [0, 1])
    #expect(world.noted == ["tooShort"])
    for connection in 1...6 { world.draw(UInt64(connection), 2) }
    // The sixth found no place.
    #expect(world.noted == ["tooShort", "unavailable!"])
    world.judge(.rejected)
    world.pass(.seconds(5))
    // The second was before the secrets, the others were not.
    let late = ["rejected", "unavailable", "unavailable!", "unavailable!", "unavailable!"]
    #expect(world.noted.dropFirst(2) == late[...])
    world.judge(.rejected, failures: 5, retryIn: .seconds(60))
    #expect(world.noted.count == 7)
    world.press(7, 3)
    world.press(7, 3)
    world.handle(.drainBegan)
    #expect(world.noted.dropFirst(7) == ["lockedOut!"])
  }

  @Test("a waiting attempt that can't be judged in time any more is not put before the secrets")
  func tooLateToSubmit() throws {
    var world = pair(try lock(.open))
    world.draw(1)
    world.draw(2)
    world.pass(.milliseconds(4_751))
    #expect(
      world.judge(.rejected) == [
        "c1 hears rejected 1", "c2 hears unavailable 1", "open changed",
      ])
    #expect(world.submitted.isEmpty)
    #expect(world.room.counts.attempts == 0)
  }

  @Test("one that is there when a late loop looks is told, though the time is over")
  func lateLoop() throws {
    var world = pair(try lock(.open))
    world.draw(1)
    world.now = world.now + .seconds(6)
    #expect(world.judge(.accepted(grant: nil)) == ["c1 hears accepted 1", "open changed"])
    #expect(world.phase == .accepted)
  }
}
