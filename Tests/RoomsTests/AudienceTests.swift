import PadModel
import Rooms
import Testing

@Suite("An audience")
struct AudienceTests {
  @Test("sends each change to all who see that projection, and nothing after the welcome before")
  func sends() {
    var rig = AudienceRig()
    rig.add(1)
    rig.add(2, .open, .json)
    rig.add(3, .stealth)
    #expect(rig.turn() == [])
    rig.change()
    #expect(rig.turn() == [1, 2])
    #expect(rig.turn() == [])
    #expect(rig.frames[2]?.first?.format == .json)
    rig.pass(.milliseconds(2))
    rig.change(.stealth)
    #expect(rig.turn() == [3])
    #expect(rig.frames[3]?.first?.projection == .stealth)
  }

  @Test("several changes in one turn are one frame")
  func oneFrameATurn() {
    var rig = AudienceRig()
    rig.add(1)
    for _ in 1...5 { rig.change() }
    rig.turn()
    #expect(rig.frames[1]?.map(\.version) == [5])
    #expect(rig.audience.counters.offered == 5)
    #expect(rig.audience.counters.coalesced == 4)
    #expect(rig.audience.counters.sent == 1)
  }

  @Test("a member that joins is up to date and gets the next change only")
  func joinsUpToDate() {
    var rig = AudienceRig()
    rig.add(1)
    rig.change()
    rig.add(2)
    #expect(rig.turn() == [1])
    rig.pass(.milliseconds(2))
    rig.change()
    #expect(rig.turn() == [1, 2])
  }

  @Test("a member that acknowledges gets no more than the window until it answers")
  func window() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.add(2, acknowledges: true)
    rig.add(3)
    for version in 1...100 {
      rig.stream(1, every: .milliseconds(4))
      if version.isMultiple(of: 16) { rig.acknowledge(2, UInt32(version)) }
    }
    #expect(rig.frames[1]?.map(\.version) == Array(1...32))
    // Nobody else is delayed by it.
    #expect(rig.frames[2]?.map(\.version) == Array(1...100))
    #expect(rig.frames[3]?.map(\.version) == Array(1...100))
    #expect(rig.frames[2]?.map(\.at) == rig.frames[3]?.map(\.at))
    #expect(rig.audience.counters.withheld == 67)
    #expect(rig.audience.counters.pending == 1)
    // As soon as it answers it gets the newest, in one frame.
    rig.acknowledge(1, 32)
    #expect(rig.turn() == [1])
    #expect(rig.last(1) == 100)
    #expect(rig.turn() == [])
    #expect(rig.audience.counters.pending == 0)
  }

  @Test("an acknowledgement frees all that was sent before it, and no more")
  func freesUpTo() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.stream(40, every: .milliseconds(2))
    rig.acknowledge(1, 10)
    rig.turn()
    rig.stream(40, every: .milliseconds(2))
    // 32, the newest at the answer, and nine more for the nine other places.
    #expect(rig.count(1) == 42)
    #expect(rig.frames[1]?[32].version == 40)
  }

  @Test("an acknowledgement of an unknown or older version is ignored and counted")
  func strayAcknowledgements() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.add(2)
    rig.acknowledge(1, 0)
    rig.stream(40, every: .milliseconds(2))
    rig.acknowledge(1, 33)
    rig.acknowledge(1, 5000)
    rig.acknowledge(2, 5)
    #expect(rig.turn() == [])
    rig.acknowledge(1, 20)
    rig.turn()
    rig.acknowledge(1, 20)
    rig.acknowledge(1, 7)
    #expect(rig.audience.counters.strayAcknowledgements == 6)
    #expect(rig.count(1) == 33)
  }

  @Test("versions may wrap inside the window")
  func wraps() {
    var rig = AudienceRig()
    rig.versions[.open] = .max - 3
    rig.audience = Audience(limits: .standard, openVersion: .max - 3)
    rig.add(1, acknowledges: true)
    rig.stream(32, every: .milliseconds(2))
    #expect(rig.last(1) == 28)
    rig.acknowledge(1, 0)
    rig.stream(10, every: .milliseconds(2))
    // Four places were freed: .max - 2 … 0.
    #expect(rig.count(1) == 36)
  }

  @Test("without acknowledgements there is no window")
  func noWindow() {
    var rig = AudienceRig()
    rig.add(1)
    rig.stream(500, every: .milliseconds(2))
    #expect(rig.count(1) == 500)
  }

  @Test("a full socket gets nothing and then the newest, and delays nobody")
  func blocked() throws {
    var rig = AudienceRig()
    rig.add(1)
    rig.add(2)
    rig.fullSockets = [1]
    rig.stream(50, every: .milliseconds(4))
    #expect(rig.count(1) == 0)
    #expect(rig.count(2) == 50)
    rig.drain(1)
    #expect(rig.turn() == [1])
    #expect(rig.last(1) == 50)
    // The server may also say so itself.
    rig.audience.blocked(try #require(rig.slots[1]))
    rig.stream(3, every: .milliseconds(4))
    #expect(rig.count(1) == 1)
    rig.drain(1)
    #expect(rig.turn() == [1])
    #expect(rig.audience.counters.coalesced == 51)
  }

  @Test("a full socket and a full window must both open")
  func blockedAndFull() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.stream(32, every: .milliseconds(2))
    rig.fullSockets = [1]
    if let slot = rig.slots[1] { rig.audience.blocked(slot) }
    rig.change()
    rig.acknowledge(1, 32)
    #expect(rig.turn() == [])
    rig.drain(1)
    #expect(rig.turn() == [1])
  }

  @Test("a room publishes at most 500 frames a second, the first at once and the last always")
  func roomLimit() throws {
    var rig = AudienceRig()
    rig.add(1)
    rig.add(2, .open, .json)
    rig.add(3, rate: 240)
    let start = rig.now
    for _ in 0..<20_000 {
      rig.change()
      rig.turn()
      rig.pass(.microseconds(50))
    }
    rig.pass(.milliseconds(10))
    let moments = Set(rig.frames.values.joined().map(\.at))
    #expect(moments.count { $0 < start + .seconds(1) } == 500)
    #expect(rig.frames[1]?.first?.at == start)
    for key in 1...3 { #expect(rig.last(UInt64(key)) == 20_000) }
  }

  @Test("a member gets at most its rate, the first change at once and the last always")
  func rate() throws {
    var rig = AudienceRig()
    rig.add(1, rate: 60)
    rig.add(2, rate: 1)
    rig.add(3)
    let start = rig.now
    rig.stream(480, every: .nanoseconds(4_166_667))
    let lastChange = rig.frames[3]?.last?.at ?? .zero
    rig.pass(.seconds(2))
    #expect(rig.count(3) == 480)
    #expect(rig.count(1) <= 121 && rig.count(1) >= 118)
    #expect(rig.count(2) == 3)
    for key in 1...2 {
      let frames = try #require(rig.frames[UInt64(key)])
      #expect(frames.first?.at == start)
      #expect(frames.last?.version == 480)
      let shortest: Duration = key == 1 ? .nanoseconds(16_666_666) : .seconds(1)
      for (one, next) in zip(frames, frames.dropFirst()) { #expect(next.at - one.at >= shortest) }
    }
    let last = try #require(rig.frames[1]?.last?.at)
    #expect(last - lastChange <= .microseconds(18_700))
  }

  @Test("a rate holds for one that catches up, too")
  func rateWhileCatchingUp() throws {
    var rig = AudienceRig()
    rig.add(1, rate: 10)
    rig.add(2, rate: 10)
    rig.stream(1, every: .milliseconds(30))
    rig.fullSockets = [1]
    rig.stream(20, every: .milliseconds(15))
    rig.drain(1)
    rig.turn()
    rig.stream(100, every: .milliseconds(15))
    rig.pass(.seconds(1))
    for key in 1...2 {
      let frames = try #require(rig.frames[UInt64(key)])
      #expect(frames.last?.version == 121)
      for (one, next) in zip(frames, frames.dropFirst()) {
        #expect(next.at - one.at >= .milliseconds(100))
      }
    }
  }

  @Test("another projection begins with an empty window and its newest state")
  func changesProjection() {
    var rig = AudienceRig()
    rig.add(1, .stealth, acknowledges: true)
    rig.add(2, .stealth)
    rig.change()
    rig.show(1, .open)
    #expect(rig.turn() == [1])
    #expect(rig.frames[1]?.last?.projection == .open)
    rig.stream(40, every: .milliseconds(2))
    #expect(rig.count(1) == 32)
    rig.show(1, .stealth)
    #expect(rig.turn() == [1])
    #expect(rig.frames[1]?.last?.projection == .stealth)
    #expect(rig.frames[1]?.last?.version == 0)
    for _ in 0..<40 {
      rig.change(.stealth)
      rig.turn()
      rig.pass(.milliseconds(2))
    }
    #expect(rig.count(1) == 32 + 1 + 31)
    #expect(rig.count(2) == 40)
  }

  @Test("one that leaves takes its pending frame with it, and its place is used again")
  func leaves() {
    var rig = AudienceRig()
    for key in 1...3 { rig.add(UInt64(key), acknowledges: true) }
    rig.fullSockets = [2]
    rig.stream(3, every: .milliseconds(2))
    rig.remove(2)
    #expect(rig.audience.counters.departed == 1)
    #expect(rig.audience.counters.pending == 0)
    #expect(rig.audience.count == 2)
    rig.add(4, .open, .json, rate: 9)
    rig.change()
    #expect(rig.turn() == [1, 3, 4])
    for key in [1, 3, 4] { rig.remove(UInt64(key)) }
    #expect(rig.audience.count == 0)
    #expect(rig.audience.nextDue == nil)
  }
}
