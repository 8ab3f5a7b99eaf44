public import PadModel

/// The live session around one pad: who may draw, what is drawn, how it ended, who sees what.
///
/// A pure state machine. It does not know who listens where: that is ``Audience``.
public struct Room: Sendable {
  /// What the room was made with; the policy is kept up to date.
  public internal(set) var settings: RoomSettings

  /// Makes an empty room.
  public init(_ settings: RoomSettings, at now: Instant) {
    self.settings = settings
  }

  /// Takes up what happened and appends what is to be done.
  ///
  /// `actions` is the caller's buffer, emptied by the caller; `now` never goes back.
  public mutating func handle(
    _ event: RoomEvent, at now: Instant, into actions: inout [RoomAction]
  ) {
  }

  /// The state as a projection shows it; its path shares the room's storage.
  public func state(_ projection: Projection) -> RoomState {
    RoomState(version: version(projection), phase: .idle)
  }

  /// The newest version of a projection.
  public func version(_ projection: Projection) -> UInt32 { 0 }

  /// What a connection sees.
  public func projection(of connection: ConnectionKey) -> Projection { .open }

  /// Who is here, for a `members` message; without names in a stealth room.
  public var members: Members { Members(viewers: 0, controllers: [], actuators: 0) }

  /// Who has the pen, for a `pen` message; empty in a stealth room.
  public var penStatus: PenStatus { PenStatus(holder: nil) }

  /// To a controller of a lock room: its bucket, for `welcome`.
  public func lockout(of connection: ConnectionKey, at now: Instant) -> Lockout? { nil }

  /// Whether nobody is here or expected, and nothing waits, so that the room may be forgotten.
  public func mayBeDropped(at now: Instant) -> Bool { false }

  /// What the room holds, so that a leak shows.
  public var counts: RoomCounts { RoomCounts() }
}

/// What a room holds.
public struct RoomCounts: Equatable, Sendable {
  /// Members that are here.
  public var members = 0
  /// Members that left and for whose resume key something waits.
  public var departed = 0
  /// Verdicts that wait for a resume key.
  public var verdictsKept = 0
  /// Attempts in flight or waiting.
  public var attempts = 0
  /// Grants that are offered.
  public var grants = 0
  /// Members that wait for the pen.
  public var penQueue = 0

  /// Makes a value of zeros.
  public init() {}
}
