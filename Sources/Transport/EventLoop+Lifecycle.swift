import CLibUV
import CLibwebsockets
import Glibc

/// The library's objects of one loop, and the memory that it keeps pointers to.
@safe
struct Library {
  var context: OpaquePointer?
  var host: OpaquePointer?
  var pipe: LibraryPipe?
  var idle: LibraryIdle?
  fileprivate var protocols: UnsafeMutablePointer<lws_protocols>?
  fileprivate var strings: [UnsafeMutablePointer<CChar>] = unsafe []

  fileprivate mutating func keep(_ text: String) -> UnsafePointer<CChar>? {
    guard let copy = unsafe strdup(text) else { return nil }
    unsafe strings.append(copy)
    return unsafe UnsafePointer(copy)
  }

  fileprivate func free() {
    unsafe protocols?.deallocate()
    unsafe strings.forEach { unsafe Glibc.free($0) }
  }
}

extension EventLoop {
  /// Puts handles, listeners and the library on the loop.
  func setUp() throws(TransportError) {
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    becomeCurrent()
    unsafe uv_prepare_init(uv, prepare)
    unsafe prepare.pointee.data = me
    unsafe uv_prepare_start(prepare) { handle in
      guard let data = unsafe handle?.pointee.data else { return }
      unsafe Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue().beforeWait()
    }
    unsafe uv_timer_init(uv, wheelTimer)
    unsafe wheelTimer.pointee.data = me
    unsafe uv_timer_init(uv, pauseTimer)
    unsafe pauseTimer.pointee.data = me
    try createContext()
    for door in doors { try open(door) }
    if acceptsFromStart { startAccepting() }
  }

  private func open(_ door: Door) throws(TransportError) {
    unsafe door.loop = self
    let poll: UnsafeMutablePointer<uv_poll_t> = unsafe makeHandle()
    let code = unsafe uv_poll_init(uv, poll, door.listener.descriptor)
    guard code == 0 else {
      unsafe poll.deallocate()
      throw .loopFailed(call: "uv_poll_init", code: code)
    }
    unsafe poll.pointee.data = Unmanaged.passUnretained(door).toOpaque()
    unsafe door.poll = poll
  }

  private func createContext() throws(TransportError) {
    libraryLogIsInstalled
    var info = unsafe lws_context_creation_info()
    unsafe info.port = CONTEXT_PORT_NO_LISTEN_SERVER
    unsafe info.protocols = UnsafePointer(makeProtocols())
    unsafe info.vhost_name = library.keep("drawbolt")
    unsafe info.alpn = library.keep("http/1.1")
    unsafe drawbolt_keep_user(&info)
    unsafe info.options = drawbolt_options()
    unsafe info.retry_and_idle_policy = drawbolt_no_heartbeat()
    var loops: UnsafeMutableRawPointer? = unsafe UnsafeMutableRawPointer(uv)
    unsafe library.context = unsafe withUnsafeMutablePointer(to: &loops) { loops in
      unsafe info.foreign_loops = loops
      return unsafe lws_create_context(&info)
    }
    guard let context = unsafe library.context else { throw .libraryFailed }
    // A context whose host failed is returned all the same, half dead (issue 2171).
    unsafe library.host = unsafe lws_get_vhost_by_name(context, "drawbolt")
    guard unsafe library.host != nil else { throw .libraryFailed }
    unsafe library.idle = LibraryIdle.find(in: uv)
    if drawbolt_closes_pipe_twice() != 0 { library.pipe = unsafe LibraryPipe.find(in: uv) }
  }

  /// The first protocol is what the library falls back to, so it is HTTP and never a WebSocket.
  private func makeProtocols() -> UnsafeMutablePointer<lws_protocols> {
    let names = ["http"] + configuration.subprotocols
    let protocols = UnsafeMutablePointer<lws_protocols>.allocate(capacity: names.count + 1)
    unsafe protocols.initialize(repeating: lws_protocols(), count: names.count + 1)
    for (index, name) in names.enumerated() {
      unsafe protocols[index].name = library.keep(name)
      unsafe protocols[index].callback = libraryCallback
      unsafe protocols[index].per_session_data_size = MemoryLayout<UnsafeRawPointer>.size
      // Kept per connection, so just large enough for the longest frame of samples, which is 397
      // bytes. Larger messages come in pieces.
      unsafe protocols[index].rx_buffer_size = 512
      // 0 would cut sends at the size of the receive buffer.
      unsafe protocols[index].tx_packet_size = 1 << 20
    }
    unsafe library.protocols = protocols
    return unsafe protocols
  }

  /// Turns until ``stopNow()``.
  ///
  /// What a wait of the kernel brought is answered as soon as libuv returns from it: before its next
  /// round, in which the library does work of its own first.
  func run() {
    while !isStopped {
      unsafe uv_run(uv, UV_RUN_ONCE)
      endTurn()
    }
  }

  /// Ends ``run()`` after this turn.
  func stopNow() {
    isStopped = true
    unsafe uv_stop(uv)
  }

  /// Takes everything off the loop again.
  func tearDown() {
    isStopped = true
    stopAccepting()
    for connection in slots.compactMap(\.self) {
      if connection.stage == .open {
        connection.reason = connection.isClosing ? connection.reason : .dropped
      } else {
        closeExchange(connection)
      }
    }
    // Tells of every connection that is still open.
    if let context = unsafe library.context {
      unsafe lws_context_destroy(context)
      library.pipe?.keep()
    }
    endTunnels()
    for timer in timers { timer.closeHandle() }
    timers = []
    unsafe releaseHandle(prepare)
    unsafe releaseHandle(wheelTimer)
    unsafe releaseHandle(pauseTimer)
    handler = nil
  }

  /// Frees what the library pointed to, once libuv has closed its handles.
  func freeLibrary() {
    library.pipe?.release()
    library.free()
    EventLoop.leaveThread()
  }

  /// Stops accepting, closes every connection, and drops what is left after some milliseconds.
  ///
  /// Once no connection is left the handler is told that it is drained.
  public func drain(code: UInt16, reason: String, within milliseconds: Int) {
    stopAccepting()
    isDraining = true
    drainDeadline = now + UInt64(milliseconds) * 1_000_000
    for connection in slots.compactMap(\.self) {
      switch connection.stage {
      case .reading: closeExchange(connection)
      case .open where !connection.isClosing && !libraryCloses(connection):
        beginClosing(connection, code: code, text: reason, reason: .closed(code: code))
      default: break
      }
    }
  }

  /// At the end of each turn: whether draining is done.
  func checkDrained() {
    guard isDraining, counters.openSockets == 0 else { return }
    isDraining = false
    drainDeadline = nil
    handler?.drained()
  }
}
