/// What members may say and hear, by their role: the one table that rooms and the server look at.
extension Role {
  /// Whether the role may send such a message.
  public func maySend(_ kind: ClientMessage.Kind) -> Bool {
    switch kind {
    case .hello: true
    case .samples, .penRequest, .penRelease, .penGive: self == .controller || self == .admin
    case .acknowledge: self != .actuator
    case .penTake, .enrol: self == .admin
    case .claimGrant: self == .actuator
    }
  }

  /// Whether the role may ever be sent such a message, whatever it does.
  public func mayReceive(_ kind: ServerMessage.Kind) -> Bool {
    switch kind {
    case .welcome, .members, .error, .goAway: true
    case .state, .pen: self != .actuator
    case .verdict, .lockout, .device: self == .controller || self == .admin
    case .enrol: self == .admin
    case .offerGrant, .grant: self == .actuator
    }
  }

  /// Whether the role may hold the pen.
  public var mayDraw: Bool { maySend(.samples) }

  /// Whether the role gets states.
  public var mayWatch: Bool { mayReceive(.state) }
}

extension ClientMessage {
  /// The kinds of messages that roles differ in.
  public enum Kind: CaseIterable, Sendable {
    case hello, samples, acknowledge
    case penRequest, penRelease, penGive, penTake
    case enrol, claimGrant
  }

  /// What kind of message it is.
  public var kind: Kind {
    switch self {
    case .hello: .hello
    case .samples: .samples
    case .acknowledge: .acknowledge
    case .pen(let command): command.kind
    case .enrol: .enrol
    case .claimGrant: .claimGrant
    }
  }
}

extension PenCommand {
  /// What kind of message it comes in.
  public var kind: ClientMessage.Kind {
    switch self {
    case .request: .penRequest
    case .release: .penRelease
    case .give: .penGive
    case .take: .penTake
    }
  }
}

extension ServerMessage {
  /// The kinds of messages that roles differ in.
  public enum Kind: CaseIterable, Sendable {
    case welcome, state, members, pen
    case verdict, lockout, device, enrol, offerGrant, grant
    case error, goAway
  }

  /// What kind of message it is.
  public var kind: Kind {
    switch self {
    case .welcome: .welcome
    case .members: .members
    case .pen: .pen
    case .state: .state
    case .verdict: .verdict
    case .lockout: .lockout
    case .device: .device
    case .enrol: .enrol
    case .offerGrant: .offerGrant
    case .grant: .grant
    case .error: .error
    case .goAway: .goAway
    }
  }
}
