import PadModel
import Rooms
import Testing

@Suite("Any audience")
struct AudienceModelTests {
  /// What a member's client knows of itself.
  struct Client {
    var projection: Projection
    var rate: Int?
    var acknowledges: Bool
    /// Frames since the last change of projection, and how many of them it has acknowledged.
    var shown: [UInt32] = []
    var acknowledged = 0
    var counted = 0
  }

  struct World {
    var rig = AudienceRig()
    var clients: [ConnectionKey: Client] = [:]
    var random: SeededGenerator
    var nextKey: ConnectionKey = 1

    mutating func pick() -> ConnectionKey? { clients.keys.sorted().randomElement(using: &random) }

    mutating func step() {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<8: join()
      case 8..<12: pick().map { leave($0) }
      case 12..<50: rig.change(Bool.random(using: &random) ? .open : .stealth)
      case 50..<65: pick().map { acknowledge($0) }
      case 65..<70: if let key = pick() { rig.fullSockets.insert(key) }
      case 70..<76: if let key = rig.fullSockets.sorted().first { rig.drain(key) }
      case 76..<80: pick().map { switchProjection($0) }
      default: rig.pass(.microseconds(Int.random(in: 0...20_000, using: &random)))
      }
      rig.turn()
      takeFrames()
    }

    mutating func join() {
      let rate = Bool.random(using: &random) ? Int.random(in: 1...240, using: &random) : nil
      let client = Client(
        projection: Bool.random(using: &random) ? .open : .stealth, rate: rate,
        acknowledges: Bool.random(using: &random))
      clients[nextKey] = client
      rig.add(
        nextKey, client.projection, Bool.random(using: &random) ? .binary : .json, rate: rate,
        acknowledges: client.acknowledges)
      nextKey += 1
    }

    mutating func leave(_ key: ConnectionKey) {
      clients[key] = nil
      rig.remove(key)
      rig.fullSockets.remove(key)
    }

    mutating func acknowledge(_ key: ConnectionKey) {
      guard var client = clients[key], client.acknowledged < client.shown.count else { return }
      let place = Int.random(in: client.acknowledged..<client.shown.count, using: &random)
      rig.acknowledge(key, client.shown[place])
      // The newest frame of that version is what it frees, since a repeat has the same one.
      client.acknowledged = (client.shown.lastIndex(of: client.shown[place]) ?? place) + 1
      clients[key] = client
    }

    mutating func switchProjection(_ key: ConnectionKey) {
      guard var client = clients[key] else { return }
      client.projection = client.projection == .open ? .stealth : .open
      client.shown = []
      client.acknowledged = 0
      clients[key] = client
      rig.show(key, client.projection)
    }

    mutating func takeFrames() {
      for key in clients.keys {
        guard var client = clients[key], let frames = rig.frames[key] else { continue }
        guard frames.count > client.counted else { continue }
        for frame in frames[client.counted...] {
          if frame.projection != client.projection { Issue.record("another's projection") }
          client.shown.append(frame.version)
        }
        client.counted = frames.count
        if client.acknowledges, client.shown.count - client.acknowledged > 32 {
          Issue.record("more than the window")
        }
        clients[key] = client
      }
    }

    /// All sockets open, all acknowledged: everybody must have the newest.
    mutating func converge() {
      for key in rig.fullSockets { rig.drain(key) }
      for (key, client) in clients {
        if let last = client.shown.last { rig.acknowledge(key, last) }
        clients[key]?.acknowledged = client.shown.count
      }
      rig.turn()
      rig.pass(.seconds(2))
      takeFrames()
    }
  }

  @Test("keeps its window, its rates and its books, and all converge", arguments: 1...40)
  func random(seed: Int) {
    var world = World(random: SeededGenerator(seed: UInt64(seed)))
    for _ in 0..<20 { world.join() }
    for _ in 0..<1_500 { world.step() }
    world.converge()
    for (key, client) in world.clients {
      if let last = client.shown.last { #expect(last == world.rig.versions[client.projection]) }
      guard let rate = client.rate, let frames = world.rig.frames[key] else { continue }
      for (one, next) in zip(frames, frames.dropFirst()) {
        if next.at - one.at < .nanoseconds(1_000_000_000 / rate) { Issue.record("too fast") }
      }
    }
    #expect(world.rig.audience.counters.pending == 0)
    #expect(world.rig.audience.count == world.clients.count)
    for key in world.clients.keys { world.rig.remove(key) }
    #expect(world.rig.audience.counters.pending == 0)
    #expect(world.rig.audience.nextDue == nil)
  }
}
