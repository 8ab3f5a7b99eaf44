/// Why the server closes a connection, with the WebSocket close code of each reason.
///
/// The range tells a client what to do: 4000–4099 reconnect with backoff, 4400–4499 do not.
public enum CloseReason: UInt16, CaseIterable, Error, Sendable {
  /// The member said good-bye.
  case bye = 1000
  /// The server goes away for good.
  case goingAway = 1001
  /// A rule of the WebSocket layer or of the server was broken.
  case policy = 1008
  /// A message is longer than ``Limits/messageBytes``.
  case tooBig = 1009
  /// The server failed.
  case internalError = 1011
  /// The server restarts: come back within the announced window.
  case restart = 1012
  /// The server has no room now.
  case busy = 1013
  /// No valid hello came in time.
  case helloTimeout = 4001
  /// Samples or messages came too fast too often.
  case tooFast = 4008
  /// Messages that must not be lost piled up unread.
  case tooSlow = 4009
  /// The room has as many members as it may.
  case roomFull = 4010
  /// The room was closed.
  case roomClosed = 4012
  /// A message could not be understood.
  case badMessage = 4400
  /// The token is not valid.
  case badToken = 4401
  /// The room does not exist or is not for this member; which of both is not told.
  case denied = 4403
  /// A newer connection of the same member took its place.
  case replaced = 4409

  /// The close code.
  public var code: UInt16 { rawValue }

  /// Whether a client should reconnect, with backoff.
  public var isRetryable: Bool {
    switch self {
    case .bye, .policy, .tooBig: false
    case .goingAway, .internalError, .restart, .busy: true
    default: (4000...4099).contains(rawValue)
    }
  }

  /// A few words for the close frame; at most 123 bytes.
  public var text: String {
    switch self {
    case .bye: "bye"
    case .goingAway: "going away"
    case .policy: "policy"
    case .tooBig: "message too big"
    case .internalError: "internal error"
    case .restart: "restarting"
    case .busy: "busy"
    case .helloTimeout: "no valid hello in time"
    case .tooFast: "too fast"
    case .tooSlow: "too slow in reading"
    case .roomFull: "room full"
    case .roomClosed: "room closed"
    case .badMessage: "bad message"
    case .badToken: "bad token"
    case .denied: "denied"
    case .replaced: "replaced by a newer connection"
    }
  }
}
