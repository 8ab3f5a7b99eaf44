package import PadModel
package import Vault

/// Everything that can be logged.
///
/// Log calls take one of these, so nothing that was drawn, no token and no key has a way into a log
/// line: no case has room for one. The two that hold a text get it from a closed list of sentences
/// (why a message was refused) and from libwebsockets (what it complains about), never from a message.
package enum LogEvent: Equatable, Sendable {
  case started(listen: String, admin: String, version: String)
  case demoReady(lock: LockID)
  case demoClosed(lock: LockID)
  case stopping(signal: String)
  case stopped(seconds: Double)
  case connectionsLowered(to: Int, openFiles: Int, needed: Int, isDemo: Bool)
  case secretsRaised(to: Int)
  case addressMissing(listen: String)
  case certificateLoaded(expires: String, isSoon: Bool)
  case certificateRefused(reason: String)
  case memberJoined(room: RoomName, member: MemberID, role: Role, name: MemberName?)
  case memberLeft(room: RoomName, member: MemberID)
  case roomOpened(RoomName)
  case roomDropped(RoomName)
  case attemptJudged(lock: LockID, outcome: Outcome, failures: Int)
  case attemptsRefused(lock: LockID, outcome: Outcome, count: Int)
  case alarm(lock: LockID, failures: Int)
  case storeFailed(duty: StoreDuty, error: VaultError, count: Int)
  case grantTaken(lock: LockID, member: MemberID)
  case connectionClosed(reason: CloseReason)
  case badMessage(reason: String)
  case tokenRefused(TokenError)
  case unencrypted(listen: String)
  case lockChanged(LockChange)
  case roomChanged(room: RoomName, action: LockChange.Action, actor: String)
  case databaseChanged
  case library(text: String)
  case dropped(lines: Int)

  package var level: LogLevel {
    switch self {
    case .storeFailed, .certificateRefused: .error
    case .certificateLoaded(_, let isSoon): isSoon ? .warning : .info
    // Nobody's demo needs twenty thousand connections.
    case .connectionsLowered(_, _, _, let isDemo): isDemo ? .info : .warning
    case .secretsRaised, .addressMissing, .unencrypted, .dropped, .library, .alarm, .demoClosed:
      .warning
    case .started, .demoReady, .stopping, .stopped, .lockChanged, .databaseChanged, .roomChanged:
      .info
    case .attemptJudged, .attemptsRefused, .grantTaken: .info
    case .memberJoined, .memberLeft, .roomOpened, .roomDropped: .debug
    case .connectionClosed, .badMessage, .tokenRefused: .debug
    }
  }

  /// The event's name: the label of the case.
  package var name: String {
    Mirror(reflecting: self).children.first?.label ?? "\(self)"
  }

  /// The event's fields in order.
  ///
  /// Values are somebody's words until they are escaped.
  package var fields: [(name: String, value: String)] {
    switch self {
    case .started(let listen, let admin, let version):
      [("listen", listen), ("admin", admin), ("version", version)]
    case .demoReady(let lock): [("lock", lock.text)]
    case .demoClosed(let lock):
      [("lock", lock.text), ("remedy", "drawbolt lock remove \(lock.text)")]
    case .stopping(let signal): [("signal", signal)]
    case .stopped(let seconds): [("seconds", "\(seconds)")]
    case .badMessage(let reason): [("reason", reason)]
    case .tokenRefused(let error): [("reason", error.message)]
    case .unencrypted(let listen): [("listen", listen)]
    case .connectionsLowered(let count, let files, let needed, _):
      [
        ("connections", "\(count)"), ("openFiles", "\(files)"),
        ("remedy", "raise the limit of open files to \(needed)"),
      ]
    case .addressMissing(let listen): [("listen", listen)]
    case .certificateLoaded(let expires, _): [("expires", expires)]
    case .certificateRefused(let reason): [("reason", reason)]
    case .secretsRaised(let count): [("secretsPerLock", "\(count)")]
    case .memberJoined(let room, let member, let role, let name):
      [("room", "\(room)"), ("member", "\(member)"), ("role", role.rawValue)]
        + (name.map { [("name", $0.text)] } ?? [])
    case .memberLeft(let room, let member): [("room", "\(room)"), ("member", "\(member)")]
    case .roomOpened(let room), .roomDropped(let room): [("room", "\(room)")]
    case .attemptJudged(let lock, let outcome, let failures):
      [("lock", lock.text), ("outcome", outcome.rawValue), ("failures", "\(failures)")]
    case .attemptsRefused(let lock, let outcome, let count):
      [("lock", lock.text), ("outcome", outcome.rawValue), ("count", "\(count)")]
    case .alarm(let lock, let failures):
      [("lock", lock.text), ("failures", "\(failures)")]
    case .storeFailed(let duty, let error, let count):
      [("duty", duty.rawValue), ("error", error.message), ("count", "\(count)")]
    case .grantTaken(let lock, let member): [("lock", lock.text), ("member", "\(member)")]
    case .connectionClosed(let reason): [("code", "\(reason.code)"), ("reason", reason.text)]
    case .lockChanged(let change):
      (change.lock.map { [("lock", $0.text)] } ?? []) + [("action", change.action.rawValue)]
    case .roomChanged(let room, let action, let actor):
      [("room", "\(room)"), ("action", action.rawValue), ("actor", actor)]
    case .databaseChanged: []
    case .library(let text): [("text", text)]
    case .dropped(let lines): [("lines", "\(lines)")]
    }
  }
}
