import PadModel
import Rooms
import Testing

@Suite("Whoever draws")
struct AudienceOrderTests {
  @Test("gets its stroke after all others, wherever it stands")
  func drawerLast() {
    for drawer: UInt64 in 1...5 {
      var rig = AudienceRig()
      for key: UInt64 in 1...5 { rig.add(key) }
      rig.draws(drawer)
      for _ in 0..<3 {
        rig.change()
        #expect(rig.turn().count == 5)
        #expect(rig.order.last == drawer)
        rig.pass(.milliseconds(10))
      }
    }
  }

  @Test("is the last of its own class only, and may go or be blocked")
  func otherClasses() {
    var rig = AudienceRig()
    for key: UInt64 in 1...3 { rig.add(key) }
    for key: UInt64 in 4...6 { rig.add(key, .open, .json) }
    rig.draws(1)
    rig.change()
    #expect(rig.turn() == [1, 2, 3, 4, 5, 6])
    #expect(rig.order.firstIndex(of: 1) == 2)
    rig.fullSockets = [1]
    rig.pass(.milliseconds(10))
    rig.change()
    #expect(rig.turn() == [2, 3, 4, 5, 6])
    rig.pass(.milliseconds(10))
    rig.change()
    #expect(rig.turn() == [2, 3, 4, 5, 6])
    rig.remove(1)
    // Another member in the place of the one that drew is nobody special.
    rig.add(7)
    rig.add(8)
    rig.pass(.milliseconds(10))
    rig.change()
    #expect(rig.turn() == [2, 3, 4, 5, 6, 7, 8])
    #expect(rig.order.last { $0 < 4 || $0 > 6 } == 8)
  }

  @Test("costs no turn with an acknowledgement that opens no window")
  func acknowledgements() {
    var rig = AudienceRig()
    rig.add(1, acknowledges: true)
    rig.stream(31, every: .milliseconds(10))
    let answers = [rig.acknowledge(1, 16), rig.acknowledge(1, 16)]
    rig.stream(17, every: .milliseconds(10))
    // 32 are unacknowledged now.
    let later = [rig.acknowledge(1, 20), rig.acknowledge(1, 30)]
    #expect(answers + later == [false, false, true, false])
  }
}
