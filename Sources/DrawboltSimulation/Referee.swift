import Gestures
import PadModel
import Rooms

/// Watches one room's events and actions and knows by itself what they must come to.
///
/// It follows each stroke with a tracker of its own and keeps its own count of attempts.
final class Referee {
  /// Whose stroke is going on.
  private struct Drawer {
    let connection: ConnectionKey
    let stroke: StrokeNumber
    var tracker: GestureTracker
  }

  /// A released stroke whose drawer is owed a verdict.
  private struct Debt: Equatable {
    let member: MemberID
    let stroke: StrokeNumber
    let nodes: [NodeIndex]
    let since: Instant
  }

  /// What is known of a call of the room.
  private struct Call {
    let now: Instant
    let before: (open: RoomState, stealth: RoomState)
    let after: (open: RoomState, stealth: RoomState)
    /// A press or a tap that the room did not take.
    var isRefusedPress = false
    var refusedPresses = 0
  }

  private let isBoard: Bool
  private let minimumNodes: Int
  private let blank: GestureTracker
  private var drawer: Drawer?
  private var ids: [ConnectionKey: MemberID] = [:]
  private var states: (open: RoomState, stealth: RoomState)
  private var debts: [Debt] = []
  private var told: [MemberID: Set<StrokeNumber>] = [:]
  private var unanswered: [AttemptTicket: BucketKey] = [:]
  private var submitted: Set<AttemptTicket> = []
  /// Verdicts that a stealth room shows to everybody, and what else changes what it shows.
  private var notices = 0, policyChanges = 0
  private let verdictKept: Duration
  private let firstVersion: UInt32

  /// Strokes released with enough nodes.
  private(set) var released = 0
  /// Verdicts of those.
  private(set) var concluded = 0
  /// Of these the ones that never came before the secrets.
  private(set) var refused = 0

  init(_ room: Room) {
    switch room.settings.kind {
    case .board: (isBoard, minimumNodes) = (true, 0)
    case .lock(let policy): (isBoard, minimumNodes) = (false, policy.minimumNodes)
    }
    verdictKept = room.settings.limits.verdictKept
    blank = GestureTracker(pad: room.settings.pad)
    states = (room.state(.open), room.state(.stealth))
    firstVersion = room.version(.stealth)
  }

  /// Attempts that are before the secrets.
  var inFlight: Int { unanswered.count }

  /// The member of a connection.
  func member(of connection: ConnectionKey) -> MemberID? { ids[connection] }

  /// Whose stroke a stealth room shows; nobody's between strokes.
  var drawing: ConnectionKey? { drawer?.connection }

  /// Looks at an event before the room does.
  func expect(_ event: RoomEvent) throws(Violation) {
    guard case .verdictReached(let ticket, _) = event else { return }
    guard unanswered.removeValue(forKey: ticket) != nil else {
      throw Violation(.oneAnswer, "attempt \(ticket.number) was answered twice")
    }
  }

  /// Looks at what the room made of it.
  func check(
    _ event: RoomEvent, _ actions: [RoomAction], _ room: Room, at now: Instant
  ) throws(Violation) {
    let after = (room.state(.open), room.state(.stealth))
    var call = Call(now: now, before: states, after: after)
    states = call.after
    try checkVersions(call, actions)
    try follow(event, &call)
    for action in actions { try take(action, of: event, &call) }
    settle(event, at: now)
    try checkPen(room)
    try checkCounts(room)
  }

  private func settle(_ event: RoomEvent, at now: Instant) {
    switch event {
    case .left(let connection): ids[connection] = nil
    case .policyChanged: policyChanges += 1
    case .joined(let joining):
      // What was kept for it may have lapsed while it was away.
      let member = ids[joining.connection]
      debts.removeAll { $0.member == member && $0.since + verdictKept <= now }
    default: break
    }
  }

  private func checkVersions(_ call: Call, _ actions: [RoomAction]) throws(Violation) {
    for projection in Projection.allCases {
      let (before, after) =
        projection == .open
        ? (call.before.open, call.after.open) : (call.before.stealth, call.after.stealth)
      let changes = actions.count { $0 == .projectionChanged(projection) }
      guard after.version &- before.version == UInt32(changes) else {
        throw Violation(.versionsGrow, "\(projection): \(before.version), then \(after.version)")
      }
      guard changes > 0 || before == after else {
        throw Violation(.versionsGrow, "\(projection) changed and kept version \(after.version)")
      }
    }
  }
}

// The strokes.
extension Referee {
  private func follow(_ event: RoomEvent, _ call: inout Call) throws(Violation) {
    if case .sampled(let connection, let batch) = event { try follow(batch, of: connection, &call) }
    guard call.after.open.phase == .drawing else {
      drawer = nil
      return
    }
    guard let drawer else { throw Violation(.onePenHolder, "a stroke that nobody pressed") }
    guard call.after.open.stroke == drawer.stroke,
      call.after.open.path == drawer.tracker.path.nodes
    else { throw Violation(.onePenHolder, "a stroke that is not its drawer's") }
  }

  private func follow(
    _ batch: SampleBatch, of connection: ConnectionKey, _ call: inout Call
  ) throws(Violation) {
    let isChanged = call.before.open.version != call.after.open.version
    var steps: [GestureStep] = []
    switch batch.action {
    case .press, .tap:
      let phase = call.after.open.phase
      let isTaken =
        isChanged && phase != .cancelled && (batch.action == .tap || phase == .drawing)
      // A tap that touches no node is cancelled at once, which comes to nothing either way.
      call.isRefusedPress = !isTaken
      guard isTaken else { return }
      var fresh = Drawer(connection: connection, stroke: batch.stroke, tracker: blank)
      fresh.tracker.handle(batch.action, batch.samples, into: &steps)
      drawer = fresh
    case .move, .release, .cancel:
      guard drawer?.connection == connection, drawer?.stroke == batch.stroke else {
        guard !isChanged else { throw Violation(.onePenHolder, "moved by another") }
        return
      }
      drawer?.tracker.handle(batch.action, batch.samples, into: &steps)
    }
    guard case .finished(let path)? = steps.last else { return }
    guard !isBoard, path.count >= minimumNodes, let member = ids[connection] else { return }
    released += 1
    debts.append(Debt(member: member, stroke: batch.stroke, nodes: path.nodes, since: call.now))
  }

  private func checkPen(_ room: Room) throws(Violation) {
    let status = room.currentPen
    if isBoard {
      guard status.holder != nil || status.waiting == 0 else {
        throw Violation(.onePenHolder, "the pen is free, and \(status.waiting) wait")
      }
      guard let drawer else { return }
      guard ids[drawer.connection] == status.holder else {
        throw Violation(.onePenHolder, "the drawer has not got the pen")
      }
    } else {
      let holder = room.projection(of: 0) == .stealth ? nil : drawer.flatMap { ids[$0.connection] }
      guard status.holder == holder, status.waiting == 0 else {
        throw Violation(.onePenHolder, "a lock's pen is not its drawer's")
      }
    }
  }
}

// The attempts.
extension Referee {
  private func take(
    _ action: RoomAction, of event: RoomEvent, _ call: inout Call
  ) throws(Violation) {
    switch action {
    case .admit(let connection, let member, _): ids[connection] = member
    case .close(let connection, _): ids[connection] = nil
    case .noteVerdict(let outcome, let isRefusal): try note(outcome, isRefusal: isRefusal, &call)
    case .submit(let attempt): try submit(attempt)
    case .tell(let connection, .verdict(let verdict)):
      try tell(verdict, to: connection, of: event, call)
    default: break
    }
  }

  private func note(
    _ outcome: Outcome, isRefusal: Bool, _ call: inout Call
  ) throws(Violation) {
    if call.isRefusedPress, isRefusal {
      call.refusedPresses += 1
      guard call.refusedPresses == 1 else {
        throw Violation(.oneAnswer, "two refusals of one press")
      }
      return
    }
    guard outcome != .tooShort else { return }
    concluded += 1
    if isRefusal { refused += 1 }
    if outcome != .lockedOut { notices += 1 }
  }

  private func submit(_ attempt: Attempt) throws(Violation) {
    guard submitted.insert(attempt.ticket).inserted else {
      throw Violation(.oneAnswer, "attempt \(attempt.ticket.number) was submitted twice")
    }
    unanswered[attempt.ticket] = attempt.bucket
    guard unanswered.values.count(where: { $0 == attempt.bucket }) == 1 else {
      throw Violation(.oneAnswer, "two attempts of one bucket at once")
    }
    guard debts.contains(where: { $0.member == attempt.member && $0.nodes == attempt.nodes })
    else { throw Violation(.oneAnswer, "attempt \(attempt.ticket.number) is not what was drawn") }
  }

  private func tell(
    _ verdict: Verdict, to connection: ConnectionKey, of event: RoomEvent, _ call: Call
  ) throws(Violation) {
    guard let member = ids[connection] else {
      throw Violation(.seesItsOwn, "a verdict to one who is no member")
    }
    if verdict.outcome == .tooShort || call.isRefusedPress {
      guard Self.sampler(event) == connection else {
        throw Violation(.seesItsOwn, "a refusal to one who did not press")
      }
      return
    }
    let debt = debts.firstIndex { $0.member == member && $0.stroke == verdict.stroke }
    if let debt, verdict.opened == nil {
      debts.remove(at: debt)
      told[member, default: []].insert(verdict.stroke)
      return
    }
    // What it was told before it may hear again when it comes back, and once more when it opens.
    var isAgain = verdict.opened != nil
    if case .joined = event { isAgain = true }
    guard isAgain, told[member]?.contains(verdict.stroke) == true else {
      throw Violation(.oneAnswer, "a verdict too many for stroke \(verdict.stroke)")
    }
  }

  private static func sampler(_ event: RoomEvent) -> ConnectionKey? {
    if case .sampled(let connection, _) = event { connection } else { nil }
  }

  private func checkCounts(_ room: Room) throws(Violation) {
    let waiting = room.counts.attempts
    guard concluded <= released, released - concluded <= waiting else {
      throw Violation(.oneAnswer, "\(released) strokes, \(concluded) verdicts, \(waiting) wait")
    }
    guard unanswered.count <= waiting, waiting == 0 || !unanswered.isEmpty else {
      throw Violation(.oneAnswer, "\(waiting) attempts wait behind \(unanswered.count)")
    }
    // A notice and its end are two versions; only verdicts make one.
    let versions = room.version(.stealth) &- firstVersion
    guard Int(versions) <= 2 * notices + policyChanges else {
      throw Violation(.seesItsOwn, "\(versions) stealth versions for \(notices) verdicts")
    }
  }

  /// Whether a member that is here waits for a verdict that nobody will give.
  func checkRest(_ room: Room) throws(Violation) {
    guard room.counts.attempts == 0 else {
      throw Violation(.oneAnswer, "\(room.counts.attempts) attempts without an answer to come")
    }
    let here = Set(ids.values)
    if let debt = debts.first(where: { here.contains($0.member) }) {
      throw Violation(.oneAnswer, "no verdict for stroke \(debt.stroke)")
    }
  }
}
