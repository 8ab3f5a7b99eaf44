import PadModel
import Rooms
import Wire

/// One connection, from both ends.
final class Connection {
  /// How far it has come, as the server sees it.
  enum Stage {
    case greeting
    case joining(Hello)
    case member(Host, MemberID, Audience.Slot?)
    /// Closed, or known to be lost.
    case gone
  }

  let key: ConnectionKey
  let client: Client
  /// How long a state may wait for it.
  let mostLag: Duration
  var up = Pipe<Upward>()
  var down = Pipe<Downward>()
  /// Nothing passes any more, though the server may not know it.
  var isCut = false
  /// The client reads nothing until then.
  var stalledUntil = Instant.zero
  /// Whether the client will look at what came.
  var isReadingPlanned = false

  var stage = Stage.greeting
  /// When it became a member, and whether its room was a stealth room.
  var joinedAt = Instant.zero
  var isInStealth = false
  var server = ServerEnd()
  var view = View()

  init(_ key: ConnectionKey, of client: Client, mostLag: Duration) {
    self.key = key
    self.mostLag = mostLag
    self.client = client
  }

  var person: Person { client.person }

  /// The room that it is a member of.
  var host: Host? { if case .member(let host, _, _) = stage { host } else { nil } }

  var slot: Audience.Slot? { if case .member(_, _, let slot) = stage { slot } else { nil } }

  var isGone: Bool { if case .gone = stage { true } else { false } }
}

/// What the server keeps of a connection, and what its audience is checked against.
struct ServerEnd {
  var messagesBeforeHello = 0
  var owesMembers = false, owesPen = false
  /// Whether the socket took no more and has not said that it does again.
  var isBlocked = false
  /// What was sent last.
  var projection = Projection.open
  var version: UInt32 = 0
  /// Versions that were sent and not acknowledged.
  var unacknowledged: [UInt32] = []
  var strays = 0
  /// Since when the newest state could have been sent and was not.
  var lagsSince: Instant?
  /// When it could last take no state.
  var readySince = Instant.zero
  var lastStateAt: Instant?
  var lastTurn = 0
  /// Verdicts, offers and grants: what must not be lost.
  var records = 0
}

/// What a client has been shown on one connection.
struct View {
  var decoder = ServerMessageDecoder()
  var welcome: Welcome?
  var state: RoomState?
  /// The newest version of each projection.
  var versions: [Projection: UInt32] = [:]
  var pen: PenStatus?
  var members: Members?
  /// Strokes whose verdict was heard here.
  var judged: Set<StrokeNumber> = []
  var records = 0
  /// All that were offered, and those that it may still claim.
  var offered: Set<GrantID> = [], offers: Set<GrantID> = []
  var nonces: [GrantID: GrantNonce] = [:]
  /// States since the last acknowledgement, and the version to be acknowledged.
  var unacknowledged = 0
  var isAcknowledgementPlanned = false
}

/// Somebody who comes, draws or looks on, loses the connection and comes back.
final class Client {
  let number: Int
  let person: Person
  var connection: Connection?
  var resume: ResumeKey?
  /// The stroke that is being drawn, or the last one.
  var stroke: StrokeNumber
  var isDrawing = false
  /// Nodes that the stroke is still to reach.
  var ahead: [NodeIndex] = []
  /// All strokes that were ever pressed.
  var pressed: Set<StrokeNumber> = []
  /// The last code, so that it can be drawn again.
  var last: [NodeIndex] = []

  /// Strokes of one client; no other has the same, so that a verdict that goes astray is seen.
  static let strokes = 2_000

  init(_ number: Int, _ person: Person) {
    self.number = number
    self.person = person
    stroke = StrokeNumber(1 + number * Self.strokes)
  }

  /// The number of the next stroke.
  func nextStroke() -> StrokeNumber {
    let first = 1 + number * Self.strokes
    stroke = StrokeNumber(first + (Int(stroke) - first + 1) % Self.strokes)
    pressed.insert(stroke)
    return stroke
  }
}
