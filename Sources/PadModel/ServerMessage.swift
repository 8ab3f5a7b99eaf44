/// What the server may say, protocol v1.
public enum ServerMessage: Equatable, Sendable, Redacted {
  /// The answer to a valid hello.
  case welcome(Welcome)
  /// Who is in the room, by number.
  case members(Members)
  /// Who has the pen.
  case pen(PenStatus)
  /// The whole state of the room.
  case state(RoomState)
  /// How the receiver's own attempt ended.
  case verdict(Verdict)
  /// How long the receiver is locked out, after that changed otherwise than by its own attempt.
  case lockout(Lockout)
  /// What the receiver's device is trusted by from now on, to be shown in later hellos.
  case device(String)
  /// How an enrolment goes on.
  case enrol(EnrolStatus)
  /// A grant waits to be claimed.
  case offerGrant(GrantID)
  /// A signed grant.
  case grant(Grant)
  /// Something the receiver asked for was refused.
  case error(Failure)
  /// The connection will be closed by the server.
  case goAway(reason: CloseReason, reconnectAfter: UInt32)
}

/// The answer to a valid hello.
public struct Welcome: Equatable, Sendable, Redacted {
  /// The receiver's id in the room.
  public var member: MemberID
  /// Shown in a later hello, it replaces this connection.
  public var resume: ResumeKey
  /// The room joined.
  public var room: RoomName
  /// The role given.
  public var role: Role
  /// The pad, which every client draws as the server decided it.
  public var pad: Pad
  /// The limits in force.
  public var limits: Limits
  /// The room's state as this member may see it.
  public var state: RoomState
  /// To a controller of a lock room: how long its bucket is locked out, in milliseconds, and its
  /// failures, so that a countdown survives a reload.
  public var lockout: Lockout?
  /// To an actuator: what its grants are signed with.
  public var grantKey: GrantKey?

  /// Makes a welcome.
  public init(
    member: MemberID, resume: ResumeKey, room: RoomName, role: Role, pad: Pad, limits: Limits,
    state: RoomState, lockout: Lockout? = nil, grantKey: GrantKey? = nil
  ) {
    self.member = member
    self.resume = resume
    self.room = room
    self.role = role
    self.pad = pad
    self.limits = limits
    self.state = state
    self.lockout = lockout
    self.grantKey = grantKey
  }
}

/// How much longer a bucket is locked out, and after how many failures.
public struct Lockout: Equatable, Sendable {
  /// Milliseconds until the next attempt may be made; 0 when one may be made now.
  public var retryAfterMilliseconds: UInt32
  /// Failures counted against the bucket.
  public var failures: Int

  /// Makes a value.
  public init(retryAfterMilliseconds: UInt32, failures: Int) {
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.failures = failures
  }
}

/// Who is in a room.
///
/// Viewers are counted, never listed.
public struct Members: Equatable, Sendable {
  /// Number of viewers.
  public var viewers: Int
  /// At most ``Limits/controllersListed`` controllers.
  public var controllers: [Controller]
  /// Number of actuators.
  public var actuators: Int

  /// One listed controller.
  public struct Controller: Equatable, Sendable {
    /// Its id.
    public var member: MemberID
    /// Its name, if it gave one.
    public var name: MemberName?

    /// Makes a value.
    public init(member: MemberID, name: MemberName?) {
      self.member = member
      self.name = name
    }
  }

  /// Makes a value.
  public init(viewers: Int, controllers: [Controller], actuators: Int) {
    self.viewers = viewers
    self.controllers = controllers
    self.actuators = actuators
  }
}

/// Who has the pen and how many wait for it.
public struct PenStatus: Equatable, Sendable {
  /// The holder, if there is one.
  public var holder: MemberID?
  /// The holder's name, if it gave one.
  public var name: MemberName?
  /// Members that asked and wait.
  public var waiting: Int

  /// Makes a value.
  public init(holder: MemberID?, name: MemberName? = nil, waiting: Int = 0) {
    self.holder = holder
    self.name = name
    self.waiting = waiting
  }
}

/// What an attempt, or a press that could not become one, ended in.
public enum Outcome: String, CaseIterable, Sendable {
  /// The code is one of the lock's secrets.
  case accepted
  /// It is none of them.
  case rejected
  /// Fewer nodes than the policy asks for; not counted.
  case tooShort
  /// The bucket's delay is not over; not counted.
  case lockedOut
  /// No verdict could be had.
  case unavailable
}

/// How an attempt ended, told to the connection that drew it and to nobody else.
public struct Verdict: Equatable, Sendable {
  /// The drawer's number for the stroke.
  public var stroke: StrokeNumber
  /// How it ended.
  public var outcome: Outcome
  /// How long the next attempt must wait.
  public var retryAfterMilliseconds: UInt32
  /// Failures counted against the bucket.
  public var failures: Int
  /// Actuators that were offered the grant.
  public var actuators: Int
  /// Whether one of them took it; nil while that is open or nothing was offered.
  public var opened: Bool?

  /// Makes a verdict.
  public init(
    stroke: StrokeNumber, outcome: Outcome, retryAfterMilliseconds: UInt32 = 0, failures: Int = 0,
    actuators: Int = 0, opened: Bool? = nil
  ) {
    self.stroke = stroke
    self.outcome = outcome
    self.retryAfterMilliseconds = retryAfterMilliseconds
    self.failures = failures
    self.actuators = actuators
    self.opened = opened
  }
}

/// Where an enrolment stands.
public struct EnrolStatus: Equatable, Sendable {
  /// What is expected next, or how it ended.
  public enum Step: String, CaseIterable, Sendable {
    /// Draw the code.
    case draw
    /// Draw it again.
    case again
    /// Both were alike: confirm.
    case confirm
    /// It is kept.
    case done
    /// It was refused; see the reason.
    case refused
    /// It was given up.
    case cancelled
  }

  /// The step.
  public var step: Step
  /// Why it was refused, or a warning; never anything about the code itself.
  public var reason: String?

  /// Makes a value.
  public init(step: Step, reason: String? = nil) {
    self.step = step
    self.reason = reason
  }
}

/// Why something was refused.
public enum FailureCode: String, CaseIterable, Sendable {
  /// A message could not be understood.
  case badMessage
  /// The member may not do that.
  case denied
  /// A token is needed, or the one that was shown does not count, or not any more.
  case badToken
  /// Somebody else is drawing.
  case penBusy
  /// Samples or messages came too fast; the stroke was cancelled.
  case rate
  /// The room has as many members as it may.
  case roomFull
  /// The server has no place now.
  case busy
  /// It cannot be done now.
  case unavailable
  /// There is no such member.
  case unknownMember
  /// There is no such grant, or it was taken or has lapsed.
  case unknownGrant
}

/// Something was refused.
public struct Failure: Equatable, Sendable {
  /// Why, for programs.
  public var code: FailureCode
  /// Why, for people, and what to do.
  public var message: String
  /// Whether the same may work later.
  public var retryable: Bool
  /// When, if that is known, in milliseconds.
  public var retryAfterMilliseconds: UInt32?

  /// Makes a value.
  public init(
    _ code: FailureCode, _ message: String, retryable: Bool = false,
    retryAfterMilliseconds: UInt32? = nil
  ) {
    self.code = code
    self.message = message
    self.retryable = retryable
    self.retryAfterMilliseconds = retryAfterMilliseconds
  }
}
