public import PadModel

/// Who of one room's members on one loop gets a state frame when.
///
/// It holds no frame and no socket: a member is an opaque key, and what it costs to be slow is one
/// number. A room has one of these on each loop that has members of it: towards it one slot a
/// projection is enough, since a newer state overwrites an older one (``Parcel``).
///
/// Frames leave in turns. A turn of the room is at most every 1 / `Limits.roomFramesPerSecond`,
/// one of a class of members at most as often as they asked for; the first change goes at once, the
/// last one always. A member whose window or socket opens again gets the newest state by itself and
/// holds up nobody else's turn.
public struct Audience: Sendable {
  /// A member's place here, given by ``add(key:projection:format:maxRate:acknowledges:at:)`` and
  /// good until ``remove(_:)``.
  public struct Slot: Hashable, Sendable {
    let index: Int
  }

  /// Where every offered frame went.
  public struct Counters: Equatable, Sendable {
    /// Changes times the members that may hear of them; a change of projection counts as one.
    public internal(set) var offered = 0
    /// Frames sent, without repeats.
    public internal(set) var sent = 0
    /// Replaced by a newer state before they could be sent: by rate, turn or a full socket.
    public internal(set) var coalesced = 0
    /// Replaced by a newer state while the member's window was full.
    public internal(set) var withheld = 0
    /// Not sent yet, at most one a member.
    public internal(set) var pending = 0
    /// Pending when their member left.
    public internal(set) var departed = 0
    /// Frames that repeated the last state after silence; not part of `offered`.
    public internal(set) var repeated = 0
    /// Acknowledgements of an unknown or older version, or from a member that does not acknowledge.
    public internal(set) var strayAcknowledgements = 0

    /// Makes a value of zeros.
    public init() {}

    /// Adds another audience's counts.
    public static func += (sum: inout Counters, other: Counters) {
      sum.offered += other.offered
      sum.sent += other.sent
      sum.coalesced += other.coalesced
      sum.withheld += other.withheld
      sum.pending += other.pending
      sum.departed += other.departed
      sum.repeated += other.repeated
      sum.strayAcknowledgements += other.strayAcknowledgements
    }
  }

  var counts = Counters()
  var listeners: [Listener] = []
  var freeSlots: [Int32] = []
  var classes: [AudienceClass] = []
  var open: ProjectionLedger
  var stealth: ProjectionLedger
  /// Versions that were sent and not acknowledged: `window` for each member that acknowledges.
  var rings: [UInt32] = []
  var freeRings: [Int32] = []
  /// Members to be served outside their class's turns, and when the first of them may be.
  var catchingUp: [Int32] = []
  var catchUpDue = Instant.distantFuture
  /// Whose stroke it is, or -1: it is served last, since it has seen its stroke already.
  var drawer = -1
  /// When the room's next turn may be.
  var roomDue = Instant.zero
  /// Before this no member has been silent for too long.
  var repeatDue = Instant.distantFuture

  let window: Int
  let roomInterval: Duration
  let repeatAfter: Duration

  /// Number of members.
  public private(set) var count = 0

  /// Makes an empty audience of a room whose projections have these versions.
  public init(limits: Limits, openVersion: UInt32 = 0, stealthVersion: UInt32 = 0) {
    open = ProjectionLedger(version: openVersion)
    stealth = ProjectionLedger(version: stealthVersion)
    window = min(max(1, limits.unacknowledgedFrames), 1024)
    roomInterval = .nanoseconds(1_000_000_000 / max(1, limits.roomFramesPerSecond))
    repeatAfter = limits.pingAfter
  }

  /// Where every offered frame went:
  /// offered = sent + coalesced + withheld + pending + departed.
  public var counters: Counters {
    var counters = counts
    counters.pending = open.lagging + open.laggingFull + stealth.lagging + stealth.laggingFull
    return counters
  }

  /// Adds a member that has just been told the projection's newest state in its `welcome`.
  ///
  /// `maxRate` is in frames a second; nil means as many as the room publishes.
  public mutating func add(
    key: ConnectionKey, projection: Projection, format: FrameFormat, maxRate: Int? = nil,
    acknowledges: Bool = false, at now: Instant
  ) -> Slot {
    let listener = Listener(
      key: key, heard: self[projection].changes, sentAt: now,
      group: classIndex(projection, format, rate: max(0, maxRate ?? 0)),
      ring: acknowledges ? takeRing() : -1)
    let index = takeSlot(for: listener)
    enter(index)
    count += 1
    self[projection].members += 1
    repeatDue = min(repeatDue, now + repeatAfter)
    return Slot(index: index)
  }

  /// Removes a member; its slot may be given to another.
  public mutating func remove(_ slot: Slot) {
    let listener = listeners[slot.index]
    if settle(listener) { counts.departed += 1 }
    leave(slot.index)
    if listener.isCatchingUp { catchingUp.removeAll { $0 == slot.index } }
    if listener.ring >= 0 { freeRings.append(listener.ring) }
    if drawer == slot.index { drawer = -1 }
    // Nobody's class, so that a slot used after its removal stops us.
    listeners[slot.index].group = -1
    freeSlots.append(Int32(slot.index))
    count -= 1
  }

  /// Moves a member to another projection: its window is emptied and the newest state is due to it.
  public mutating func setProjection(_ slot: Slot, _ projection: Projection, at now: Instant) {
    let index = slot.index
    let listener = listeners[index]
    let old = classes[Int(listener.group)]
    guard old.projection != projection else { return }
    if settle(listener) { counts.coalesced += 1 }
    leave(index)
    listeners[index].group = classIndex(projection, old.format, rate: old.rate)
    listeners[index].isWindowFull = false
    listeners[index].unacknowledged = 0
    // The newest state of another projection is news, counted as one change.
    listeners[index].heard = 0
    enter(index)
    counts.offered += 1
    self[projection].members += 1
    self[projection].lagging += 1
    becameReady(index, at: now)
  }

  /// The room's projection has a new version, after so many changes; takes constant time.
  public mutating func changed(
    _ projection: Projection, version: UInt32, changes: Int = 1, at now: Instant
  ) {
    var ledger = self[projection]
    let unheard = changes - 1
    counts.offered += ledger.members * changes
    counts.coalesced += ledger.lagging + (ledger.members - ledger.full) * unheard
    counts.withheld += ledger.laggingFull + ledger.full * unheard
    ledger.version = version
    ledger.changes += UInt64(changes)
    ledger.laggingFull = ledger.full
    ledger.lagging = ledger.members - ledger.full
    self[projection] = ledger
  }

  /// The projection has come to `version`, by a change for each number in between; false if it is old.
  ///
  /// For a room whose changes were counted on another loop.
  public mutating func advanced(
    _ projection: Projection, to version: UInt32, at now: Instant
  ) -> Bool {
    guard self[projection].members > 0 else {
      // Nobody has heard of any, and any number may have passed since somebody had.
      self[projection].version = version
      return true
    }
    let changes = Int32(bitPattern: version &- self[projection].version)
    guard changes > 0 else { return false }
    changed(projection, version: version, changes: Int(changes), at: now)
    return true
  }

  /// How many members see a projection.
  public func members(seeing projection: Projection) -> Int { self[projection].members }

  /// Notes that the member draws: everybody else's frame of its stroke leaves before its own.
  public mutating func draws(_ slot: Slot) { drawer = slot.index }

  /// Takes up that the member has shown `version`, and with it all that was sent before; whether
  /// ``collect(at:_:)`` may have something for it that it had not before.
  public mutating func acknowledge(_ slot: Slot, version: UInt32, at now: Instant) -> Bool {
    let index = slot.index
    guard let freed = framesFreed(listeners[index], by: version) else {
      counts.strayAcknowledgements += 1
      return false
    }
    let start = (Int(listeners[index].ringStart) + freed) % window
    listeners[index].ringStart = UInt16(start)
    listeners[index].unacknowledged -= UInt16(freed)
    guard listeners[index].isWindowFull else { return false }
    listeners[index].isWindowFull = false
    let projection = classes[Int(listeners[index].group)].projection
    self[projection].full -= 1
    if listeners[index].heard != self[projection].changes {
      self[projection].laggingFull -= 1
      self[projection].lagging += 1
    }
    becameReady(index, at: now)
    return true
  }

  /// How many frames an acknowledgement frees; nil if its version is not in the window.
  private func framesFreed(_ listener: Listener, by version: UInt32) -> Int? {
    guard listener.ring >= 0 else { return nil }
    let base = Int(listener.ring) * window
    var frames = Int(listener.unacknowledged)
    while frames > 0 {
      if rings[base + (Int(listener.ringStart) + frames - 1) % window] == version { return frames }
      frames -= 1
    }
    return nil
  }

  /// The member's socket is full: it gets nothing until ``writable(_:at:)``.
  public mutating func blocked(_ slot: Slot) {
    guard !listeners[slot.index].isBlocked else { return }
    listeners[slot.index].isBlocked = true
    hold(slot.index)
  }

  /// The member's socket takes bytes again.
  public mutating func writable(_ slot: Slot, at now: Instant) {
    guard listeners[slot.index].isBlocked else { return }
    listeners[slot.index].isBlocked = false
    becameReady(slot.index, at: now)
  }
}
