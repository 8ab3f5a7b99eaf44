public import PadModel

/// What a room wants done, in this order.
///
/// Each is done after the call that asked for it, when ``Room/state(_:)`` already shows the new
/// truth.
public enum RoomAction: Equatable, Sendable, Redacted {
  /// Welcome the connection as this member: its `welcome` takes ``Room/projection(of:)``,
  /// ``Room/state(_:)`` and ``Room/lockout(of:at:)``, and then it joins the ``Audience`` unless it is
  /// an actuator.
  case admit(ConnectionKey, MemberID, ResumeKey)
  /// Close the connection; one that was never admitted is refused by this.
  case close(ConnectionKey, CloseReason)
  /// Send a message that must not be lost, after all earlier ones.
  indirect case tell(ConnectionKey, ServerMessage)
  /// The projection has a new version: tell each ``Audience``, with ``Room/version(_:)``.
  case projectionChanged(Projection)
  /// The connection sees another projection from now on, with an empty window.
  case setProjection(ConnectionKey, Projection)
  /// Flag `members` for all: ``Room/members`` is encoded at sending. At most once a second.
  case membersChanged
  /// Flag `pen` for all: ``Room/penStatus`` is encoded at sending.
  case penChanged
  /// Flag `pen` for this connection.
  case showPen(ConnectionKey)
  /// Count a verdict that is told. A refusal never comes to whoever judges attempts, so it is to be
  /// audited as well.
  case noteVerdict(Outcome, BucketKey, isRefusal: Bool)
  /// Have the attempt judged, and answer with ``RoomEvent/verdictReached(_:_:)``.
  indirect case submit(Attempt)
  /// Have the claim recorded and signed for this member, and answer with
  /// ``RoomEvent/grantSigned(_:)`` or ``RoomEvent/grantRefused(_:)``.
  indirect case claim(GrantClaim, audience: MemberID)
  /// Send ``RoomEvent/timeCame`` then. One wake is pending a room: the earliest wins.
  case wake(at: Instant)
  /// Forget the room: nobody is in it and nothing waits.
  case drop
}

/// A room's own number for an attempt, unique in the life of the room.
///
/// The attempt's random id is made by whoever submits it.
public struct AttemptTicket: Hashable, Sendable {
  /// The number, from 1.
  public let number: UInt64

  init(number: UInt64) { self.number = number }
}

/// A finished stroke to be put before a lock's secrets.
public struct Attempt: Equatable, Sendable, Redacted {
  /// Names it in the answer.
  public let ticket: AttemptTicket
  /// Whom it is counted against.
  public let bucket: BucketKey
  /// The member that drew it.
  public let member: MemberID
  /// The connection that drew it, which may be gone.
  public let connection: ConnectionKey
  /// The connection's ``Joining/origin``.
  public let origin: UInt64
  /// The last moment for a verdict, counted from the release however long the attempt waits for its
  /// turn: what is later must open and count nothing.
  ///
  /// A little before the drawer is told `unavailable`, so that a verdict in time is heard in time.
  public let judgeBy: Instant
  /// The code: at least ``LockPolicy/minimumNodes`` nodes.
  public let nodes: [NodeIndex]
  /// Actuators that are connected now; without one no grant is recorded.
  public internal(set) var actuators: Int
}
