/// What a client may say, protocol v1.
public enum ClientMessage: Equatable, Sendable, Redacted {
  /// Must be the first message: which room, as what.
  case hello(Hello)
  /// About the right to draw.
  case pen(PenCommand)
  /// About enrolling a code; needs the role `admin`.
  case enrol(EnrolCommand)
  /// Part of a stroke.
  case samples(SampleBatch)
  /// The newest state version that the client has shown.
  case acknowledge(version: UInt32)
  /// An actuator takes up an offered grant.
  case claimGrant(GrantClaim)
}

/// The first message of a connection.
public struct Hello: Equatable, Sendable, Redacted {
  /// A token that gives the role; nil where the server is open.
  public var token: String?
  /// The room to join.
  public var room: RoomName
  /// The role asked for.
  public var role: Role
  /// What the member calls itself.
  public var name: MemberName?
  /// The most state frames a second that the member wants, 1 … ``Limits/maxRate``.
  public var maxRate: Int?
  /// Whether the member will acknowledge states.
  public var acknowledges: Bool
  /// The key of an older connection that this one replaces.
  public var resume: ResumeKey?
  /// A trusted device's token.
  public var device: String?

  /// Makes a hello.
  public init(
    room: RoomName, role: Role, name: MemberName? = nil, token: String? = nil,
    maxRate: Int? = nil, acknowledges: Bool = false, resume: ResumeKey? = nil,
    device: String? = nil
  ) {
    self.token = token
    self.room = room
    self.role = role
    self.name = name
    self.maxRate = maxRate
    self.acknowledges = acknowledges
    self.resume = resume
    self.device = device
  }
}

/// What a member wants with the pen.
public enum PenCommand: Equatable, Sendable {
  /// To have it, or to wait for it.
  case request
  /// To put it down, or to wait no longer.
  case release
  /// To hand it to this member.
  case give(MemberID)
  /// To take it from whoever has it; needs the role `admin`.
  case take
}

/// Steps of an enrolment.
public enum EnrolCommand: Equatable, Sendable {
  /// Starts one for the room's lock.
  case begin
  /// Keeps the code that was drawn twice.
  case confirm
  /// Gives it up.
  case cancel
}

/// An actuator's claim of an offered grant.
public struct GrantClaim: Equatable, Sendable, Redacted {
  /// The offered grant.
  public var id: GrantID
  /// The actuator's own random number, which the grant will carry.
  public var nonce: GrantNonce

  /// Makes a claim.
  public init(id: GrantID, nonce: GrantNonce) {
    self.id = id
    self.nonce = nonce
  }
}
