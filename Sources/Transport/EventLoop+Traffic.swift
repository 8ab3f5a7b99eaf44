import CLibwebsockets

/// One call of the library: a part of a message, or a pong.
struct Piece {
  let bytes: Int
  /// What its frame still has to bring.
  var rest = 0
  /// Whether its message is whole.
  var isLast = true
  var isPong = false
}

/// What becomes of a piece.
enum PieceAnswer {
  case taken
  /// The connection is closing.
  case ignored
  /// The peer goes on and on after our close frame: its connection ends at once.
  case fatal
}

extension EventLoop {
  /// Counts a piece, whatever its size: a flood of empty ones costs as much as one of full ones.
  func count(_ piece: Piece, from connection: Connection) -> PieceAnswer {
    let startsFrame = piece.isPong || !connection.traffic.isInFrame
    if !piece.isPong { connection.traffic.isInFrame = piece.rest > 0 }
    let header = startsFrame ? Self.headerBytes(of: piece) : 0
    let isWithin =
      pieceAllowance.take(1, from: &connection.traffic.piecesFullAt, since: now, at: now)
      && byteAllowance.take(
        UInt64(piece.bytes + header), from: &connection.traffic.bytesFullAt, since: now, at: now)
    if connection.isClosing || libraryCloses(connection) { return isWithin ? .ignored : .fatal }
    guard isWithin, piece.isPong || hasFewFragments(piece, connection, startsFrame) else {
      tooFast(connection)
      return .ignored
    }
    return .taken
  }

  private static func headerBytes(of piece: Piece) -> Int {
    // A length that would overflow is refused when the message's size is looked at.
    let length = piece.bytes.addingReportingOverflow(piece.rest)
    return length.overflow || length.partialValue > 65_535 ? 14 : length.partialValue > 125 ? 8 : 6
  }

  private func hasFewFragments(
    _ piece: Piece, _ connection: Connection, _ startsFrame: Bool
  ) -> Bool {
    if startsFrame { connection.traffic.fragments += 1 }
    let fragments = connection.traffic.fragments
    if piece.bytes == 0 && !piece.isLast { connection.traffic.emptyFragments += 1 }
    let isFine =
      fragments <= configuration.maximumFragments
      && connection.traffic.emptyFragments <= configuration.maximumEmptyFragments
    if piece.isLast {
      connection.traffic.fragments = 0
      connection.traffic.emptyFragments = 0
    }
    return isFine
  }

  private func tooFast(_ connection: Connection) {
    counters.tooFast += 1
    connection.message = []
    // What still comes until the peer has read the close frame has a burst of its own.
    connection.traffic.piecesFullAt = 0
    connection.traffic.bytesFullAt = 0
    beginClosing(
      connection, code: configuration.tooFastCode, text: "too fast", reason: .tooFast)
  }

  /// One tick of the wheel: if the loop has much to do, looks for who makes it.
  ///
  /// The library hides pings, empty pongs and half frames, so these are found by the kernel's count
  /// of bytes and segments. A flood that keeps the loop below the share costs no look.
  func watchTraffic() {
    let used = Sockets.threadTime()
    let spent = (used - watch.usedThen) * 1000
    let passed = now - watch.lookedAt
    watch.usedThen = used
    watch.lookedAt = now
    guard spent >= passed * UInt64(configuration.watchAboveLoad) else { return }
    for _ in 0..<min(slots.count, TrafficWatch.looksPerTick) {
      watch.nextSlot = watch.nextSlot + 1 < slots.count ? watch.nextSlot + 1 : 0
      if let connection = slots[watch.nextSlot], connection.stage == .open { look(at: connection) }
    }
  }

  private func look(at connection: Connection) {
    counters.looks += 1
    guard let seen = Sockets.received(connection.network) else { return }
    let before = connection.traffic.seen
    let since = connection.traffic.lookedAt
    connection.traffic.seen = seen
    connection.traffic.lookedAt = now
    let isWithin =
      pieceAllowance.take(
        UInt64(seen.segments &- before.segments), from: &connection.traffic.segmentsFullAt,
        since: since, at: now)
      && byteAllowance.take(
        seen.bytes &- before.bytes, from: &connection.traffic.receivedFullAt, since: since, at: now)
    if isWithin { return }
    if connection.isClosing || libraryCloses(connection) {
      cut(connection, reason: connection.reason)
    } else {
      tooFast(connection)
    }
  }

  /// Whether the library closes the connection for an error of protocol (1002, 1007).
  ///
  /// It tells nobody, so it is asked before anything is done: nothing may follow a close frame. A
  /// peer that doesn't answer that frame is dropped as if it were ours.
  func libraryCloses(_ connection: Connection) -> Bool {
    guard let socket = unsafe connection.socket, unsafe lws_get_close_length(socket) != 0 else {
      return false
    }
    connection.removePending()
    connection.closingAt = now
    schedule(connection)
    return true
  }
}
