import Gestures
import PadModel
import Rooms

/// Watches one room's events and actions and knows by itself what they must come to.
///
/// It follows each stroke with a tracker of its own and keeps its own count of attempts.
final class Referee {
  /// Whose stroke is going on.
  struct Drawer {
    let connection: ConnectionKey
    let stroke: StrokeNumber
    var tracker: GestureTracker
  }

  /// A released stroke whose drawer is owed a verdict.
  struct Debt: Equatable {
    let member: MemberID
    let stroke: StrokeNumber
    let nodes: [NodeIndex]
    /// The last moment for the verdict.
    let due: Instant
    /// When it was released.
    let since: Instant
  }

  /// What is known of a call of the room.
  struct Call {
    let now: Instant
    let before: (open: RoomState, stealth: RoomState)
    let after: (open: RoomState, stealth: RoomState)
    /// A press or a tap that the room did not take.
    var isRefusedPress = false
    var refusedPresses = 0
  }

  let isBoard: Bool
  let minimumNodes: Int
  let blank: GestureTracker
  var drawer: Drawer?
  var ids: [ConnectionKey: MemberID] = [:]
  var states: (open: RoomState, stealth: RoomState)
  var debts: [Debt] = []
  var told: [MemberID: Set<StrokeNumber>] = [:], opened: [MemberID: Set<StrokeNumber>] = [:]
  var unanswered: [AttemptTicket: BucketKey] = [:]
  var submitted: Set<AttemptTicket> = []
  /// Verdicts that a stealth room shows to everybody, and what else changes what it shows.
  var notices = 0, policyChanges = 0
  let firstVersion: UInt32

  /// The newest stroke, while it is shown as being checked.
  var checking: Debt?
  /// Who had the pen after the last call.
  var holder: MemberID?
  /// Since when the room shows its phase, and when all were last shown a verdict.
  var phaseSince: Instant, noticeAt = Instant.zero
  let limits: Limits
  /// How late a room may do what its time brings.
  static let slack = Duration.milliseconds(4 * World.mostLate)

  /// Strokes released with enough nodes.
  private(set) var released = 0
  /// Verdicts of those.
  var concluded = 0
  /// Of these the ones that never came before the secrets.
  var refused = 0

  init(_ room: Room, at now: Instant) {
    switch room.settings.kind {
    case .board: (isBoard, minimumNodes) = (true, 0)
    case .lock(let policy): (isBoard, minimumNodes) = (false, policy.minimumNodes)
    }
    limits = room.settings.limits
    phaseSince = now
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
    let (old, new) = (call.before.open, call.after.open)
    if old.phase != new.phase || old.stroke != new.stroke { phaseSince = now }
    try checkVersions(call, actions)
    try follow(event, &call)
    for action in actions { try take(action, of: event, &call) }
    settle(event, at: now)
    try checkChecking(event, call)
    try checkPen(room)
    holder = room.currentPen.holder
    try checkCounts(room)
  }

  func settle(_ event: RoomEvent, at now: Instant) {
    switch event {
    case .left(let connection): ids[connection] = nil
    case .policyChanged: policyChanges += 1
    case .joined(let joining):
      // What was kept for it may have lapsed while it was away.
      let member = ids[joining.connection]
      debts.removeAll { $0.member == member && $0.since + limits.verdictKept <= now }
    default: break
    }
  }

  func checkVersions(_ call: Call, _ actions: [RoomAction]) throws(Violation) {
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
  func follow(_ event: RoomEvent, _ call: inout Call) throws(Violation) {
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

  func follow(
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
      try checkPress(of: connection, call)
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
    guard steps.last == .finished, let path = drawer?.tracker.path else { return }
    guard !isBoard, path.count >= minimumNodes, let member = ids[connection] else { return }
    released += 1
    let due = call.now + limits.verdictTime + Self.slack
    let debt = Debt(
      member: member, stroke: batch.stroke, nodes: path.nodes, due: due, since: call.now)
    debts.append(debt)
    checking = debt
  }

  /// Nobody presses into another's stroke, nor without the pen that somebody has.
  private func checkPress(of connection: ConnectionKey, _ call: Call) throws(Violation) {
    guard call.before.open.phase != .drawing || drawer?.connection == connection else {
      throw Violation(.onePenHolder, "a press into another's stroke was taken")
    }
    guard !isBoard || holder == nil || holder == ids[connection] else {
      throw Violation(.onePenHolder, "a press was taken while another has the pen")
    }
  }

  func checkPen(_ room: Room) throws(Violation) {
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
