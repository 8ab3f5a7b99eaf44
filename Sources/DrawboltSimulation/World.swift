import PadModel
import Rooms
import Wire

/// What is to happen in a world.
enum WorldEvent {
  /// A client does something, or nothing.
  case act(Int)
  /// A client connects.
  case connect(Int)
  /// Bytes of a connection are at the server.
  case arrive(ConnectionKey)
  /// A client looks at what came.
  case read(ConnectionKey)
  /// A client acknowledges what it has shown, since nothing new came for a while.
  case acknowledge(ConnectionKey)
  /// A socket takes bytes again.
  case writable(ConnectionKey)
  /// The server knows that a connection is lost.
  case lost(ConnectionKey)
  /// The lock that somebody wants to join was read.
  case lockRead(ConnectionKey)
  /// A room's time.
  case wake(Int)
  /// A step of an attempt.
  case vault(Int)
  /// A claim was written down, or not.
  case claimed(Int, GrantClaim, MemberID)
  /// The network, or an administrator, does something.
  case fault
}

/// A seeded world: people, their networks, and a server made of the real rooms and the real protocol.
///
/// All time is virtual and all chance comes from the seed, so the same seed is the same world. Its
/// parts are in `World+….swift`, by subject.
final class World {
  var random: SplitMix64
  var planted: Planted
  var now = Instant.zero + .seconds(1000)
  var timeline = Timeline<WorldEvent>()
  var log = EventLog()
  var tally = Tally()
  var plan: Plan
  var clients: [Client] = []
  /// Gone through as ``allConnections`` only, so that its own order plays no part.
  var connections: [ConnectionKey: Connection] = [:]
  var lastConnection: ConnectionKey = 0
  var hosts: [Host] = []
  var roomsOpened = 0
  var vault: ModelVault
  let decoder: ClientMessageDecoder
  /// `Limits.pingAfter` in nanoseconds.
  let pingAfter: Int64
  /// Rooms that the end of the turn must look at.
  var touched: [Host] = []
  /// Grants that reached an actuator.
  var grantsTaken: Set<GrantID> = []
  /// What a planted bug keeps to do harm with.
  var keptOffer: (room: Int, id: GrantID)?
  /// No client acts and no fault comes.
  var isQuiet = false
  var isDraining = false
  var violation: Violation?
  /// Counts the turns of the server's loop.
  var turn = 0
  private var stepsNow = 0

  init(seed: UInt64, planting bug: PlantedBug?) {
    random = SplitMix64(seed: seed)
    planted = Planted(bug, seed: seed)
    plan = Plan(&random)
    vault = ModelVault(plan)
    decoder = ClientMessageDecoder(limits: plan.limits)
    pingAfter = plan.limits.pingAfter.nanosecondsClamped
    clients = plan.people.enumerated().map { Client($0.offset, $0.element) }
    for client in clients {
      plan(.connect(client.number), in: random.milliseconds(0...500))
      plan(.act(client.number), in: random.milliseconds(0...1000))
    }
    plan(.fault, in: random.milliseconds(100...2000))
  }

  var limits: Limits { plan.limits }

  func plan(_ event: WorldEvent, in pause: Duration) { timeline.add(event, at: now + pause) }

  func note(_ what: Happening, _ who: UInt64, size: Int = 0) {
    log.note(what, who, size: size, at: now)
  }

  /// Notes the first thing that went wrong.
  func violated(_ invariant: Invariant, _ detail: String) {
    if violation == nil { violation = Violation(invariant, detail) }
  }

  /// Runs a check that throws what went wrong.
  func holds(_ check: () throws(Violation) -> Void) {
    do throws(Violation) {
      try check()
    } catch {
      if violation == nil { violation = error }
    }
  }

  /// Takes the next event, and checks all that must be true after it.
  func step() {
    guard let (at, event) = timeline.popFirst() else { return }
    stepsNow = at > now ? 0 : stepsNow + 1
    if stepsNow > 5_000 { violated(.progress, "\(stepsNow) steps at one moment") }
    now = max(now, at)
    take(event)
    if timeline.next ?? .distantFuture > now { endTurn() }
    checkStep()
  }

  private func take(_ event: WorldEvent) {
    switch event {
    case .act(let client): act(clients[client])
    case .connect(let client): connect(clients[client])
    case .arrive(let key): if let connection = connections[key] { arrive(connection) }
    case .read(let key): if let connection = connections[key] { read(connection) }
    case .acknowledge(let key):
      if let connection = connections[key] { acknowledgeLate(connection) }
    case .writable(let key): if let connection = connections[key] { becameWritable(connection) }
    case .lost(let key): if let connection = connections[key] { lost(connection) }
    case .lockRead(let key): if let connection = connections[key] { lockRead(connection) }
    case .wake(let room): wake(room)
    case .vault(let job): goOn(job)
    case .claimed(let room, let claim, let member): claimed(room, claim, member)
    case .fault: fault()
    }
  }

  /// In the order of their making.
  var allConnections: [Connection] { connections.values.sorted { $0.key < $1.key } }

  func host(_ number: Int) -> Host? { hosts.first { $0.number == number } }
}

/// What happened in a world, so that one in which little does is seen.
public struct Tally: Equatable, Sendable {
  /// Connections that were made.
  public var connections = 0
  /// Of these the ones that showed a resume key.
  public var returns = 0
  /// Connections that broke.
  public var breaks = 0
  /// States that sockets took.
  public var states = 0
  /// Times that a socket took no more.
  public var blocked = 0
  /// Strokes with enough nodes that were released.
  public var released = 0
  /// Attempts that were counted.
  public var reserved = 0
  /// Verdicts that clients heard, by outcome.
  public var verdicts: [String: Int] = [:]
  /// Grants that opened.
  public var grants = 0
  /// Rooms that were forgotten.
  public var roomsDropped = 0
  /// Connections that the server closed, by reason.
  public var closes: [String: Int] = [:]

  /// Adds another world's.
  public static func += (sum: inout Tally, other: Tally) {
    sum.connections += other.connections
    sum.returns += other.returns
    sum.breaks += other.breaks
    sum.states += other.states
    sum.blocked += other.blocked
    sum.released += other.released
    sum.reserved += other.reserved
    sum.verdicts.merge(other.verdicts, uniquingKeysWith: +)
    sum.grants += other.grants
    sum.roomsDropped += other.roomsDropped
    sum.closes.merge(other.closes, uniquingKeysWith: +)
  }
}
