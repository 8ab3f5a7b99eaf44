import PadModel
import Rooms
import Testing

/// What rooms take from each role and what they tell it, held against the table of rights.
@Suite("A role in a room")
struct RoleRightTests {
  private static let kinds = ClientMessage.Kind.allCases.filter {
    // These never come to a room: who may say them is the server's to see.
    ![.hello, .acknowledge, .enrol].contains($0)
  }

  /// A room with one member of each role, numbered by its place in `allCases`.
  private func world(_ settings: RoomSettings) -> RoomWorld {
    var world = RoomWorld(settings)
    for (index, role) in Role.allCases.enumerated() { world.join(ConnectionKey(index + 1), role) }
    return world
  }

  private func say(_ kind: ClientMessage.Kind, _ world: inout RoomWorld, _ connection: UInt64) {
    let random = Random128(high: 1, low: 2)
    switch kind {
    case .samples: world.press(connection)
    case .penRequest: world.handle(.penCommanded(connection, .request))
    case .penRelease: world.handle(.penCommanded(connection, .release))
    case .penGive: world.handle(.penCommanded(connection, .give(MemberID(1))))
    case .penTake: world.handle(.penCommanded(connection, .take))
    case .claimGrant:
      world.handle(.grantClaimed(connection, GrantClaim(id: random, nonce: random)))
    case .hello, .acknowledge, .enrol: Issue.record("never comes to a room")
    }
  }

  /// Whether the last call told the connection that it may not do that.
  private func isDenied(_ world: RoomWorld, _ connection: UInt64) -> Bool {
    world.actions.contains { action in
      guard case .tell(connection, .error(let failure)) = action else { return false }
      return [
        "only controllers may draw", "your role may not do that with the pen",
        "only actuators may claim grants",
      ].contains(failure.message)
    }
  }

  private var rooms: [RoomSettings] {
    get throws { [board(), try lock(.open), try lock(.stealth)] }
  }

  @Test("is refused what its role may not say, and nothing changes by it")
  func sending() throws {
    for settings in try rooms {
      for (index, role) in Role.allCases.enumerated() {
        for kind in Self.kinds {
          var world = world(settings)
          let before = (world.room.state(.open), world.room.penStatus)
          say(kind, &world, UInt64(index + 1))
          let text = "\(role) says \(kind) in \(settings.name)"
          #expect(isDenied(world, UInt64(index + 1)) == !role.maySend(kind), "\(text)")
          guard !role.maySend(kind) else { continue }
          #expect(world.actions.count == 1, "\(text)")
          #expect((world.room.state(.open), world.room.penStatus) == before, "\(text)")
        }
      }
    }
  }

  @Test("hears only what its role may, whatever happens and whoever it was before")
  func receiving() throws {
    for settings in try rooms {
      for seed in 0..<40 as Range<UInt64> {
        var random = SeededGenerator(seed: seed)
        var world = world(settings)
        var roles = Dictionary(
          uniqueKeysWithValues: Role.allCases.enumerated().map { (UInt64($0 + 1), $1) })
        for step in 0..<120 as Range<UInt64> {
          happen(step, &world, &roles, &random)
          for action in world.unperformed { check(action, roles) }
          world.unperformed.removeAll()
        }
      }
    }
  }

  private func check(_ action: RoomAction, _ roles: [UInt64: Role]) {
    guard case .tell(let connection, let message) = action, let role = roles[connection] else {
      return
    }
    #expect(role.mayReceive(message.kind), "\(role) hears \(message.kind)")
  }

  /// Something happens: a stroke, a verdict, a grant, or somebody comes back as somebody else.
  private func happen(
    _ step: UInt64, _ world: inout RoomWorld, _ roles: inout [UInt64: Role],
    _ random: inout SeededGenerator
  ) {
    guard let connection = roles.keys.sorted().randomElement(using: &random) else { return }
    switch UInt64.random(in: 0..<8, using: &random) {
    case 0...2: world.draw(connection, UInt16(step + 1), [0, 1, 2, 5])
    case 3:
      guard !world.submitted.isEmpty else { return }
      world.judge(.accepted(grant: GrantID(high: 0, low: step)))
    case 4:
      guard !world.submitted.isEmpty else { return }
      world.judge(.rejected)
    case 5:
      // The same member by its key, as another role.
      guard let role = Role.allCases.randomElement(using: &random) else { return }
      let newer = 100 + step
      roles[newer] = role
      world.join(newer, role, showing: world.keys[connection])
      roles[connection] = nil
    case 6: say(Self.kinds.randomElement(using: &random) ?? .penTake, &world, connection)
    default: world.pass(.seconds(1))
    }
  }
}
