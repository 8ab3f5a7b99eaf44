public import PadModel

/// What an administrator did, as the audit tells it.
public struct LockChange: Equatable, Sendable {
  /// What it was.
  public enum Action: String, CaseIterable, Sendable {
    /// A lock was added.
    case lockAdded = "lock added"
    /// A lock was removed with its secrets.
    case lockRemoved = "lock removed"
    /// The failures of a lock were forgotten.
    case lockReset = "lock reset"
    /// A code was enrolled.
    case secretAdded = "secret added"
    /// A code was deleted.
    case secretRevoked = "secret revoked"
    /// A secret's devices are not trusted any more.
    case trustEnded = "trust ended"
    /// Everything was sealed with a new key.
    case keyRotated = "key rotated"
    /// A token was revoked.
    case tokenRevoked = "token revoked"
    /// Strokes at a lock are shown otherwise.
    case mirrorChanged = "mirror changed"
    /// An administrator was added.
    case adminAdded = "admin added"
    /// An administrator's token was revoked.
    case adminRevoked = "admin revoked"
    /// A room was closed for its members.
    case roomClosed = "room closed"
    /// The pen was taken from who had it.
    case penTaken = "pen taken"
    /// A backup was put in the place of the database.
    case restored = "restored"

    /// Whether what the audit names as its place is a lock.
    var concernsLock: Bool {
      switch self {
      case .lockAdded, .lockRemoved, .lockReset, .secretAdded, .secretRevoked, .mirrorChanged,
        .trustEnded:
        true
      case .keyRotated, .tokenRevoked, .adminAdded, .adminRevoked, .roomClosed, .penTaken,
        .restored:
        false
      }
    }

    /// Whether the server that does it knows of it already, and no other need.
    var isDone: Bool { self == .roomClosed || self == .penTaken }
  }

  /// What it was.
  public let action: Action
  /// The lock; nil if it was done to all.
  public let lock: LockID?

  /// Makes a value.
  public init(_ action: Action, lock: LockID?) {
    self.action = action
    self.lock = lock
  }
}
