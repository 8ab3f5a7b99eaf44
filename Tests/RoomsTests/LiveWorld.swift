import PadModel
import Rooms
import Testing

/// A room with its audience, wired as the server wires them, and what each member has been shown.
struct LiveWorld {
  var world: RoomWorld
  var audience: Audience
  var slots: [ConnectionKey: Audience.Slot] = [:]
  var roles: [ConnectionKey: Role] = [:]
  /// Connections that the room has as members.
  private(set) var present: Set<ConnectionKey> = []
  /// Every state that a member got, its welcome's first.
  var seen: [ConnectionKey: [RoomState]] = [:]
  /// All that was asked for, in sentences.
  var said: [String] = []

  init(_ settings: RoomSettings) {
    world = RoomWorld(settings)
    audience = Audience(limits: settings.limits)
  }

  /// Runs `change` as a turn of the loop.
  mutating func turn(_ change: (inout RoomWorld) -> [String]) {
    said += change(&world)
    perform()
    collect()
  }

  mutating func join(
    _ connection: ConnectionKey, _ role: Role, acknowledges: Bool = false,
    showing key: ResumeKey? = nil
  ) {
    roles[connection] = role
    said += world.join(connection, role, name: "n\(connection)", showing: key)
    perform(acknowledges: acknowledges)
    collect()
  }

  mutating func leave(_ connection: ConnectionKey) {
    present.remove(connection)
    if let slot = slots.removeValue(forKey: connection) { audience.remove(slot) }
    turn { $0.handle(.left(connection)) }
  }

  /// Lets time pass and delivers all wakes, the room's and the audience's, when they are due.
  mutating func pass(_ time: Duration) {
    let end = world.now + time
    while let due = [world.wake, audience.nextDue].compactMap({ $0 }).min(), due <= end {
      world.now = max(world.now, due)
      if let wake = world.wake, wake <= world.now {
        world.wake = nil
        said += world.handle(.timeCame)
        perform()
      }
      collect()
    }
    world.now = end
  }

  private mutating func perform(acknowledges: Bool = false) {
    defer { world.unperformed.removeAll(keepingCapacity: true) }
    for action in world.unperformed {
      switch action {
      case .admit(let connection, _, _): admit(connection, acknowledges)
      case .close(let connection, _):
        present.remove(connection)
        if let slot = slots.removeValue(forKey: connection) { audience.remove(slot) }
      case .projectionChanged(let projection):
        audience.changed(projection, version: world.room.version(projection), at: world.now)
      case .setProjection(let connection, let projection):
        if let slot = slots[connection] {
          audience.setProjection(slot, projection, at: world.now)
        }
      default: break
      }
    }
  }

  private mutating func admit(_ connection: ConnectionKey, _ acknowledges: Bool) {
    present.insert(connection)
    guard let role = roles[connection], role.mayWatch else { return }
    let projection = world.room.projection(of: connection)
    seen[connection] = [world.room.state(projection)]
    slots[connection] = audience.add(
      key: connection, projection: projection, format: .binary, acknowledges: acknowledges,
      at: world.now)
  }

  private mutating func collect() {
    let room = world.room
    var frames: [(ConnectionKey, RoomState)] = []
    audience.collect(at: world.now) { key, projection, _ in
      frames.append((key, room.state(projection)))
      return true
    }
    for (key, state) in frames { seen[key, default: []].append(state) }
    let keys = frames.map(\.0)
    #expect(Set(keys).count == keys.count, "one frame a member and turn at most")
  }
}
