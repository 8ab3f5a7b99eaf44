import PadModel
import Rooms

extension Stopwatch {
  /// One frame of one sample on a board: pen, tracker, new version, and the state read once.
  mutating func measureRoom() {
    let pad = Preset.android.pad()
    let points = Strokes.serpentine(pad)
    var now = Instant.zero
    var room = Room(RoomSettings(name: .board("bench"), kind: .board, pad: pad), at: now)
    var actions: [RoomAction] = []
    room.handle(
      .joined(
        Joining(connection: 1, role: .controller, fresh: ResumeKey(high: 1, low: 2))), at: now,
      into: &actions)
    var batch = SampleBatch(
      stroke: 1, action: .press, samples: [Sample(elapsed: 4, position: points[0])])
    func feed(_ action: StrokeAction, _ point: Point) -> Int {
      batch.action = action
      batch.samples[0].position = point
      now = now + .milliseconds(4)
      actions.removeAll(keepingCapacity: true)
      room.handle(.sampled(1, batch), at: now, into: &actions)
      return actions.count &+ room.state(.open).path.count
    }
    measure("room: a frame of one sample, board", operations: points.count + 1) { rounds in
      var sum = 0
      for _ in 0..<rounds {
        batch.stroke = batch.stroke == .max ? 1 : batch.stroke + 1
        sum &+= feed(.press, points[0])
        for index in 1..<points.count { sum &+= feed(.move, points[index]) }
        sum &+= feed(.release, points[points.count - 1])
      }
      return sum
    }
  }

  /// What a change costs for each of 100 members, apart from sending.
  mutating func measureAudience(acknowledges: Bool) {
    let members = 100
    var audience = Audience(limits: .standard)
    let slots = (1...members).map {
      audience.add(
        key: ConnectionKey($0), projection: .open, format: .binary, acknowledges: acknowledges,
        at: .zero)
    }
    var (now, version) = (Instant.zero, UInt32(0))
    let name = acknowledges ? "acknowledged by each" : "nobody acknowledges"
    measure("audience: a change for one of 100, \(name)", operations: members) { rounds in
      var sent = 0
      for _ in 0..<rounds {
        version &+= 1
        // Longer than the shortest time between two frames of a room.
        now = now + .milliseconds(4)
        audience.changed(.open, version: version, at: now)
        audience.collect(at: now) { _, _, _ in
          sent &+= 1
          return true
        }
        if acknowledges {
          for slot in slots { audience.acknowledge(slot, version: version, at: now) }
        }
      }
      return sent
    }
  }
}
