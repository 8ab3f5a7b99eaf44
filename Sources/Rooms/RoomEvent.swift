public import PadModel

/// A connection's number, opaque, and never given to a second connection.
public typealias ConnectionKey = UInt64

/// What happened to a room.
public enum RoomEvent: Equatable, Sendable, Redacted {
  /// A connection with a valid hello wants to be a member.
  indirect case joined(Joining)
  /// A connection is gone, for whatever reason; unknown ones are ignored.
  case left(ConnectionKey)
  /// Samples came.
  case sampled(ConnectionKey, SampleBatch)
  /// A member wants something with the pen.
  case penCommanded(ConnectionKey, PenCommand)
  /// Samples or messages came too fast; strikes are counted by the sender of this event.
  case rateBroken(ConnectionKey)
  /// The answer to ``RoomAction/submit(_:)``; exactly one must come for each.
  indirect case verdictReached(AttemptTicket, VerdictReport)
  /// A bucket changed elsewhere, for example by a reset.
  case bucketChanged(BucketKey, BucketStatus)
  /// An actuator wants the grant that it was offered.
  indirect case grantClaimed(ConnectionKey, GrantClaim)
  /// The answer to ``RoomAction/claim(_:audience:)``: the claim is on disk and signed.
  indirect case grantSigned(Grant)
  /// The other answer to it: no grant can be had for this claim.
  case grantRefused(GrantID)
  /// The lock's policy was changed; another mirror mode closes the room for its members.
  case policyChanged(LockPolicy)
  /// An administrator takes the pen from whoever has it.
  case penWithdrawn
  /// The room is to be closed for all, for example because its lock was removed.
  case closed(CloseReason)
  /// The server stops: members are closed at once, or after the verdict that they wait for.
  case drainBegan
  /// The time of a ``RoomAction/wake(at:)`` came.
  case timeCame
}

/// A connection that wants to be a member.
public struct Joining: Equatable, Sendable, Redacted {
  /// The connection.
  public var connection: ConnectionKey
  /// The role that it was granted.
  public var role: Role
  /// What it calls itself.
  public var name: MemberName?
  /// The resume key that it showed.
  public var shown: ResumeKey?
  /// A fresh random key, which becomes the member's own unless `shown` is a member's.
  public var fresh: ResumeKey
  /// The bucket that its failures count against.
  public var bucket: BucketKey
  /// Where it comes from, opaque; handed back in ``Attempt/origin`` after the connection may be gone.
  public var origin: UInt64

  /// Makes a value.
  public init(
    connection: ConnectionKey, role: Role, name: MemberName? = nil, shown: ResumeKey? = nil,
    fresh: ResumeKey, bucket: BucketKey = .strangers, origin: UInt64 = 0
  ) {
    self.connection = connection
    self.role = role
    self.name = name
    self.shown = shown
    self.fresh = fresh
    self.bucket = bucket
    self.origin = origin
  }
}

/// How an attempt was judged.
public enum Judgement: Equatable, Sendable {
  /// The code is right; with the grant that was recorded for the actuators, if there is one.
  case accepted(grant: GrantID?)
  /// It is wrong.
  case rejected
  /// The bucket's delay is not over; not counted.
  case lockedOut
  /// No verdict could be had.
  case unavailable
}

/// What is known when an attempt has been judged.
public struct VerdictReport: Equatable, Sendable, Redacted {
  /// How it was judged.
  public var judgement: Judgement
  /// Where the attempt's bucket stands now; nil if that is not known.
  public var bucket: BucketStatus?
  /// When to try again, if that is later than the bucket says (an address's own limit).
  public var retryAt: Instant?
  /// The bucket that the drawer belongs to from now on, if it is another.
  public var home: BucketHome?
  /// What the drawer's device is to show from now on, for its connection alone.
  public var device: String?

  /// Makes a report.
  public init(
    _ judgement: Judgement, bucket: BucketStatus? = nil, retryAt: Instant? = nil,
    home: BucketHome? = nil, device: String? = nil
  ) {
    self.judgement = judgement
    self.bucket = bucket
    self.retryAt = retryAt
    self.home = home
    self.device = device
  }
}
