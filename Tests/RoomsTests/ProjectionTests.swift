import PadModel
import Rooms
import Testing

/// How the stroke of the exhaustive test ends.
enum StrokeEnd: CaseIterable, Sendable {
  case accepted, rejected, unavailable, lockedOut, tooShort, cancelled

  var judgement: Judgement? {
    switch self {
    case .accepted: .accepted(grant: nil)
    case .rejected: .rejected
    case .unavailable: .unavailable
    case .lockedOut: .lockedOut
    case .tooShort, .cancelled: nil
    }
  }

  /// The phase that an open room shows at the end.
  var phase: Phase {
    switch self {
    case .accepted: .accepted
    case .rejected: .rejected
    case .unavailable, .lockedOut: .unavailable
    case .tooShort: .tooShort
    case .cancelled: .cancelled
    }
  }

  /// Whether those who did not draw hear of it in a stealth room.
  var isNotice: Bool { self == .accepted || self == .rejected || self == .unavailable }
}

/// When somebody joined; the raw value counts the steps of the stroke that had happened.
enum Joined: Int, CaseIterable, Sendable {
  case before, afterPress, afterMove, afterRelease, afterEnd, afterClearing
}

@Suite("What may be seen")
struct ProjectionTests {
  /// The pointer positions of the stroke: on nodes 0, 1 and then 2, 5.
  let nodes: [NodeIndex] = [0, 1, 2, 5]

  /// Plays one stroke of connection 1 and has everybody join at every moment.
  ///
  /// Connection 100·(moment + 1) + n has the n-th role.
  func play(_ mirror: MirrorMode, _ end: StrokeEnd, drawer: Role) throws -> LiveWorld {
    var live = LiveWorld(try lock(mirror, minimum: end == .tooShort ? 5 : 4))
    live.join(1, drawer)
    func joinAll(_ moment: Joined) {
      for (index, role) in Role.allCases.enumerated() {
        live.join(UInt64(100 * (moment.rawValue + 1) + index), role)
      }
      // Let the turns of the room be over, so that each step is its own frame.
      live.pass(.milliseconds(10))
    }
    joinAll(.before)
    live.turn { $0.press(1, 7, [0, 1]) }
    joinAll(.afterPress)
    live.turn { $0.move(1, 7, [2, 5]) }
    joinAll(.afterMove)
    live.turn { end == .cancelled ? $0.send(1, .cancel, 7) : $0.release(1, 7) }
    joinAll(.afterRelease)
    if let judgement = end.judgement { live.turn { $0.judge(judgement) } }
    joinAll(.afterEnd)
    live.pass(.seconds(4))
    joinAll(.afterClearing)
    return live
  }

  /// The open projection after each step: what an open room shows to all.
  func open(_ end: StrokeEnd, _ world: RoomWorld) -> [RoomState] {
    func state(_ version: UInt32, _ phase: Phase, _ count: Int) -> RoomState {
      RoomState(
        version: version, phase: phase, stroke: 7, path: Array(nodes.prefix(count)),
        pointer: world.at(nodes[count - 1]), showsTail: phase == .drawing)
    }
    let cancelled = RoomState(version: 3, phase: .cancelled, stroke: 7)
    let ended = end == .cancelled ? cancelled : state(3, .tooShort, 4)
    let hasVerdict = end.judgement != nil
    return [
      RoomState(version: 0, phase: .idle), state(1, .drawing, 2), state(2, .drawing, 4),
      hasVerdict ? state(3, .checking, 4) : ended,
      hasVerdict ? state(4, end.phase, 4) : ended,
      RoomState(version: hasVerdict ? 5 : 4, phase: .idle),
    ]
  }

  /// The stealth projection after each step: the same for all who did not draw.
  func stealth(_ end: StrokeEnd) -> [RoomState] {
    let nothing = RoomState(version: 0, phase: .idle, hidesPath: true)
    let quiet = [RoomState](repeating: nothing, count: 6)
    guard end.isNotice else { return quiet }
    return quiet.prefix(4) + [
      RoomState(version: 1, phase: end.phase, hidesPath: true),
      RoomState(version: 2, phase: .idle, hidesPath: true),
    ]
  }

  /// What the drawer of a stealth room sees: its own stroke from press to verdict.
  func drawer(_ end: StrokeEnd, _ world: RoomWorld) -> [RoomState] {
    let (open, stealth) = (open(end, world), stealth(end))
    let own =
      switch end {
      case .accepted, .rejected, .unavailable, .lockedOut: 1...3
      case .tooShort: 1...2
      case .cancelled: 1...4
      }
    return open.indices.map { own.contains($0) ? open[$0] : stealth[$0] }
  }

  func withoutRepeats(_ states: some Sequence<RoomState>) -> [RoomState] {
    states.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test(
    "each role, joined at each moment, sees exactly this and no more",
    arguments: MirrorMode.allCases, StrokeEnd.allCases)
  func exhaustive(mirror: MirrorMode, end: StrokeEnd) throws {
    for drawerRole in [Role.controller, .admin] {
      let live = try play(mirror, end, drawer: drawerRole)
      let all = mirror == .open ? open(end, live.world) : stealth(end)
      let own = mirror == .open ? all : drawer(end, live.world)
      #expect(live.seen[1] == withoutRepeats(own))
      for moment in Joined.allCases {
        for (index, role) in Role.allCases.enumerated() {
          let seen = live.seen[UInt64(100 * (moment.rawValue + 1) + index)]
          let expected = withoutRepeats(all[moment.rawValue...])
          #expect(seen == (role.mayWatch ? expected : nil), "\(role) joined \(moment)")
        }
      }
    }
  }

  @Test("verdicts are told to the drawer alone", arguments: MirrorMode.allCases, StrokeEnd.allCases)
  func verdictsArePrivate(mirror: MirrorMode, end: StrokeEnd) throws {
    let live = try play(mirror, end, drawer: .controller)
    let told = live.said.filter { $0.contains(" hears ") }
    #expect(told == (end == .cancelled ? [] : ["c1 hears \(end) 7"]))
  }

  @Test("a stealth room says nothing of its pen and its names", arguments: StrokeEnd.allCases)
  func noPen(end: StrokeEnd) throws {
    let live = try play(.stealth, end, drawer: .controller)
    #expect(!live.said.contains { $0.hasPrefix("pen") })
    #expect(live.world.room.members.controllers.allSatisfy { $0.name == nil })
    #expect(live.world.room.members.controllers.count == 13)
    let open = try play(.open, end, drawer: .controller)
    #expect(open.said.count { $0 == "pen" } == 2)
    #expect(open.world.room.members.controllers.allSatisfy { $0.name != nil })
  }

  @Test("a stealth room forgets the path at the end of the stroke, an open one after showing it")
  func forgets() throws {
    for end in StrokeEnd.allCases {
      var world = RoomWorld(try lock(.stealth, minimum: end == .tooShort ? 5 : 4))
      world.join(1)
      world.press(1, 7, nodes)
      #expect(world.room.remembersStroke)
      if end == .cancelled { world.send(1, .cancel, 7) } else { world.release(1, 7) }
      if let judgement = end.judgement { world.judge(judgement) }
      #expect(!world.room.remembersStroke)
      #expect(try !play(.open, end, drawer: .controller).world.room.remembersStroke)
    }
  }

  @Test("when another draws during checking, the first drawer sees nothing of it")
  func nextDrawer() throws {
    var live = LiveWorld(try lock(.stealth))
    live.join(1, .controller)
    live.join(2, .controller)
    live.pass(.seconds(2))
    live.turn { $0.press(1, 1, [0, 1, 2, 5]) }
    live.turn { $0.release(1, 1) }
    live.pass(.milliseconds(10))
    live.turn { $0.press(2, 3, [8]) }
    let hidden = RoomState(version: 0, phase: .idle, hidesPath: true)
    #expect(live.seen[1]?.last == hidden)
    #expect(live.seen[2]?.last?.path == [8])
    live.pass(.milliseconds(10))
    live.turn { $0.judge(.accepted(grant: nil)) }
    // The notice of the first stroke says nothing of the second, which goes on.
    #expect(live.seen[1]?.last == RoomState(version: 1, phase: .accepted, hidesPath: true))
    #expect(live.seen[2]?.last?.path == [8])
    #expect(live.world.phase == .drawing)
    live.pass(.seconds(3))
    #expect(live.seen[1]?.last == RoomState(version: 2, phase: .idle, hidesPath: true))
    #expect(live.seen[2]?.last?.phase == .drawing)
  }

  @Test("a press during the notice shows nobody anything and does not keep the notice")
  func pressDuringNotice() throws {
    var live = LiveWorld(try lock(.stealth))
    live.join(1, .controller)
    live.join(2, .viewer)
    live.turn { $0.draw(1) }
    live.turn { $0.judge(.rejected) }
    live.pass(.seconds(1))
    let before = live.seen[2]
    live.turn { $0.press(1, 2, [3]) }
    live.pass(.milliseconds(1_900))
    #expect(live.seen[2] == before)
    live.pass(.milliseconds(100))
    #expect(live.seen[2]?.last == RoomState(version: 2, phase: .idle, hidesPath: true))
    #expect(live.seen[1]?.last?.path == [3])
  }

  @Test("a resumed connection is not the one that drew, so it does not see the stroke")
  func resumedDrawer() throws {
    var live = LiveWorld(try lock(.stealth))
    live.join(1, .controller)
    let key = try #require(live.world.keys[1])
    live.turn { $0.draw(1) }
    live.join(2, .controller, showing: key)
    #expect(live.seen[2] == [RoomState(version: 0, phase: .idle, hidesPath: true)])
    #expect(live.world.room.projection(of: 2) == .stealth)
    #expect(live.world.room.projection(of: 1) == .stealth)
  }
}
