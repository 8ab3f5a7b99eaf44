import CLibUV
import CLibwebsockets
import Glibc

extension EventLoop {
  func append(_ frame: Frame, to connection: Connection) {
    connection.append(frame)
    markDirty(connection)
  }

  private func markDirty(_ connection: Connection) {
    if connection.isDirty { return }
    connection.isDirty = true
    dirty.append(connection)
  }

  /// The end of a turn: the handler may add frames, then each connection gets one `send`.
  func endTurn() {
    beginCallback()
    let broughtMessages = receivedThisTurn > 0
    receivedThisTurn = 0
    tunnels.greetedThisTurn = 0
    resumeDrained()
    if wakes.isTooMany(at: now) { cutEnded() }
    sendAll()
    checkDrained()
    moderate()
    if broughtMessages, let context = unsafe library.context {
      unsafe library.idle?.rest(context)
    }
    noteTurn()
    // What comes next is the kernel's wait; the time after it is another.
    beginCallback()
  }

  /// Sends what timers and the library's own work of this round left, since the kernel's wait may be
  /// long.
  func beforeWait() {
    sendAll()
    beginCallback()
    wokeAt = nil
  }

  /// Counts the turn's duration, for which only its end is looked up.
  private func noteTurn() {
    counters.turnTimes.add(nanoseconds: bootTime() - (wokeAt ?? now))
    wokeAt = nil
  }

  /// Ends the turn's sending early if much was received in one go.
  ///
  /// One wait of the kernel can bring a thousand acknowledgements; a sample among them must not wait
  /// until all of them have been read.
  func shareLongTurn() {
    if receivedThisTurn == 0 { turnBegan = now }
    receivedThisTurn += 1
    guard receivedThisTurn.isMultiple(of: Self.messagesBetweenLooks) else { return }
    beginCallback()
    guard now - turnBegan >= Self.longTurn else { return }
    sendAll()
    turnBegan = now
  }

  private func sendAll() {
    isEndingTurn = true
    handler?.turnEnded(now: now)
    isEndingTurn = false
    var index = 0
    // By index, since writing may make the handler close others, which marks them.
    while index < dirty.count {
      let connection = dirty[index]
      connection.isDirty = false
      flush(connection)
      index += 1
    }
    dirty.removeAll(keepingCapacity: true)
  }

  /// Tells the handler of connections that the kernel has caught up with.
  private func resumeDrained() {
    var index = 0
    while index < drainedConnections.count {
      let connection = drainedConnections[index]
      index += 1
      if connection.stage != .open { continue }
      flush(connection)
      if connection.isBlocked || connection.isClosing || !connection.owesWritable { continue }
      connection.owesWritable = false
      handler?.connectionWritable(connection.id)
    }
    drainedConnections.removeAll(keepingCapacity: true)
  }

  /// Sends a state to a connection to which nothing else goes in this turn: most of all deliveries.
  func sendNow(_ frame: Frame, to connection: Connection) -> SendOutcome {
    guard !connection.isBlocked, let socket = unsafe connection.socket,
      unsafe lws_partial_buffered(socket) == 0
    else {
      block(connection)
      connection.owesWritable = true
      return .blocked
    }
    counters.noteSend(frames: 1, bytes: frame.bytes.count)
    if unsafe write(frame.bytes, to: connection, socket) { return .accepted }
    cut(connection, reason: .lost)
    return .gone
  }

  private func flush(_ connection: Connection) {
    guard connection.stage == .open, !connection.isBlocked, let first = connection.nextFrame,
      let socket = unsafe connection.socket
    else { return }
    // The library may hold a part of a frame of its own, a pong for instance.
    if unsafe lws_partial_buffered(socket) != 0 { return block(connection) }
    counters.noteSend(frames: connection.pendingCount, bytes: connection.pendingBytes)
    let isWritten: Bool
    if connection.laterFrames.isEmpty {
      isWritten = unsafe write(first.bytes, to: connection, socket)
    } else {
      gathered.removeAll(keepingCapacity: gathered.capacity <= 1 << 20)
      gathered.append(contentsOf: first.bytes)
      for frame in connection.laterFrames { gathered.append(contentsOf: frame.bytes) }
      isWritten = unsafe write(gathered, to: connection, socket)
    }
    connection.removePending()
    if !isWritten { cut(connection, reason: .lost) }
  }

  /// Gives bytes that are frames already to the kernel, and what it does not take to the library.
  ///
  /// The library holds nothing at this moment, so there is no order to break by going past it. Its raw
  /// mode neither writes in front of the buffer nor keeps a pointer to it: what must wait is copied.
  private func write(
    _ bytes: [UInt8], to connection: Connection, _ socket: OpaquePointer
  ) -> Bool {
    let sent = max(0, Sockets.send(connection.descriptor, bytes, from: 0, more: false))
    if sent == bytes.count { return true }
    let result = unsafe bytes.withUnsafeBufferPointer { bytes in
      let rest = unsafe UnsafeBufferPointer(rebasing: bytes[sent...])
      return unsafe drawbolt_write_raw(socket, rest.baseAddress, rest.count)
    }
    if unsafe result >= 0 && lws_partial_buffered(socket) != 0 { block(connection) }
    return result >= 0
  }

  private func block(_ connection: Connection) {
    if connection.isBlocked { return }
    counters.partialWrites += 1
    holdBack(connection)
  }

  /// Has frames wait until the library has had its turn at the socket.
  ///
  /// It answers a ping when the socket is next writable. One may stand between the fragments of a
  /// message, and what we send at the end of this turn would overtake its pong.
  func holdBack(_ connection: Connection) {
    if connection.isBlocked { return }
    connection.isBlocked = true
    guard let socket = unsafe connection.socket else { return }
    _ = unsafe lws_callback_on_writable(socket)
  }

  /// The library has written what it held.
  func becameWritable(_ connection: Connection) {
    guard connection.isBlocked, let socket = unsafe connection.socket else { return }
    if unsafe lws_partial_buffered(socket) != 0 {
      _ = unsafe lws_callback_on_writable(socket)
      return
    }
    connection.isBlocked = false
    drainedConnections.append(connection)
  }

  /// The queue of a slow connection is full.
  func giveUp(_ connection: Connection) {
    counters.tooSlow += 1
    cut(connection, reason: .tooSlow(queuedBytes: connection.pendingBytes))
  }

  /// Queues a close frame.
  ///
  /// The library's own way of closing loses the frame under libuv in 4.1 (its issue 3569), so the
  /// frame is ours, and the deadline wheel ends what is not answered.
  func beginClosing(
    _ connection: Connection, code: UInt16, text: String, reason: CloseReason
  ) {
    append(Frame.close(code: code, reason: text), to: connection)
    connection.closingAt = now
    connection.closedHere = true
    connection.reason = reason
    schedule(connection)
  }

  /// Ends a WebSocket without a close frame.
  ///
  /// Shutting the socket down makes the library see the end of the stream and close by itself,
  /// outside our call and with all its bookkeeping.
  func cut(_ connection: Connection, reason: CloseReason) {
    guard connection.stage == .open else { return }
    if !connection.isClosing || reason == .dead { connection.reason = reason }
    connection.closingAt = now
    connection.closedHere = true
    connection.removePending()
    Sockets.cut(connection.descriptor)
    // A pair of local sockets that is full stays so; one whose other end is closed takes an error.
    if let tunnel = connection.tunnel { end(tunnel) }
  }
}
