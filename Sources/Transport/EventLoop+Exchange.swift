import CLibUV
import Glibc

/// HTTP, up to the point where a good upgrade is handed to the library.
extension EventLoop {
  /// Begins to wait for the request's head; `false` if libuv can't watch the socket.
  func startReading(_ connection: Connection) -> Bool {
    let poll: UnsafeMutablePointer<uv_poll_t> = unsafe makeHandle()
    guard unsafe uv_poll_init(uv, poll, connection.descriptor) == 0 else {
      unsafe poll.deallocate()
      return false
    }
    unsafe poll.pointee.data = Unmanaged.passUnretained(connection).toOpaque()
    unsafe connection.poll = poll
    watch(connection, UV_READABLE)
    return true
  }

  private func watch(_ connection: Connection, _ events: uv_poll_event) {
    let callback: uv_poll_cb = { handle, _, _ in
      guard let data = unsafe handle?.pointee.data else { return }
      let connection = unsafe Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
      connection.loop.exchangeIsReady(connection)
    }
    guard let poll = unsafe connection.poll else { return }
    unsafe uv_poll_start(poll, Int32(events.rawValue), callback)
  }

  private func exchangeIsReady(_ connection: Connection) {
    switch connection.stage {
    case .reading: readHead(connection)
    case .receiving: readBody(connection)
    case .awaiting: discardEarly(connection)
    case .responding: writeResponse(connection)
    case .lingering: discard(connection)
    case .open, .gone: break
    }
  }

  /// Looks at what has come and takes exactly the head out of the kernel.
  ///
  /// What a client sends right behind it, its first frames, stays there for the library to find.
  private func readHead(_ connection: Connection) {
    let known = connection.input.count
    let room = RequestHead.maximumBytes - known
    let count = Sockets.receive(connection.descriptor, into: &scratch, upTo: room, peek: true)
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      counters.abandonedRequests += 1
      return closeExchange(connection)
    }
    connection.input.append(contentsOf: scratch[..<count])
    let progress = RequestHead.read(connection.input.span)
    var wanted = count
    if case .complete(_, let length) = progress { wanted = length - known }
    // Fewer come if the peer reset the connection in between.
    let taken = Sockets.receive(connection.descriptor, into: &scratch, upTo: wanted, peek: false)
    guard taken == wanted else {
      counters.abandonedRequests += 1
      return closeExchange(connection)
    }
    switch progress {
    case .incomplete: break
    case .refused(let refusal): respond(to: connection, with: refusal.response)
    case .complete(let head, _):
      connection.input = []
      answer(connection, head)
    }
  }

  private func answer(_ connection: Connection, _ head: RequestHead) {
    guard let door = doors.first(where: { $0.listener.kind == connection.listener }) else {
      return closeExchange(connection)
    }
    connection.asksForHead = head.method == .head
    if let refusal = connection.tunnel?.refusal {
      return respond(to: connection, with: refusal.response)
    }
    let isByProxy = isByProxy(connection)
    if isByProxy, let refusal = lookBehindProxies(connection, head) {
      return respond(to: connection, with: refusal.response)
    }
    let ruling = door.listener.border.judge(head, isByProxy: isByProxy) { [handler] in
      handler?.mayConnect(fromOrigin: $0) ?? false
    }
    switch ruling {
    case .refuse(let refusal): respond(to: connection, with: refusal.response)
    case .serve(let path, let query, let length):
      let request = request(of: connection, head, path: path, query: query)
      length == 0
        ? reply(to: request, head, on: connection)
        : receive(length, for: request, on: connection)
    case .upgrade(let subprotocol, let key):
      guard !isDraining else {
        let refusal = Refusal.unavailable(retryAfter: 5)
        return respond(to: connection, with: refusal.response)
      }
      connection.subprotocol = subprotocol
      connection.origin = head.value("origin").map { String(decoding: $0, as: UTF8.self) }
      adopt(connection, key: key)
    }
  }

  private func isByProxy(_ connection: Connection) -> Bool {
    connection.listener == .site && configuration.proxies.contains { $0.contains(connection.peer) }
  }

  /// Finds out whom a proxy's request comes from, and counts that address; why it may not come in.
  private func lookBehindProxies(_ connection: Connection, _ head: RequestHead) -> Refusal? {
    do throws(Refusal) {
      let client = try ForwardedAddress.find(
        head.elements("x-forwarded-for"), from: connection.peer, proxies: configuration.proxies)
      if client.host == connection.peer.host { return nil }
      guard admission.enter(client, at: now) else {
        counters.refusedByAddress += 1
        return .tooManyRequests(retryAfter: 10)
      }
      connection.forwarded = client
      return nil
    } catch {
      return error
    }
  }

  private func request(
    of connection: Connection, _ head: RequestHead, path: String, query: String?
  ) -> HTTPRequest {
    HTTPRequest(
      id: connection.id, listener: connection.listener, method: head.method, path: path,
      query: query, peer: connection.client,
      authorization: head.value("authorization").map { String(decoding: $0, as: UTF8.self) })
  }

  private func reply(to request: HTTPRequest, _ head: RequestHead, on connection: Connection) {
    if connection.listener == .site,
      var found = site.respond(to: request.path, ifNoneMatch: head.elements("if-none-match"))
    {
      found.embedding = configuration.embedding(of: request.path)
      return respond(to: connection, with: found)
    }
    ask(request, for: connection)
  }

  /// Has the handler find the answer.
  func ask(_ request: HTTPRequest, for connection: Connection) {
    switch handler?.httpRequested(request) ?? .notFound {
    case .now(let response): respond(to: connection, with: response)
    case .later: putOff(connection)
    case .notFound: respond(to: connection, with: Refusal.notFound.response)
    }
  }

  /// Waits for the handler's answer.
  private func putOff(_ connection: Connection) {
    connection.stage = .awaiting
    connection.lastHeard = now
    schedule(connection)
  }

  /// Gives the answer to a request that was told ``HTTPReply/later``; `false` if nobody waits for it
  /// any more.
  @discardableResult
  public func respond(to id: ConnectionID, _ response: HTTPResponse) -> Bool {
    guard let connection = connection(id), connection.stage == .awaiting else { return false }
    respond(to: connection, with: response)
    return true
  }

  /// Ends the reading and starts to write.
  ///
  /// There is one request per connection, always.
  func respond(to connection: Connection, with response: HTTPResponse) {
    guard let door = doors.first(where: { $0.listener.kind == connection.listener }) else {
      return closeExchange(connection)
    }
    counters.responses[response.status, default: 0] += 1
    connection.stage = .responding
    connection.input = []
    connection.head = door.listener.writer.head(of: response, at: ResponseWriter.date())
    let hasNoBody = connection.asksForHead || response.status == 304
    connection.body = hasNoBody ? [] : response.body
    connection.lastHeard = now
    writeResponse(connection)
  }

  private func writeResponse(_ connection: Connection) {
    let total = connection.head.count + connection.body.count
    while connection.written < total {
      let offset = connection.written - connection.head.count
      let sent =
        offset < 0
        ? Sockets.send(
          connection.descriptor, connection.head, from: connection.written,
          more: !connection.body.isEmpty)
        : Sockets.send(connection.descriptor, connection.body, from: offset, more: false)
      if sent < 0 {
        if errno == EINTR { continue }
        guard errno == EAGAIN else { return closeExchange(connection) }
        return watch(connection, UV_WRITABLE)
      }
      connection.written += sent
      connection.lastHeard = now
    }
    shutdown(connection.descriptor, Int32(SHUT_WR))
    connection.stage = .lingering
    connection.head = []
    connection.body = []
    watch(connection, UV_READABLE)
    schedule(connection)
  }

  /// Throws away what a peer still sends.
  ///
  /// Its time is limited, and so is what is read in a turn.
  private func discard(_ connection: Connection) {
    if let end = throwAway(connection), end <= 0 { closeExchange(connection) }
  }

  /// The same before the answer: the end of what a peer sends need not be the end of its listening.
  private func discardEarly(_ connection: Connection) {
    guard let end = throwAway(connection) else { return }
    if end < 0 { return closeExchange(connection) }
    // A socket at its end stays readable, so waiting on it would spin.
    if end == 0, let poll = unsafe connection.poll { unsafe uv_poll_stop(poll) }
  }

  /// Reads once and forgets it: how many bytes that were, or nil if there are none now.
  private func throwAway(_ connection: Connection) -> Int? {
    let count = Sockets.receive(
      connection.descriptor, into: &scratch, upTo: scratch.count, peek: false)
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? nil : count
  }

  /// The head has not come in time: who has begun gets an answer, who was silent does not.
  func requestIsLate(_ connection: Connection) {
    counters.abandonedRequests += 1
    if connection.input.isEmpty { return closeExchange(connection) }
    respond(to: connection, with: Refusal.slow.response)
  }

  /// The handler has not answered in time.
  func answerIsLate(_ connection: Connection) {
    respond(to: connection, with: Refusal.unanswered.response)
  }

  /// Stops watching the socket.
  ///
  /// The handle's memory goes when libuv is done with it.
  func stopWatching(_ connection: Connection) {
    guard let poll = unsafe connection.poll else { return }
    unsafe connection.poll = nil
    unsafe releaseHandle(poll)
  }

  /// Closes a socket that the library has not got.
  func closeExchange(_ connection: Connection) {
    precondition(connection.stage != .open)
    if connection.stage == .gone { return }
    stopWatching(connection)
    Glibc.close(connection.descriptor)
    unregister(connection)
  }
}
