import CLibwebsockets
import Glibc

/// The only function that the library calls: it finds out whose event it is and hands it on.
@c
func libraryCallback(
  _ socket: OpaquePointer?, _ event: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
  guard let socket = unsafe socket, let loop = EventLoop.current else { return 0 }
  let user = unsafe user?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  let connection = unsafe user?.pointee.map {
    unsafe Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue()
  }
  switch event {
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION,
    LWS_CALLBACK_HTTP:
    return unsafe loop.confirm(event, socket)
  case LWS_CALLBACK_ESTABLISHED:
    return unsafe loop.established(socket, user)
  case LWS_CALLBACK_CLOSED:
    unsafe user?.pointee = nil
    if let connection { loop.closed(connection) }
  case LWS_CALLBACK_RECEIVE:
    guard let connection else { return -1 }
    return unsafe loop.received(
      connection, socket, UnsafeRawBufferPointer(start: bytes, count: count))
  case LWS_CALLBACK_RECEIVE_PONG:
    guard let connection else { return -1 }
    return loop.ponged(connection, count)
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    guard let connection else { return -1 }
    return unsafe loop.peerCloses(connection, UnsafeRawBufferPointer(start: bytes, count: count))
  case LWS_CALLBACK_SERVER_WRITEABLE:
    if let connection { loop.becameWritable(connection) }
  default:
    break
  }
  return 0
}

extension EventLoop {
  /// Gives the socket to the library together with a head of our own making.
  ///
  /// The library never sees a byte of the client's request but the key, so its parser's leniencies
  /// and faults (in 4.1: joined headers, NULs, CVE-2025-11677) are out of reach.
  func adopt(_ connection: Connection, key: [UInt8]) {
    stopWatching(connection)
    let lines = [
      "GET \(Border.webSocketPath) HTTP/1.1", "Host: localhost", "Upgrade: websocket",
      "Connection: Upgrade", "Sec-WebSocket-Key: \(String(decoding: key, as: UTF8.self))",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Protocol: \(configuration.subprotocols[connection.subprotocol])",
    ]
    var head = lines.map { $0 + "\r\n" }.joined() + "\r\n"
    adopting = connection
    let adopted = head.withUTF8 { text in
      unsafe text.withMemoryRebound(to: CChar.self) {
        unsafe drawbolt_adopt_http(library.host, connection.descriptor, $0.baseAddress, $0.count)
      }
    }
    // Established is called from within the adoption. If it was not, the library has closed the
    // socket, or it holds one that nobody will ever use.
    if adopting == nil { return }
    adopting = nil
    if unsafe adopted != nil { Sockets.cut(connection.descriptor) }
    unregister(connection)
  }

  /// Only a request of our own making may get through the library's HTTP, and only while we wait
  /// for it.
  ///
  /// `in` is never read here: in 4.1 it may point at freed memory (CVE-2025-11677).
  func confirm(_ event: lws_callback_reasons, _ socket: OpaquePointer) -> Int32 {
    guard adopting != nil, event != LWS_CALLBACK_HTTP else { return -1 }
    if event == LWS_CALLBACK_HTTP_CONFIRM_UPGRADE {
      return unsafe drawbolt_upgrade_is_websocket(socket) != 0 ? 0 : -1
    }
    return 0
  }

  func established(
    _ socket: OpaquePointer, _ user: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    guard let connection = adopting, let user = unsafe user else { return -1 }
    adopting = nil
    // The slot owns the connection; it is given back in `closed` only.
    unsafe user.pointee = Unmanaged.passUnretained(connection).toOpaque()
    unsafe connection.socket = socket
    connection.stage = .open
    connection.lastHeard = now
    counters.upgraded += 1
    counters.openConnections += 1
    counters.responses[101, default: 0] += 1
    schedule(connection)
    handler?.connectionOpened(
      ConnectionOpening(
        id: connection.id, subprotocol: connection.subprotocol, peer: connection.client,
        origin: connection.origin))
    return 0
  }

  func closed(_ connection: Connection) {
    unsafe connection.socket = nil
    connection.removePending()
    counters.openConnections -= 1
    counters.closed += 1
    unregister(connection)
    handler?.connectionClosed(connection.id, reason: connection.reason)
  }

  /// A piece of a message: of at most the receive buffer's size, and of one frame.
  func received(
    _ connection: Connection, _ socket: OpaquePointer, _ chunk: UnsafeRawBufferPointer
  ) -> Int32 {
    heard(connection)
    // What is left of this frame can be claimed to be 2⁶³ − 1: compare by subtraction only.
    let rest = unsafe lws_remaining_packet_payload(socket)
    let isWhole = unsafe rest == 0 && lws_is_final_fragment(socket) != 0
    let piece = Piece(bytes: chunk.count, rest: rest, isLast: isWhole)
    switch count(piece, from: connection) {
    case .taken: break
    case .ignored: return 0
    case .fatal: return -1
    }
    if !connection.isAssembling {
      connection.isAssembling = true
      connection.isText = unsafe lws_frame_is_binary(socket) == 0
    }
    let room = configuration.maximumMessageBytes - connection.message.count
    guard chunk.count <= room, rest <= room - chunk.count else {
      beginClosing(connection, code: 1009, text: "message too big", reason: .messageTooBig)
      connection.message = []
      return 0
    }
    if isWhole, connection.message.isEmpty {
      unsafe deliver(connection, chunk.bindMemory(to: UInt8.self).span)
    } else {
      unsafe connection.message.append(contentsOf: chunk)
      if rest == 0, !isWhole { connection.isFragmented = true }
      if isWhole { deliverAssembled(connection) }
    }
    return 0
  }

  /// The answer to a ping, or one that nobody asked for.
  func ponged(_ connection: Connection, _ bytes: Int) -> Int32 {
    heard(connection)
    return count(Piece(bytes: bytes, isPong: true), from: connection) == .fatal ? -1 : 0
  }

  private func deliverAssembled(_ connection: Connection) {
    if connection.isFragmented { holdBack(connection) }
    connection.isFragmented = false
    // Taken out, so that the handler may do to the connection what it likes.
    var message: [UInt8] = []
    swap(&message, &connection.message)
    deliver(connection, message.span)
    message.removeAll(keepingCapacity: true)
    if connection.stage == .open { swap(&message, &connection.message) }
  }

  private func deliver(_ connection: Connection, _ bytes: Span<UInt8>) {
    connection.isAssembling = false
    counters.messagesReceived += 1
    counters.bytesReceived += bytes.count
    handler?.messageReceived(connection.id, bytes: bytes, isText: connection.isText)
    noteHaste(of: connection)
    shareLongTurn()
  }

  /// The peer's close frame: the answer to ours ends the connection; its own is answered by the
  /// library.
  func peerCloses(_ connection: Connection, _ payload: UnsafeRawBufferPointer) -> Int32 {
    connection.removePending()
    if connection.closedHere { return -1 }
    let hasCode = payload.count >= 2
    let code = unsafe hasCode ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : nil
    connection.reason = .peer(code: code)
    connection.closingAt = now
    schedule(connection)
    return 0
  }
}
