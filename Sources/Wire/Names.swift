import PadModel

extension Phase {
  /// The phase's name in JSON; a table, because a name made by reflection allocates.
  var wireName: String {
    switch self {
    case .idle: "idle"
    case .drawing: "drawing"
    case .checking: "checking"
    case .accepted: "accepted"
    case .rejected: "rejected"
    case .tooShort: "tooShort"
    case .unavailable: "unavailable"
    case .cancelled: "cancelled"
    case .finished: "finished"
    }
  }

  init?(wireName: String) {
    guard let phase = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
    self = phase
  }
}

extension StrokeAction {
  var wireName: String {
    switch self {
    case .move: "move"
    case .press: "press"
    case .release: "release"
    case .tap: "tap"
    case .cancel: "cancel"
    }
  }

  init?(wireName: String) {
    guard let action = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
    self = action
  }
}

extension CloseReason {
  var wireName: String {
    switch self {
    case .bye: "bye"
    case .goingAway: "goingAway"
    case .policy: "policy"
    case .tooBig: "tooBig"
    case .internalError: "internalError"
    case .restart: "restart"
    case .busy: "busy"
    case .helloTimeout: "helloTimeout"
    case .tooFast: "tooFast"
    case .tooSlow: "tooSlow"
    case .roomFull: "roomFull"
    case .roomClosed: "roomClosed"
    case .badMessage: "badMessage"
    case .badToken: "badToken"
    case .denied: "denied"
    case .replaced: "replaced"
    }
  }

  init?(wireName: String) {
    guard let reason = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
    self = reason
  }
}
