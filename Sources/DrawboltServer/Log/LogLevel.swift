/// How much an event matters, the most severe first.
package enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case error, warning, info, debug, trace

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    case .trace: 4
    }
  }
}

/// How a log line looks.
package enum LogFormat: String, CaseIterable, Sendable {
  /// `2026-01-31T12:00:00Z info started listen=…`
  case text
  /// One JSON object a line.
  case json
}
