import Glibc

/// Bodies of requests, where there may be any.
extension EventLoop {
  /// Begins to wait for a body.
  func receive(_ length: Int, for request: HTTPRequest, on connection: Connection) {
    connection.receiving = ReceivingRequest(request, length: length, since: now)
    connection.stage = .receiving
    schedule(connection)
  }

  /// When a body must have come.
  func bodyDeadline(of connection: Connection) -> UInt64 {
    let milliseconds = configuration.adminBodies?.time ?? 0
    return (connection.receiving?.since ?? 0) + UInt64(milliseconds) * 1_000_000
  }

  /// Takes what has come of a body, and not a byte more.
  func readBody(_ connection: Connection) {
    guard let receiving = connection.receiving else { return closeExchange(connection) }
    let missing = receiving.length - receiving.request.body.count
    let count = Sockets.receive(
      connection.descriptor, into: &scratch, upTo: min(missing, scratch.count), peek: false)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      counters.abandonedRequests += 1
      return closeExchange(connection)
    }
    receiving.request.body += scratch[..<count]
    if count < missing { return }
    connection.receiving = nil
    ask(receiving.request, for: connection)
  }

  /// The body has not come in time.
  func bodyIsLate(_ connection: Connection) {
    counters.abandonedRequests += 1
    connection.receiving = nil
    respond(to: connection, with: Refusal.slow.response)
  }
}
