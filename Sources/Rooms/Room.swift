import Gestures
public import PadModel

/// The live session around one pad: who may draw, what is drawn, how it ended, who sees what.
///
/// A pure state machine. It does not know who listens where: that is ``Audience``. Its parts are in
/// `Room+….swift`, by subject.
public struct Room: Sendable, Redacted {
  /// What the room was made with; a lock's policy is kept up to date.
  public internal(set) var settings: RoomSettings
  let isBoard: Bool
  /// Kept beside the policy, which is too much to be copied at every sample.
  var isStealth: Bool

  var roster = Roster()
  var stage = Stage.idle
  /// A board's pen.
  var pen = Pen()
  /// What a stealth room shows to those who did not draw.
  var notice: Notice?
  var gate: AttemptGate
  var grants: [OpenGrant] = []
  var buckets: [BucketKey: BucketStatus]
  var isDraining = false
  var lastTicket: UInt64 = 0
  var emptySince: Instant
  /// Whose lock stroke was as long as one may be, and until when it leaves the pen to others.
  var rests: (member: MemberID, until: Instant)?

  var tracker: GestureTracker
  /// A tracker without a stroke: putting it in place forgets a path.
  let blankTracker: GestureTracker
  /// Kept from batch to batch for its storage.
  var steps: [GestureStep] = []
  /// Where the last batch of moves ended; nil until the stroke's first one.
  var lastMove: Point?

  /// The moment of the call that is going on.
  var now: Instant
  /// The caller's buffer during a call; empty between calls.
  var actions: [RoomAction] = []
  var bookkeeping = Bookkeeping()

  /// Makes an empty room.
  public init(_ settings: RoomSettings, at now: Instant) {
    self.settings = settings
    self.now = now
    gate = AttemptGate(limits: settings.limits)
    emptySince = now
    tracker = GestureTracker(pad: settings.pad)
    blankTracker = tracker
    switch settings.kind {
    case .board: (isBoard, isStealth, buckets) = (true, false, [:])
    case .lock(let policy):
      (isBoard, isStealth, buckets) = (false, policy.mirror == .stealth, policy.buckets)
    }
    bookkeeping.due = now + settings.limits.graceTime
  }

  /// Takes up what happened and appends what is to be done.
  ///
  /// `actions` is the caller's buffer, emptied by the caller and kept for its storage; `now` never
  /// goes back. What became due since the last call is done first, however late its wake comes.
  public mutating func handle(
    _ event: RoomEvent, at now: Instant, into actions: inout [RoomAction]
  ) {
    swap(&self.actions, &actions)
    defer { swap(&self.actions, &actions) }
    self.now = now
    let isDue = now >= bookkeeping.due
    if isDue { passTime() }
    if case .sampled(let connection, let batch) = event, goOnDrawing(connection, batch) {
      if !isDue { return publish() }
    } else {
      dispatch(event)
    }
    settle()
  }

  private mutating func dispatch(_ event: RoomEvent) {
    switch event {
    case .joined(let joining): join(joining)
    case .left(let connection): leave(connection)
    case .sampled(let connection, let batch): takeSamples(connection, batch)
    case .penCommanded(let connection, let command): takePenCommand(connection, command)
    case .rateBroken(let connection): breakRate(connection)
    case .verdictReached(let ticket, let report): takeVerdict(ticket, report)
    case .bucketChanged(let bucket, let status): changeBucket(bucket, status)
    case .grantClaimed(let connection, let claim): takeClaim(connection, claim)
    case .grantSigned(let grant): takeGrant(grant)
    case .grantRefused(let id): reopenGrant(id)
    case .policyChanged(let policy): changePolicy(policy)
    case .penWithdrawn: withdrawPen()
    case .closed(let reason): expelAll(reason)
    case .drainBegan: drain()
    case .timeCame: bookkeeping.pendingWake = .distantFuture
    }
  }

  var limits: Limits { settings.limits }

  var policy: LockPolicy? {
    if case .lock(let policy) = settings.kind { policy } else { nil }
  }
}
