/// Names a connection for as long as the process runs: its loop, a slot, and the slot's generation.
///
/// An id outlives its connection safely: every operation on a stale one does nothing.
public struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
  /// Slot in the low 24 bits, the loop's index in the next 8, generation in the high 32; unique
  /// within the process.
  public let rawValue: UInt64

  /// Names the connection whose ``rawValue`` was kept.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  package init(slot: Int, loop: Int, generation: UInt32) {
    precondition(Self.slots.contains(slot) && Self.loops.contains(loop))
    rawValue = UInt64(generation) << 32 | UInt64(loop) << 24 | UInt64(slot)
  }

  /// What slots and loops may be numbered.
  static let slots = 0..<(1 << 24), loops = 0..<(1 << 8)

  /// The ``EventLoop/index`` of its loop.
  public var loop: Int { Int(UInt8(truncatingIfNeeded: rawValue >> 24)) }
  package var slot: Int { Int(truncatingIfNeeded: rawValue) & (Self.slots.upperBound - 1) }
  package var generation: UInt32 { UInt32(rawValue >> 32) }

  /// Loop, slot and generation, for logs.
  public var description: String { "\(loop).\(slot).\(generation)" }
}

/// A connection that has just become a WebSocket.
public struct ConnectionOpening: Sendable, Equatable {
  /// The name for all further calls.
  public let id: ConnectionID
  /// The index in ``TransportConfiguration/subprotocols`` of what was agreed.
  public let subprotocol: Int
  /// The peer's address and port.
  public let peer: ListenAddress
  /// The request's `Origin`, which is the site's own or may connect by
  /// ``TransportHandler/mayConnect(fromOrigin:)``; `nil` if it had none, as scripts do.
  public let origin: String?
}

/// Why a connection ended.
public enum CloseReason: Sendable, Equatable {
  /// The peer closed, with this code, or without any.
  case peer(code: UInt16?)
  /// This side closed with this code.
  case closed(code: UInt16)
  /// A message was larger than ``TransportConfiguration/maximumMessageBytes`` (1009).
  case messageTooBig
  /// Nothing was heard for ``TransportConfiguration/deadAfter``.
  case dead
  /// It sent more than the configuration's pieces, bytes and fragments allow.
  case tooFast
  /// It was not marked ready within ``TransportConfiguration/acceptToReady``.
  case notReady
  /// Its queue went over ``TransportConfiguration/maximumQueuedBytes``.
  case tooSlow(queuedBytes: Int)
  /// ``EventLoop/drop(_:)`` was called, or the loop stopped.
  case dropped
  /// The connection broke, or the library ended it for an error of protocol (1002, 1007).
  case lost
}

/// Whether a newer frame may take a frame's place.
public enum Delivery: Sendable, Equatable {
  /// State: while the connection is blocked the frame is refused, and the caller sends the newest
  /// one when ``TransportHandler/connectionWritable(_:)`` says so.
  case replaceable
  /// A record: it waits in the connection's queue, which has a limit in bytes.
  case queued
}

/// What became of a frame that was given to a connection.
public enum SendOutcome: Sendable, Equatable {
  /// It leaves at the end of this turn, or waits in the queue.
  case accepted
  /// The connection is blocked and the frame was replaceable: it was not taken.
  case blocked
  /// There is no such connection any more, or it is closing.
  case gone
}

/// What the owner of a loop does with its events.
///
/// Every method runs on the loop's thread. It may call any operation of the loop; nothing is sent or closed before it returns.
public protocol TransportHandler: AnyObject {
  /// Whether pages of an origin that is not among the site's own may open a WebSocket.
  func mayConnect(fromOrigin origin: String) -> Bool

  /// A connection became a WebSocket.
  func connectionOpened(_ opening: ConnectionOpening)

  /// A whole message came. `bytes` is only valid during the call.
  func messageReceived(_ id: ConnectionID, bytes: Span<UInt8>, isText: Bool)

  /// A blocked connection takes replaceable frames again.
  func connectionWritable(_ id: ConnectionID)

  /// A connection that had been opened is gone. It is the last event of this id.
  func connectionClosed(_ id: ConnectionID, reason: CloseReason)

  /// The loop has handled all that was ready. Frames sent now leave in this turn.
  ///
  /// - Parameter now: ``EventLoop/now``, nanoseconds of `CLOCK_BOOTTIME`.
  func turnEnded(now: UInt64)

  /// A request that is neither `/ws` nor a web file.
  func httpRequested(_ request: HTTPRequest) -> HTTPReply

  /// ``EventLoop/drain(code:reason:within:)`` is done: no connection is left.
  func drained()
}

extension TransportHandler {
  /// Lets none.
  public func mayConnect(fromOrigin origin: String) -> Bool { false }
  /// Does nothing.
  public func turnEnded(now: UInt64) {}
  /// Answers 404.
  public func httpRequested(_ request: HTTPRequest) -> HTTPReply { .notFound }
  /// Does nothing.
  public func connectionWritable(_ id: ConnectionID) {}
  /// Does nothing.
  public func drained() {}
}
