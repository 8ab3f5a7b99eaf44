import Gestures
import PadModel
import Rooms
import Wire

/// What a seed decides before anything happens: limits, rooms, people.
struct Plan {
  var limits = Limits()
  var rooms: [RoomPlan] = []
  var people: [Person] = []

  init(_ random: inout SplitMix64) {
    setLimits(&random)
    rooms = [
      RoomPlan("board:lesson", nil, &random), RoomPlan("front-door", .open, &random),
      RoomPlan("safe", .stealth, &random),
    ]
    for room in rooms.indices {
      for place in 0..<random.roll(3...8) {
        people.append(Person(in: rooms[room], place: place, limits, &random))
      }
    }
  }

  /// Limits that a small world reaches from both sides.
  private mutating func setLimits(_ random: inout SplitMix64) {
    limits.unacknowledgedFrames = random.pick([2, 4, 8, 32])
    limits.roomFramesPerSecond = random.pick([20, 100, 500])
    limits.membersPerRoom = random.pick([5, 7, 100])
    limits.attemptsWaitingPerBucket = random.roll(1...4)
    limits.attemptsWaitingPerConnection = random.roll(1...2)
    limits.verifyQueue = random.roll(1...4)
    limits.pingAfter = .seconds(random.pick([1, 5, 20]))
    limits.controlQueueBytes = random.pick([3_000, 3_000, 16 * 1024])
    limits.boardStrokeTime = .seconds(random.pick([3, 300]))
    limits.lockStrokeTime = .seconds(random.pick([2, 30]))
    limits.wrongCodesBurst = random.pick([5, 100])
    limits.penBurst = random.pick([1, 12])
  }
}

/// One room of the plan, which may be opened and forgotten many times.
struct RoomPlan {
  let name: RoomName
  let pad: Pad
  /// Nil for a board.
  var mirror: MirrorMode?
  let minimumNodes: Int
  /// The codes that open it.
  let secrets: [[NodeIndex]]
  /// Codes that people like to draw, the secrets among them.
  let habits: [[NodeIndex]]

  init(_ text: String, _ mirror: MirrorMode?, _ random: inout SplitMix64) {
    guard let name = try? RoomName(text) else { preconditionFailure("our own names are good") }
    self.name = name
    self.mirror = mirror
    pad = Self.pad(&random)
    minimumNodes = random.roll(2...4)
    let (pad, nodes) = (pad, minimumNodes...minimumNodes + 2)
    let walks = (0..<5).map { _ in
      Self.walk(over: pad.grid, random.roll(nodes), &random)
    }
    habits = walks
    secrets = walks.prefix(random.roll(1...2)).map { Self.code(of: $0, on: pad) }
  }

  private static func pad(_ random: inout SplitMix64) -> Pad {
    guard let wide = try? Grid(columns: 4, rows: 3) else { preconditionFailure("4 × 3 is a grid") }
    return random.pick([
      Preset.android.pad(), Preset.android.pad(wide), Preset.saScreenLock.pad(),
      Preset.gestureLock.pad(),
    ])
  }

  /// Nodes one beside the other, so that no line between two passes a third.
  private static func walk(
    over grid: Grid, _ length: Int, _ random: inout SplitMix64
  ) -> [NodeIndex] {
    var nodes = [NodeIndex(random.roll(0...grid.nodeCount - 1))]
    while nodes.count < length, let last = nodes.last {
      let free = (0..<NodeIndex(grid.nodeCount)).filter { node in
        !nodes.contains(node)
          && abs(grid.column(of: node) - grid.column(of: last)) <= 1
          && abs(grid.row(of: node) - grid.row(of: last)) <= 1
      }
      guard !free.isEmpty else { break }
      nodes.append(random.pick(free))
    }
    return nodes
  }

  private static func code(of nodes: [NodeIndex], on pad: Pad) -> [NodeIndex] {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    let samples = nodes.map { Sample(elapsed: 1, position: pad.centre(of: $0)) }
    tracker.handle(.tap, samples + samples.suffix(1), into: &steps)
    return tracker.path.nodes
  }
}

extension Pad {
  /// Where a node is.
  func centre(of node: NodeIndex) -> Point {
    Point(
      x: Int16(geometry.columnCentres[grid.column(of: node)]),
      y: Int16(geometry.rowCentres[grid.row(of: node)]))
  }
}

/// Somebody who comes to a room, and by which kind of network.
struct Person {
  let room: RoomName
  var role = Role.viewer
  let name: MemberName?
  let format: WireFormat
  let acknowledges: Bool
  let maxRate: Int?
  let bucket: BucketKey
  /// The address, as limits know it.
  let origin: UInt64
  /// From one end to the other.
  let latency: ClosedRange<Int>
  /// What the sockets' buffers hold, in bytes.
  let capacity: Int
  /// How long it takes to read what came.
  let readingTime: ClosedRange<Int>

  init(in room: RoomPlan, place: Int, _ limits: Limits, _ random: inout SplitMix64) {
    self.room = room.name
    // In every room somebody draws and somebody looks on.
    switch place {
    case 0: role = .controller
    case 1: role = room.mirror == nil ? .viewer : .actuator
    default:
      role = random.pick([.controller, .controller, .viewer, .viewer, .actuator, .admin])
    }
    name = random.once(in: 3) ? nil : try? MemberName("somebody \(place)")
    format = random.once(in: 5) ? .json : .binary
    acknowledges = random.once(in: 2)
    maxRate = random.pick([nil, nil, 1, 10, 240])
    bucket = BucketKey(random.pick([0, 0, 0, 1]))
    origin = UInt64(random.roll(1...3))
    latency = random.pick([0...1, 5...40, 50...400])
    capacity = random.pick([300, 2_000, 65_536])
    readingTime = random.pick([0...0, 0...5, 20...200])
  }
}
