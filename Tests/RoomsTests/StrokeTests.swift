import PadModel
import Rooms
import Testing

@Suite("A stroke")
struct StrokeTests {
  func pair(_ settings: RoomSettings) -> RoomWorld {
    var world = RoomWorld(settings)
    world.join(1)
    world.join(2)
    world.pass(.seconds(2))
    return world
  }

  @Test("a batch of many samples is one change")
  func oneChange() {
    var world = pair(board())
    world.press(1)
    #expect(world.move(1, 1, [1, 2, 5, 8]) == ["open changed"])
    let state = world.room.state(.open)
    #expect(state.phase == .drawing)
    #expect(state.path == [0, 1, 2, 5, 8])
    #expect(state.pointer == world.at(8))
    #expect(state.showsTail)
  }

  @Test("samples that move nothing change nothing")
  func zeroLength() {
    var world = pair(board())
    world.press(1)
    // The first move may bring the tail.
    #expect(world.move(1, 1, [0]) == ["open changed"])
    #expect(world.move(1, 1, [0, 0]) == [])
    #expect(world.room.version(.open) == 2)
  }

  @Test("a tail that appears without a movement is a change")
  func tailAppears() throws {
    var world = pair(try lock(.open, minimum: 1, pad: Preset.saScreenLock.pad()))
    world.press(1)
    #expect(!world.room.state(.open).showsTail)
    #expect(world.move(1, 1, [0]) == ["open changed"])
    #expect(world.room.state(.open).showsTail)
  }

  @Test("a board shows the finished stroke, however short, until the next press")
  func boardFinishes() {
    var world = pair(board())
    #expect(world.press(1) == ["open changed", "pen"])
    #expect(world.release(1) == ["open changed"])
    world.pass(.seconds(3600))
    #expect(world.phase == .finished)
    #expect(world.path == [0])
    #expect(world.room.state(.open).stroke == 1)
    world.press(2, 9, [4])
    #expect(world.phase == .drawing)
    #expect(world.path == [4])
    #expect(world.room.state(.open).stroke == 9)
  }

  @Test("a stroke without a node ends cancelled, on a board and in a lock room")
  func nothingTouched() throws {
    for settings in [board(), try lock(.open), try lock(.stealth)] {
      var world = pair(settings)
      world.send(1, .press, 1, [Point(x: -200, y: -200)])
      let said = world.send(1, .release, 1, [Point(x: -300, y: -300)])
      #expect(said == ["open changed"] || said == ["open changed", "pen"])
      #expect(world.phase == .cancelled)
      #expect(world.submitted.isEmpty)
    }
  }

  @Test("an open lock room shows its end with the path for three seconds, then nothing")
  func lockShowsEnd() throws {
    var world = pair(try lock(.open))
    #expect(world.press(1, 1, [0, 1]) == ["open changed", "pen"])
    #expect(world.release(1) == ["c1 hears tooShort 1", "open changed", "pen"])
    #expect(world.pass(.milliseconds(2999)) == [])
    #expect(world.phase == .tooShort)
    #expect(world.path == [0, 1])
    #expect(world.pass(.milliseconds(1)) == ["open changed"])
    #expect(
      world.room.state(.open) == RoomState(version: world.room.version(.open), phase: .idle))
  }

  @Test("a new press is not wiped by the clearing of the one before")
  func clearIsCancelled() throws {
    var world = pair(try lock(.open))
    world.draw(1, 1, [0, 1])
    world.pass(.seconds(2))
    world.press(1, 2, [6])
    #expect(world.pass(.seconds(20)) == [])
    #expect(world.phase == .drawing)
    #expect(world.path == [6])
  }

  @Test("one node fewer than the minimum is too short; the minimum is put before the secrets")
  func minimum() throws {
    var world = pair(try lock(.open, minimum: 5))
    world.draw(1, 1, [0, 1, 2, 5])
    #expect(world.phase == .tooShort)
    #expect(world.submitted.isEmpty)
    world.draw(1, 2, [0, 1, 2, 5, 8])
    #expect(world.phase == .checking)
    #expect(world.submitted.map(\.nodes) == [[0, 1, 2, 5, 8]])
    #expect(world.submitted.map(\.origin) == [100])
  }

  @Test("it is cancelled 30 s after its press in a lock room, 5 min after it on a board")
  func longest() throws {
    for (settings, longest) in [(try lock(.open), 30), (board(), 300)] {
      var world = pair(settings)
      world.press(1)
      for _ in 1..<longest {
        world.pass(.seconds(1))
        world.move(1, 1, [1])
        world.move(1, 1, [0])
      }
      #expect(world.pass(.milliseconds(999)) == [])
      #expect(world.phase == .drawing)
      world.pass(.milliseconds(1))
      #expect(world.phase == .cancelled)
      #expect(world.path == [])
      #expect(world.move(1, 1, [2]) == [])
      #expect(world.release(1) == [])
      #expect(world.submitted.isEmpty)
    }
  }

  @Test("a press in one's own stroke of a lock wins no time, and after the end others come first")
  func noEndlessStroke() throws {
    var world = pair(try lock(.open))
    world.press(1, 1)
    for stroke in 2...30 {
      world.pass(.seconds(1))
      world.press(1, StrokeNumber(stroke))
    }
    #expect(world.phase == .drawing)
    world.pass(.seconds(1))
    #expect(world.phase == .cancelled)
    #expect(world.press(1, 40) == ["c1 hears error penBusy"])
    world.pass(.milliseconds(1_999))
    #expect(world.press(1, 41) == ["c1 hears error penBusy"])
    #expect(world.press(2, 1) == ["open changed", "pen"])
    world.send(2, .cancel, 1)
    world.pass(.milliseconds(1))
    #expect(world.press(1, 42) == ["open changed", "pen"])
    // Alone there is nobody to leave it to.
    world.handle(.left(2))
    world.pass(.seconds(30))
    #expect(world.phase == .cancelled)
    #expect(world.press(1, 43) == ["open changed", "pen"])
  }

  @Test("in a stealth room a presser is told at most once a second that somebody else draws")
  func noStopwatch() throws {
    var world = pair(try lock(.stealth))
    world.press(1, 1)
    #expect(world.press(2, 1) == ["c2 hears error penBusy"])
    for stroke in 2...9 {
      world.pass(.milliseconds(100))
      #expect(world.press(2, StrokeNumber(stroke)) == [])
    }
    world.pass(.milliseconds(200))
    #expect(world.press(2, 10) == ["c2 hears error penBusy"])
    // An open room shows the stroke anyway.
    world = pair(try lock(.open))
    world.press(1, 1)
    for stroke in 1...3 {
      #expect(world.press(2, StrokeNumber(stroke)) == ["c2 hears error penBusy"])
    }
  }

  @Test("it is over on time even if the wake comes late")
  func lateWake() throws {
    var world = pair(try lock(.open))
    world.press(1, 1, [0, 1, 2, 5])
    world.now = world.now + .seconds(31)
    #expect(world.release(1) == ["open changed", "pen"])
    #expect(world.phase == .cancelled)
    #expect(world.submitted.isEmpty)
  }

  @Test("a cancel discards it, but not where the pad's rule submits")
  func cancelled() throws {
    var world = pair(try lock(.open))
    world.press(1, 1, [0, 1, 2, 5])
    world.send(1, .cancel, 1)
    #expect(world.phase == .cancelled)
    #expect(world.path == [])
    #expect(world.room.state(.open).pointer == .zero)
    world = pair(try lock(.open, minimum: 1, pad: Preset.saScreenLock.pad()))
    world.press(1, 1, [0, 1])
    #expect(world.send(1, .cancel, 1) == ["submit 1 of m1", "open changed", "pen"])
    #expect(world.phase == .checking)
  }

  @Test("what breaks off a stroke from outside never submits it, whatever the pad's rule")
  func brokenOff() throws {
    var world = pair(try lock(.open, minimum: 1, pad: Preset.saScreenLock.pad()))
    world.press(1, 1, [0, 1])
    world.handle(.left(1))
    #expect(world.phase == .cancelled)
    world.press(2, 1, [0, 1])
    #expect(world.handle(.rateBroken(2)) == ["c2 hears error rate", "open changed", "pen"])
    #expect(world.phase == .cancelled)
    #expect(world.move(2, 1, [2]) == [])
    world.press(2, 2, [0, 1])
    world.pass(.seconds(30))
    #expect(world.phase == .cancelled)
    #expect(world.submitted.isEmpty)
  }

  @Test("samples of an unknown or ended stroke are ignored")
  func unknown() {
    var world = pair(board())
    #expect(world.move(1, 1, [0]) == [])
    #expect(world.release(1) == [])
    world.press(1, 4)
    #expect(world.move(1, 5, [1]) == [])
    #expect(world.move(2, 4, [1]) == [])
    #expect(world.release(2, 4) == [])
    #expect(world.send(1, .cancel, 3) == [])
    world.release(1, 4)
    #expect(world.move(1, 4, [1]) == [])
    #expect(world.press(1, 0) == [])
    #expect(world.handle(.sampled(1, SampleBatch(stroke: 8, action: .press))) == [])
    #expect(world.handle(.sampled(99, SampleBatch(stroke: 8, action: .cancel))) == [])
    #expect(world.path == [0])
  }

  @Test("a second press without a release begins a new one")
  func pressedTwice() throws {
    var world = pair(try lock(.open))
    world.press(1, 1, [0, 1, 2, 5])
    #expect(world.press(1, 2, [8]) == ["open changed"])
    #expect(world.path == [8])
    #expect(world.release(1, 1) == [])
    #expect(world.phase == .drawing)
    world.press(1, 2, [4])
    #expect(world.path == [4])
  }

  @Test("a tap is a whole stroke")
  func tap() throws {
    var world = pair(board())
    #expect(world.send(1, .tap, 1, [world.at(4)]) == ["open changed", "pen"])
    #expect(world.phase == .finished)
    #expect(world.path == [4])
    world = pair(try lock(.open))
    #expect(world.send(1, .tap, 1, [world.at(4)]) == ["c1 hears tooShort 1", "open changed"])
  }

  @Test("a lock room's pen is held from press to end, taken by pressing only, and has no queue")
  func lockPen() throws {
    var world = pair(try lock(.open))
    #expect(world.handle(.penCommanded(1, .request)) == ["c1 hears error denied"])
    #expect(world.handle(.penCommanded(1, .give(MemberID(2)))) == ["c1 hears error denied"])
    world.press(1, 1, [0, 1, 2, 5])
    #expect(world.room.penStatus.holder == MemberID(1))
    #expect(world.press(2) == ["c2 hears error penBusy"])
    world.release(1)
    #expect(world.phase == .checking)
    #expect(world.room.penStatus.holder == nil)
    #expect(world.press(2, 2) == ["open changed", "pen"])
    #expect(world.handle(.penCommanded(2, .release)) == ["open changed", "pen"])
    #expect(world.phase == .cancelled)
  }

  @Test("an admin breaks off a stroke in a lock room by taking the pen")
  func adminTakes() throws {
    var world = pair(try lock(.open))
    world.join(9, .admin)
    world.press(1)
    #expect(world.handle(.penCommanded(2, .take)) == ["c2 hears error denied"])
    #expect(world.handle(.penCommanded(9, .take)) == ["open changed", "pen"])
    #expect(world.phase == .cancelled)
  }

  @Test("versions grow by one and wrap, each projection's by itself")
  func versions() throws {
    var world = pair(try lock(.stealth))
    world.room.setVersions(.max - 1)
    world.press(1)
    #expect(world.room.version(.open) == .max)
    world.move(1, 1, [1])
    #expect(world.room.version(.open) == 0)
    world.move(1, 1, [2, 5])
    #expect(world.room.version(.open) == 1)
    #expect(world.room.version(.stealth) == UInt32.max - 1)
    world.release(1)
    world.judge(.rejected)
    world.pass(.seconds(3))
    #expect(world.room.version(.stealth) == 0)
  }
}
