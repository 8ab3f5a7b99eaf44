import PadModel
import Rooms
import Testing

/// A room under a virtual clock, whose actions come out as sentences.
struct RoomWorld {
  var room: Room
  var now = Instant.zero + .seconds(1000)
  /// The wake that is pending, as the server keeps it: the earliest wins.
  var wake: Instant?
  var isDropped = false
  /// Attempts that were submitted and not answered, oldest first.
  var submitted: [Attempt] = []
  /// Resume keys as they were told, by connection.
  var keys: [ConnectionKey: ResumeKey] = [:]
  var ids: [ConnectionKey: MemberID] = [:]
  /// Raw actions of the last call.
  var actions: [RoomAction] = []
  /// Verdicts to be counted, refusals marked with an exclamation mark.
  var noted: [String] = []
  /// Raw actions that `LiveWorld` has not performed yet.
  var unperformed: [RoomAction] = []
  private var randoms: UInt64 = 0

  init(_ settings: RoomSettings) {
    room = Room(settings, at: now)
  }

  @discardableResult
  mutating func handle(_ event: RoomEvent) -> [String] {
    actions.removeAll(keepingCapacity: true)
    room.handle(event, at: now, into: &actions)
    for action in actions { note(action) }
    unperformed += actions
    return actions.compactMap(sentence)
  }

  private mutating func note(_ action: RoomAction) {
    switch action {
    case .wake(let instant): wake = min(wake ?? .distantFuture, instant)
    case .noteVerdict(let outcome, _, let isRefusal):
      noted.append(outcome.rawValue + (isRefusal ? "!" : ""))
    case .submit(let attempt): submitted.append(attempt)
    case .drop: isDropped = true
    case .admit(let connection, let id, let key):
      keys[connection] = key
      ids[connection] = id
    default: break
    }
  }

  /// Lets time pass, delivering wakes when they are due; answers what happened on the way.
  @discardableResult
  mutating func pass(_ time: Duration) -> [String] {
    let end = now + time
    var said: [String] = []
    while let due = wake, due <= end {
      now = max(now, due)
      wake = nil
      said += handle(.timeCame)
    }
    now = end
    return said
  }

  @discardableResult
  mutating func join(
    _ connection: ConnectionKey, _ role: Role = .controller, name: String? = nil,
    showing key: ResumeKey? = nil, bucket: BucketKey = .strangers
  ) -> [String] {
    randoms += 1
    let joining = Joining(
      connection: connection, role: role, name: name.flatMap { try? MemberName($0) }, shown: key,
      fresh: ResumeKey(high: 7, low: randoms), bucket: bucket, origin: connection * 100)
    return handle(.joined(joining))
  }

  @discardableResult
  mutating func send(
    _ connection: ConnectionKey, _ action: StrokeAction, _ stroke: StrokeNumber,
    _ points: [Point] = []
  ) -> [String] {
    let samples = points.map { Sample(elapsed: 4, position: $0) }
    return handle(
      .sampled(connection, SampleBatch(stroke: stroke, action: action, samples: samples)))
  }

  /// Where a node of the pad is.
  func at(_ node: NodeIndex) -> Point {
    let geometry = room.settings.pad.geometry
    let grid = room.settings.pad.grid
    return Point(
      x: Int16(geometry.columnCentres[grid.column(of: node)]),
      y: Int16(geometry.rowCentres[grid.row(of: node)]))
  }

  @discardableResult
  mutating func press(
    _ connection: ConnectionKey, _ stroke: StrokeNumber = 1, _ nodes: [NodeIndex] = [0]
  ) -> [String] {
    send(connection, .press, stroke, nodes.map(at))
  }

  @discardableResult
  mutating func move(
    _ connection: ConnectionKey, _ stroke: StrokeNumber = 1, _ nodes: [NodeIndex]
  ) -> [String] {
    send(connection, .move, stroke, nodes.map(at))
  }

  @discardableResult
  mutating func release(_ connection: ConnectionKey, _ stroke: StrokeNumber = 1) -> [String] {
    send(connection, .release, stroke)
  }

  /// Draws a whole stroke.
  @discardableResult
  mutating func draw(
    _ connection: ConnectionKey, _ stroke: StrokeNumber = 1, _ nodes: [NodeIndex] = [0, 1, 2, 5]
  ) -> [String] {
    press(connection, stroke, nodes) + release(connection, stroke)
  }

  /// Answers the oldest attempt.
  @discardableResult
  mutating func judge(
    _ judgement: Judgement, failures: Int = 0, retryIn: Duration? = nil
  ) -> [String] {
    let status = BucketStatus(failures: failures, retryAt: retryIn.map { now + $0 } ?? .zero)
    return judge(VerdictReport(judgement, bucket: status))
  }

  mutating func judge(_ report: VerdictReport) -> [String] {
    guard !submitted.isEmpty else {
      Issue.record("no attempt was submitted")
      return []
    }
    return handle(.verdictReached(submitted.removeFirst().ticket, report))
  }

  var phase: Phase { room.state(.open).phase }
  var path: [NodeIndex] { room.state(.open).path }
}

/// What an action asks for; nil for a wake, and for what is only counted.
private func sentence(_ action: RoomAction) -> String? {
  switch action {
  case .admit(let connection, let id, _): "c\(connection) is \(id)"
  case .close(let connection, let reason): "close c\(connection): \(reason)"
  case .tell(let connection, let message): "c\(connection) hears \(sentence(message))"
  case .projectionChanged(let projection): "\(projection) changed"
  case .setProjection(let connection, let projection): "c\(connection) sees \(projection)"
  case .membersChanged: "members"
  case .penChanged: "pen"
  case .showPen(let connection): "pen to c\(connection)"
  case .noteVerdict: nil
  case .submit(let attempt): "submit \(attempt.ticket.number) of \(attempt.member)"
  case .claim(_, let id): "claim for \(id)"
  case .drop: "drop"
  case .wake: nil
  }
}

private func sentence(_ message: ServerMessage) -> String {
  switch message {
  case .verdict(let verdict):
    "\(verdict.outcome) \(verdict.stroke)" + (verdict.opened.map { ", opened \($0)" } ?? "")
  case .lockout(let lockout):
    "\(lockout.failures) failures, \(lockout.retryAfterMilliseconds) ms"
  case .error(let failure): "error \(failure.code)"
  case .offerGrant: "an offer"
  case .grant: "the grant"
  case .device: "device"
  default: "something else"
  }
}

func board(_ limits: Limits = .standard) -> RoomSettings {
  RoomSettings(name: .board("lesson"), kind: .board, pad: Preset.android.pad(), limits: limits)
}

func lock(
  _ mirror: MirrorMode, minimum: Int = 4, buckets: [BucketKey: BucketStatus] = [:],
  pad: Pad = Preset.android.pad(), limits: Limits = .standard
) throws -> RoomSettings {
  let policy = LockPolicy(mirror: mirror, minimumNodes: minimum, buckets: buckets)
  return RoomSettings(
    name: try RoomName("door"), kind: .lock(policy), pad: pad, limits: limits)
}

/// A small generator with a seed (SplitMix64), so that a failing run can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
