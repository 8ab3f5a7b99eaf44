import PadModel
import Rooms
import Testing

@Suite("A silent audience")
struct AudienceSilenceTests {
  @Test("the last state is repeated after each member's own silence")
  func repeats() {
    var rig = AudienceRig()
    rig.add(1)
    rig.pass(.seconds(5))
    rig.add(2, .open, .json, rate: 5)
    #expect(rig.audience.nextDue == .zero + .seconds(120))
    rig.pass(.seconds(15))
    #expect(rig.frames.mapValues(\.count) == [1: 1, 2: 0])
    rig.pass(.seconds(5))
    #expect(rig.frames.mapValues(\.count) == [1: 1, 2: 1])
    rig.pass(.seconds(60))
    #expect(rig.frames.mapValues(\.count) == [1: 4, 2: 4])
    rig.change()
    rig.turn()
    rig.pass(.milliseconds(19_999))
    #expect(rig.frames.mapValues(\.count) == [1: 5, 2: 5])
    #expect(rig.audience.counters.repeated == 8)
    #expect(rig.audience.counters.offered == 2)
  }

  @Test("nothing is repeated to one whose window or socket is full, and at once when it opens")
  func repeatsWithheld() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.stream(32, every: .milliseconds(2))
    rig.pass(.seconds(100))
    #expect(rig.count(1) == 32)
    rig.acknowledge(1, 32)
    #expect(rig.turn() == [1])
    #expect(rig.last(1) == 32)
    #expect(rig.audience.counters.repeated == 1)
  }

  @Test("one whose full window another projection empties is repeated to from then on")
  func repeatsAfterSwitch() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.stream(32, every: .milliseconds(2))
    rig.pass(.seconds(100))
    #expect(rig.audience.nextDue == nil)
    rig.show(1, .stealth)
    #expect(rig.turn() == [1])
    rig.pass(.seconds(20))
    #expect(rig.count(1) == 34)
    #expect(rig.audience.counters.repeated == 1)
  }

  @Test("repeats are frames of the window")
  func repeatsCount() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.stream(1, every: .milliseconds(2))
    rig.pass(.seconds(2000))
    #expect(rig.count(1) == 32)
    rig.acknowledge(1, 1)
    rig.pass(.seconds(200))
    #expect(rig.count(1) > 40)
  }

  @Test("ten thousand that fell silent one by one cost few looks")
  func repeatsAreBatched() {
    var rig = AudienceRig()
    for key in 1...2_000 {
      rig.add(UInt64(key))
      rig.now = rig.now + .milliseconds(10)
    }
    var looks = 0
    let end = rig.now + .seconds(40)
    while let due = rig.audience.nextDue, due <= end {
      rig.now = max(rig.now, due)
      rig.audience.collect(at: rig.now) { _, _, _ in true }
      looks += 1
    }
    #expect(looks <= 70)
    #expect(rig.audience.counters.repeated >= 4_000)
  }
}
