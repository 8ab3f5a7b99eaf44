public import PadModel

/// Who of one room's members on one loop gets a state frame when.
///
/// It holds no frame and no socket: a member is an opaque key, and what it costs to be slow is one
/// number.
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
  }

  /// Where every offered frame went:
  /// offered = sent + coalesced + withheld + pending + departed.
  public private(set) var counters = Counters()

  /// Number of members.
  public private(set) var count = 0

  /// Makes an empty audience of a room whose projections have these versions.
  public init(limits: Limits, openVersion: UInt32 = 0, stealthVersion: UInt32 = 0) {
  }

  /// Adds a member that has just been told the projection's newest state in its `welcome`.
  public mutating func add(
    key: ConnectionKey, projection: Projection, format: FrameFormat, maxRate: Int? = nil,
    acknowledges: Bool = false, at now: Instant
  ) -> Slot {
    Slot(index: 0)
  }

  /// Removes a member; its slot may be given to another.
  public mutating func remove(_ slot: Slot) {}

  /// Moves a member to another projection: its window is emptied and the newest state is due to it.
  public mutating func setProjection(_ slot: Slot, _ projection: Projection, at now: Instant) {}

  /// Takes up that the member has shown `version`.
  public mutating func acknowledge(_ slot: Slot, version: UInt32, at now: Instant) {}

  /// The member's socket is full: it gets nothing until ``writable(_:at:)``.
  public mutating func blocked(_ slot: Slot) {}

  /// The member's socket takes bytes again.
  public mutating func writable(_ slot: Slot, at now: Instant) {}

  /// The room's projection has a new version; takes constant time.
  public mutating func changed(_ projection: Projection, version: UInt32, at now: Instant) {}

  /// Calls `send` for each member that gets the newest state now, at most once each.
  ///
  /// `send` gets the member's key and what to send; it answers whether the frame was taken. If not,
  /// the member counts as blocked. Once per turn of the loop; allocates nothing.
  public mutating func collect(
    at now: Instant, _ send: (ConnectionKey, Projection, FrameFormat) -> Bool
  ) {}

  /// When ``collect(at:_:)`` should be called though nothing changes; nil if never.
  public var nextDue: Instant? { nil }
}
