import PadModel
import Rooms
import Testing

@Suite("A room that is spread over loops")
struct SpreadTests {
  /// A room's kind, as test arguments name it.
  enum Kind: CaseIterable, CustomTestStringConvertible {
    case mirror, open, stealth

    var testDescription: String { "\(self)" }

    func settings() throws -> RoomSettings {
      switch self {
      case .mirror: board()
      case .open: try lock(.open)
      case .stealth: try lock(.stealth)
      }
    }
  }

  struct Play {
    var spread: SpreadWorld
    var random: SeededGenerator
    var nextKey: ConnectionKey = 1

    mutating func pick(_ fits: (SpreadWorld.Client) -> Bool = { _ in true }) -> ConnectionKey? {
      spread.clients.filter { !spread.gone.contains($0.key) && fits($0.value) }.keys.sorted()
        .randomElement(using: &random)
    }

    mutating func step() {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<6: join()
      case 6..<10: pick().map { spread.leave($0) }
      case 10..<13: comeBack()
      case 13..<45: draw()
      case 45..<50:
        if !spread.world.submitted.isEmpty { spread.happen { $0.judge(.rejected) } }
      case 50..<60: pick(\.acknowledges).map { acknowledge($0) }
      case 60..<75: spread.takeUp(Int.random(in: 1..<spread.loops.count, using: &random))
      case 75..<85: spread.hear(Int.random(in: 1..<spread.loops.count, using: &random))
      default: spread.pass(.microseconds(Int.random(in: 0...30_000, using: &random)))
      }
      // Several things may happen in one turn.
      if Bool.random(using: &random) { spread.endTurn() }
      expectWindows()
    }

    mutating func join(showing key: ResumeKey? = nil) {
      let role = [Role.controller, .viewer, .viewer, .actuator].randomElement(using: &random)
      let rate = Bool.random(using: &random) ? Int.random(in: 1...240, using: &random) : nil
      let connection = nextKey
      nextKey += 1
      spread.clients[connection] = SpreadWorld.Client(
        role: role ?? .viewer, rate: rate, acknowledges: Bool.random(using: &random))
      spread.happen { $0.join(connection, role ?? .viewer, showing: key) }
      // Gone while its joining is on its way.
      if Int.random(in: 0..<8, using: &random) == 0 { spread.leave(connection) }
    }

    /// Somebody connects again, perhaps on another loop, and shows the key of an older connection.
    mutating func comeBack() {
      guard let old = pick(), let key = spread.world.keys[old] else { return }
      join(showing: key)
    }

    /// A drawer goes on with its stroke, as if its samples had just reached home.
    mutating func draw() {
      guard let key = pick({ $0.role == .controller }) else { return }
      let stroke = StrokeNumber(1 + Int.random(in: 0..<2, using: &random))
      let nodes = (0..<9).map { NodeIndex($0) }.shuffled(using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<2: spread.happen { $0.press(key, stroke, [nodes[0]]) }
      case 2..<7: spread.happen { $0.move(key, stroke, Array(nodes.prefix(2))) }
      default: spread.happen { $0.release(key, stroke) }
      }
    }

    mutating func acknowledge(_ key: ConnectionKey) {
      guard let client = spread.clients[key], client.acknowledged < client.shown.count,
        let slot = spread.loops[spread.loop(of: key)].slots[key], let last = client.shown.last
      else { return }
      _ = spread.loops[spread.loop(of: key)].audience.acknowledge(
        slot, version: last.state.version, at: spread.world.now)
      spread.clients[key]?.acknowledged = client.shown.count
    }

    func expectWindows() {
      for client in spread.clients.values
      where client.acknowledges && client.shown.count - client.acknowledged > 32 {
        Issue.record("more than the window")
      }
    }

    /// Everything arrives, everybody acknowledges, time passes.
    mutating func converge() {
      for _ in 0..<3 {
        spread.settle()
        for key in spread.clients.keys.sorted() { acknowledge(key) }
        spread.pass(.seconds(2))
      }
      spread.settle()
    }
  }

  @Test(
    "shows everybody the newest state in the end, by its own rate and window, and keeps its books",
    arguments: Kind.allCases, [2, 3])
  func random(kind: Kind, loops: Int) throws {
    for seed in 1...12 {
      var play = Play(
        spread: SpreadWorld(try kind.settings(), loops: loops, isStealth: kind == .stealth),
        random: SeededGenerator(seed: UInt64(seed)))
      for _ in 0..<12 { play.join() }
      for _ in 0..<800 { play.step() }
      play.converge()
      expectConverged(play.spread)
      expectRates(play.spread)
      for key in play.spread.clients.keys.sorted() { play.spread.leave(key) }
      play.converge()
      expectEmpty(play.spread)
    }
  }

  private func expectConverged(_ spread: SpreadWorld) {
    for (key, client) in spread.clients where !spread.gone.contains(key) && client.role.mayWatch {
      let projection = spread.world.room.projection(of: key)
      #expect(client.projection == projection)
      #expect(client.shown.last?.state == spread.world.room.state(projection))
    }
    #expect(spread.loops.allSatisfy { $0.audience.counters.pending == 0 })
    let here = spread.clients.keys.filter { !spread.gone.contains($0) }
    #expect(spread.world.room.counts.members == here.count)
    for index in spread.outposts.indices.dropFirst() {
      #expect(
        spread.outposts[index].memberCount == here.filter { spread.loop(of: $0) == index }.count)
    }
  }

  private func expectRates(_ spread: SpreadWorld) {
    for client in spread.clients.values {
      // Never an older one of the same projection after a newer.
      for (one, next) in zip(client.shown, client.shown.dropFirst())
      where one.state.hidesPath == next.state.hidesPath {
        if Int32(bitPattern: next.state.version &- one.state.version) < 0 {
          Issue.record("an older state")
        }
      }
      guard let rate = client.rate else { continue }
      // The welcome is no frame, and whoever is closed gets the last state whatever its rate.
      for (one, next) in zip(client.shown.dropFirst(), client.shown.dropFirst(2).dropLast()) {
        if next.at - one.at < .nanoseconds(1_000_000_000 / rate) { Issue.record("too fast") }
      }
    }
  }

  /// Nobody and nothing stays, and no state of what nobody sees.
  private func expectEmpty(_ spread: SpreadWorld) {
    #expect(spread.world.room.counts.members == 0)
    #expect(spread.outposts.allSatisfy { $0.memberCount == 0 })
    #expect(spread.loops.allSatisfy { $0.audience.count == 0 && $0.told.isEmpty })
    #expect(spread.loops.allSatisfy { $0.audience.counters.pending == 0 })
  }

  @Test("offers each member each change exactly once, however parcels gather on their way")
  func offers() {
    var spread = SpreadWorld(board(), loops: 3)
    var random = SeededGenerator(seed: 7)
    for key in ConnectionKey(1)...12 {
      spread.clients[key] = SpreadWorld.Client(
        role: key == 1 ? .controller : .viewer, acknowledges: key.isMultiple(of: 5))
      spread.happen { $0.join(key, key == 1 ? .controller : .viewer) }
    }
    spread.settle()
    let before = spread.world.room.version(.open)
    spread.happen { $0.press(1) }
    for step in 0..<400 {
      spread.happen { $0.move(1, 1, [NodeIndex(step % 9)]) }
      if Bool.random(using: &random) { spread.endTurn() }
      if Int.random(in: 0..<5, using: &random) == 0 { spread.takeUp(1) }
      if Int.random(in: 0..<50, using: &random) == 0 { spread.takeUp(2) }
      spread.pass(.milliseconds(1))
    }
    spread.settle()
    let changes = Int(spread.world.room.version(.open) - before)
    #expect(changes > 300)
    let offered = spread.loops.map(\.audience.counters.offered)
    #expect(offered == Array(repeating: 4 * changes, count: 3))
  }

  @Test("tells a verdict to the drawer's loop alone, wherever it came back")
  func verdict() throws {
    var spread = SpreadWorld(try lock(.stealth), loops: 2, isStealth: true)
    for (key, role) in [(1, Role.controller), (2, .viewer), (3, .viewer)] {
      spread.clients[ConnectionKey(key)] = SpreadWorld.Client(role: role, acknowledges: false)
      spread.happen { $0.join(ConnectionKey(key), role) }
    }
    spread.settle()
    spread.happen { $0.draw(1) }
    spread.settle()
    // It draws on loop 1 and comes back on loop 0, its home, before the verdict.
    let resume = try #require(spread.world.keys[1])
    spread.clients[4] = SpreadWorld.Client(role: .controller, acknowledges: false)
    spread.happen { $0.join(4, .controller, showing: resume) }
    spread.settle()
    #expect(spread.gone == [1])
    spread.happen { $0.judge(.rejected, failures: 1) }
    spread.settle()
    #expect(spread.clients.mapValues(\.verdicts) == [1: 0, 2: 0, 3: 0, 4: 1])
    for key in ConnectionKey(2)...4 {
      #expect(spread.clients[key]?.shown.allSatisfy { $0.state.path.isEmpty } == true)
    }
    #expect(spread.clients[1]?.shown.contains { !$0.state.path.isEmpty } == true)
  }
}
