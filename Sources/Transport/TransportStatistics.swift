/// Counters of one loop since its start, or of several together; the first three are gauges.
public struct TransportStatistics: Sendable, Equatable {
  /// Sockets that are open, WebSocket or not.
  public var openSockets = 0
  /// WebSocket connections that are open.
  public var openConnections = 0
  /// Sockets whose request has not come yet.
  public var openHandshakes = 0
  /// Sockets accepted, refused ones included.
  public var accepted = 0
  /// Connections that became WebSockets.
  public var upgraded = 0
  /// WebSocket connections that ended.
  public var closed = 0
  /// Answers by status, border refusals included.
  public var responses: [Int: Int] = [:]
  /// Accepts refused since the connection limit was reached (503).
  public var refusedAtLimit = 0
  /// Accepts refused for the limits of one address (429).
  public var refusedByAddress = 0
  /// Requests whose head did not arrive in time, or that ended before it did.
  public var abandonedRequests = 0
  /// Requests that were given up, since too many had not come yet and this one was the oldest.
  public var handshakesDropped = 0
  /// Handshakes of TLS that came to a good end.
  public var tlsHandshakes = 0
  /// Handshakes that failed, or were dropped for newer ones; not those that took too long.
  public var tlsHandshakesFailed = 0
  /// Times that accepting paused for want of file descriptors.
  public var acceptPauses = 0
  /// Whole messages received.
  public var messagesReceived = 0
  /// Bytes of those messages.
  public var bytesReceived = 0
  /// Frames given to the kernel, counted per receiver.
  public var framesSent = 0
  /// Calls of `send` for frames.
  public var sends = 0
  /// Bytes of those frames.
  public var bytesSent = 0
  /// Sends of which the kernel took only a part.
  public var partialWrites = 0
  /// Pings sent.
  public var pings = 0
  /// Connections dropped by the heartbeat.
  public var dead = 0
  /// Connections closed because their queue was full.
  public var tooSlow = 0
  /// Connections closed because they sent more than they may.
  public var tooFast = 0
  /// Times that a busy loop asked the kernel what a connection had sent.
  public var looks = 0
  /// Times that a connection woke the loop so often that the kernel gathered its messages for a moment.
  public var gatherings = 0
  /// Connections closed because they were not marked ready in time.
  public var notReady = 0
  /// How long turns of the loop took, from the first thing that happened in one until all was sent.
  public var turnTimes = TurnTimes()
  /// Lines of the library's log that the rate limit swallowed.
  public var suppressedLogLines = 0

  /// Turns of the loop.
  public var turns: Int { Int(turnTimes.count) }

  /// All zero.
  public init() {}

  /// Adds another loop's counters.
  public static func += (sum: inout TransportStatistics, other: TransportStatistics) {
    for place in counters { sum[keyPath: place] += other[keyPath: place] }
    sum.responses.merge(other.responses, uniquingKeysWith: +)
    sum.turnTimes += other.turnTimes
  }

  /// Every number but those by status.
  private static var counters: [WritableKeyPath<TransportStatistics, Int>] {
    [
      \.openSockets, \.openConnections, \.openHandshakes, \.accepted, \.upgraded, \.closed,
      \.refusedAtLimit, \.refusedByAddress, \.abandonedRequests, \.handshakesDropped,
      \.tlsHandshakes, \.tlsHandshakesFailed,
      \.acceptPauses, \.messagesReceived, \.bytesReceived, \.framesSent, \.sends, \.bytesSent,
      \.partialWrites, \.pings, \.dead, \.tooSlow, \.tooFast, \.looks, \.gatherings, \.notReady,
      \.suppressedLogLines,
    ]
  }

  mutating func noteSend(frames: Int, bytes: Int) {
    sends += 1
    framesSent += frames
    bytesSent += bytes
  }
}
