import PadModel
import Rooms
import Testing

@Suite("Any room")
struct RoomModelTests {
  /// A room with its audience, and what must be true of it after every step.
  struct World {
    var live: LiveWorld
    var random: SeededGenerator
    var nextKey: ConnectionKey = 1
    var present: [ConnectionKey] = []
    var offered: [GrantID] = []
    var claimed: [(GrantClaim, MemberID)] = []
    var grants: UInt64 = 0
    var before: [RoomState] = []

    init(_ settings: RoomSettings, seed: Int) {
      live = LiveWorld(settings)
      random = SeededGenerator(seed: UInt64(seed))
      before = RoomProjection.allCases(of: live.world.room)
    }

    mutating func roll(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func anybody() -> ConnectionKey { present.randomElement(using: &random) ?? 0 }

    mutating func nodes() -> [NodeIndex] {
      (0..<roll(1..<6)).map { _ in NodeIndex(roll(0..<9)) }
    }

    mutating func step() {
      switch roll(0..<100) {
      case 0..<7: join()
      case 7..<11: leave()
      case 11..<30: samples(.press)
      case 30..<50: samples(.move)
      case 50..<62: samples(.release)
      case 62..<64: samples(.cancel)
      case 64..<66: samples(.tap)
      case 66..<73: pen()
      case 73..<74: play(.rateBroken(anybody()))
      case 74..<83: judge()
      case 83..<84: play(.bucketChanged(.strangers, .clean))
      case 84..<88: grant()
      default: pass(.milliseconds([1, 40, 700, 3_000, 11_000][roll(0..<5)]))
      }
      check()
    }

    mutating func join() {
      let role = [Role.controller, .controller, .viewer, .actuator, .admin][roll(0..<5)]
      let old = ConnectionKey(roll(1..<Int(nextKey) + 1))
      live.join(nextKey, role, showing: roll(0..<3) == 0 ? live.world.keys[old] : nil)
      present = live.present.sorted()
      nextKey += 1
    }

    mutating func leave() {
      let key = anybody()
      present.removeAll { $0 == key }
      live.leave(key)
    }

    mutating func samples(_ action: StrokeAction) {
      let (key, stroke) = (anybody(), StrokeNumber(roll(1..<3)))
      let points = action == .cancel ? [] : nodes().map(live.world.at)
      live.turn { $0.send(key, action, stroke, points) }
    }

    mutating func pen() {
      let member = MemberID(UInt32(roll(1..<20)))
      let command = [PenCommand.request, .release, .give(member), .take][roll(0..<4)]
      play(.penCommanded(anybody(), command))
    }

    mutating func judge() {
      guard !live.world.submitted.isEmpty else { return }
      grants += 1
      let id = GrantID(high: 9, low: grants)
      let judgement = [
        Judgement.accepted(grant: id), .accepted(grant: nil), .rejected, .lockedOut, .unavailable,
      ][roll(0..<5)]
      let wait = roll(0..<4) == 0 ? Duration.seconds(2) : nil
      live.turn { $0.judge(judgement, failures: 3, retryIn: wait) }
      offered.append(id)
    }

    mutating func grant() {
      if roll(0..<2) == 0, let id = offered.randomElement(using: &random) {
        let key = anybody()
        let claim = GrantClaim(id: id, nonce: GrantNonce(high: 1, low: 1))
        if let member = live.world.ids[key] { claimed.append((claim, member)) }
        return play(.grantClaimed(key, claim))
      }
      guard let (claim, member) = claimed.randomElement(using: &random),
        let lock = try? LockID("door")
      else { return }
      play(
        roll(0..<3) == 0
          ? .grantRefused(claim.id)
          : .grantSigned(
            Grant(
              id: claim.id, lock: lock, audience: member, nonce: claim.nonce, isDemo: false,
              keyID: 1)))
    }

    mutating func play(_ event: RoomEvent) { live.turn { $0.handle(event) } }

    mutating func pass(_ time: Duration) {
      live.pass(time)
      // Let turns that the room's rate holds back come.
      live.pass(.milliseconds(5))
    }

    mutating func check() {
      live.pass(.milliseconds(5))
      let room = live.world.room
      let states = RoomProjection.allCases(of: room)
      for (old, new) in zip(before, states) {
        if old.version == new.version, old != new { Issue.record("changed without a version") }
        if Int32(bitPattern: new.version &- old.version) < 0 { Issue.record("a version fell") }
      }
      before = states
      checkViews(room)
      checkPen(room)
      let all = live.audience.counters
      if all.offered != all.sent + all.coalesced + all.withheld + all.pending + all.departed {
        Issue.record("the books are wrong")
      }
      if room.counts.attempts > 5 || room.counts.members != present.count {
        Issue.record("counts are wrong")
      }
    }

    /// Everybody has the newest state of what it may see, and nobody else's path.
    func checkViews(_ room: Room) {
      for key in live.slots.keys {
        let projection = room.projection(of: key)
        if live.seen[key]?.last != room.state(projection) { Issue.record("not converged") }
        if projection == .stealth, live.seen[key]?.last?.path.isEmpty == false {
          Issue.record("a path where none may be seen")
        }
      }
    }

    func checkPen(_ room: Room) {
      guard case .board = room.settings.kind else {
        if room.counts.penQueue > 0 { Issue.record("a lock room has no queue") }
        return
      }
      let status = room.currentPen
      if status.holder == nil, status.waiting > 0 { Issue.record("free, and somebody waits") }
      if room.state(.open).phase == .drawing, status.holder == nil {
        Issue.record("a stroke without a pen")
      }
    }
  }

  @Test("keeps its promises whatever happens", arguments: 0..<30)
  func random(seed: Int) throws {
    let kinds = [board(), try lock(.open, minimum: 2), try lock(.stealth, minimum: 2)]
    var world = World(kinds[seed % 3], seed: seed)
    for _ in 0..<6 { world.join() }
    for _ in 0..<600 { world.step() }
    while let key = world.present.first {
      world.present.removeFirst()
      world.live.leave(key)
    }
    while !world.live.world.submitted.isEmpty { world.live.turn { $0.judge(.rejected) } }
    world.live.pass(.seconds(40))
    #expect(world.live.world.room.counts == RoomCounts(empty: ()))
    #expect(world.live.world.isDropped)
    #expect(world.live.audience.count == 0)
  }

  @Test("every submitted attempt of a present drawer is told exactly one verdict")
  func oneVerdictEach() throws {
    var world = World(try lock(.open, minimum: 2), seed: 99)
    for connection in 1...5 { world.live.join(ConnectionKey(connection), .controller) }
    var drawn = 0
    for round in 0..<400 {
      let key = ConnectionKey(world.roll(1..<6))
      let said = world.live.said.count
      world.live.turn { $0.draw(key, StrokeNumber(round % 7 + 1), [0, 4]) }
      if world.live.said[said...].contains("open changed") { drawn += 1 }
      if world.roll(0..<2) == 0, !world.live.world.submitted.isEmpty {
        world.live.turn { $0.judge(.rejected) }
      }
      world.live.pass(.milliseconds(world.roll(0..<2_000)))
    }
    world.live.pass(.seconds(6))
    while !world.live.world.submitted.isEmpty { world.live.turn { $0.judge(.rejected) } }
    let told = world.live.said.count { $0.contains(" hears ") }
    #expect(drawn == 400)
    #expect(told == drawn)
  }
}
