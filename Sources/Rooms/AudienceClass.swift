import PadModel

/// One member as the fan-out sees it.
struct Listener: Sendable {
  let key: ConnectionKey
  /// Which of its projection's changes it has; this integer is what a slow member costs.
  var heard: UInt64
  /// When its last frame went out; its joining before the first.
  var sentAt: Instant
  /// Its class, and its place among the class's members.
  var group: Int32
  var place: Int32 = 0
  /// Its ring of versions, or -1 if it does not acknowledge.
  let ring: Int32
  /// Where the oldest unacknowledged version stands in the ring, and how many there are.
  var ringStart: UInt16 = 0
  var unacknowledged: UInt16 = 0
  var isBlocked = false
  var isWindowFull = false
  /// Whether it stands in the list of those to be served outside their class's turns.
  var isCatchingUp = false
  /// Whether it has had no frame yet, so that no rate holds the first one back.
  var isFresh = true

  /// Whether it can take a frame.
  var isReady: Bool { !isBlocked && !isWindowFull }
}

/// The members that see the same projection in the same format at the same rate.
///
/// They share one due time. Those that can take a frame stand before those that cannot, so that a
/// turn touches nobody in vain.
struct AudienceClass: Sendable {
  var projection: Projection
  var format: FrameFormat
  /// Frames a second; 0 for as many as the room publishes.
  var rate: Int
  /// Slots of the members; the first `readyCount` can take a frame.
  var members: [Int32] = []
  var readyCount = 0
  /// Which of the projection's changes its last turn sent.
  var heard: UInt64
  /// When its next turn may be.
  var due = Instant.zero

  /// A stand-in while the class itself is being worked on.
  static let placeholder = AudienceClass(projection: .open, format: .binary, rate: 0, heard: 0)

  /// Shortest time between two frames to one member.
  var interval: Duration { rate == 0 ? .zero : .nanoseconds(1_000_000_000 / rate) }

  /// When a member may have its next frame outside the class's turns.
  func mayServe(_ listener: Listener) -> Instant {
    rate == 0 || listener.isFresh ? .zero : listener.sentAt + interval
  }
}

/// What this audience knows of one projection, and owes.
struct ProjectionLedger: Sendable {
  /// The newest version.
  var version: UInt32
  /// Counts changes from 1 and never wraps; 0 is older than all of them.
  var changes: UInt64 = 1
  var members = 0
  /// Members whose window is full.
  var full = 0
  /// Members without the newest state whose window is open.
  var lagging = 0
  /// Members without the newest state whose window is full.
  var laggingFull = 0
}
