import PadModel
import Rooms

/// A board with one controller, held as the server's loop holds its rooms.
private final class Board {
  private var room: Room
  private var actions: [RoomAction] = []
  private var now = Instant.zero
  private var batch: SampleBatch

  init(pad: Pad) {
    room = Room(RoomSettings(name: .board("bench"), kind: .board, pad: pad), at: now)
    batch = SampleBatch(
      stroke: 1, action: .press, samples: [Sample(elapsed: 4, position: .zero)])
    room.handle(
      .joined(Joining(connection: 1, role: .controller, fresh: ResumeKey(high: 1, low: 2))),
      at: now, into: &actions)
  }

  func beginStroke() { batch.stroke = batch.stroke == .max ? 1 : batch.stroke + 1 }

  /// Feeds one sample and answers how many actions came of it.
  func feed(_ action: StrokeAction, _ point: Point) -> Int {
    batch.action = action
    batch.samples[0].position = point
    now = now + .milliseconds(4)
    actions.removeAll(keepingCapacity: true)
    room.handle(.sampled(1, batch), at: now, into: &actions)
    return actions.count
  }

  /// Reads the newest state where the room is, as the server does; else the room would be copied.
  func read() -> Int { Self.nodes(in: &room) }

  private static func nodes(in room: inout Room) -> Int { room.state(.open).path.count }
}

extension Stopwatch {
  /// One frame of one sample on a board: pen, tracker, new version; then reading its state.
  mutating func measureRoom() {
    let pad = Preset.android.pad()
    let points = Strokes.serpentine(pad)
    let board = Board(pad: pad)
    measure("room: a frame of one sample, board", operations: points.count + 1) { rounds in
      var sum = 0
      for _ in 0..<rounds {
        board.beginStroke()
        sum &+= board.feed(.press, points[0])
        for index in 1..<points.count { sum &+= board.feed(.move, points[index]) }
        sum &+= board.feed(.release, points[points.count - 1])
      }
      return sum
    }
    measure("room: read its state") { rounds in
      var sum = 0
      for _ in 0..<rounds { sum &+= board.read() }
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
          for slot in slots { _ = audience.acknowledge(slot, version: version, at: now) }
        }
      }
      return sent
    }
  }
}
