import CLibUV
import CLibwebsockets
import Glibc

extension EventLoop {
  func append(_ frame: Frame, to connection: Connection) {
    connection.pending.append(frame)
    connection.pendingBytes += frame.bytes.count
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
    statistics.turns += 1
    resumeDrained()
    handler?.turnEnded(now: now)
    var index = 0
    // By index, since writing may make the handler close others, which marks them.
    while index < dirty.count {
      let connection = dirty[index]
      connection.isDirty = false
      flush(connection)
      index += 1
    }
    dirty.removeAll(keepingCapacity: true)
    checkDrained()
    // What comes next is the kernel's wait; the time after it is another.
    beginCallback()
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

  private func flush(_ connection: Connection) {
    guard connection.stage == .open, !connection.isBlocked, !connection.pending.isEmpty,
      let socket = unsafe connection.socket
    else { return }
    // The library may hold a part of a frame of its own, a pong for instance.
    if unsafe lws_partial_buffered(socket) != 0 { return block(connection) }
    let count = connection.pending.count
    let result: Int32
    if count == 1 {
      result = unsafe writeRaw(connection.pending[0].bytes, to: socket)
    } else {
      gathered.removeAll(keepingCapacity: gathered.capacity <= 1 << 20)
      for frame in connection.pending { gathered.append(contentsOf: frame.bytes) }
      result = unsafe writeRaw(gathered, to: socket)
    }
    statistics.sends += 1
    statistics.framesSent += count
    statistics.bytesSent += connection.pendingBytes
    connection.pending.removeAll(keepingCapacity: count <= 64)
    connection.pendingBytes = 0
    if result < 0 { return cut(connection, reason: .lost) }
    if unsafe lws_partial_buffered(socket) != 0 { block(connection) }
  }

  /// The bytes are already frames, so the library must send them as they are.
  ///
  /// This mode neither writes in front of the buffer nor keeps a pointer to it: what the kernel
  /// does not take is copied.
  private func writeRaw(_ bytes: [UInt8], to socket: OpaquePointer) -> Int32 {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe drawbolt_write_raw(socket, $0.baseAddress, $0.count)
    }
  }

  private func block(_ connection: Connection) {
    if connection.isBlocked { return }
    connection.isBlocked = true
    statistics.partialWrites += 1
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
    statistics.tooSlow += 1
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
    connection.pending.removeAll()
    connection.pendingBytes = 0
    Sockets.cut(connection.descriptor)
  }
}
