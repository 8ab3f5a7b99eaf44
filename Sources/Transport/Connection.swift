import CLibUV
import CLibwebsockets

/// One accepted socket, from the accept to the close.
///
/// Touched by its loop's thread only.
@safe
final class Connection {
  /// How far it has come.
  enum Stage {
    /// The request's head is being read.
    case reading
    /// The request's body is being read.
    case receiving
    /// The answer is being found, not on this turn of the loop.
    case awaiting
    /// The answer is being written.
    case responding
    /// The answer is out; what the peer still sends is thrown away until it hangs up, since a close
    /// with unread bytes would be a reset that can overtake the answer.
    case lingering
    /// It is a WebSocket.
    case open
    /// It is over; the object only lives on in somebody's list.
    case gone
  }

  // What each delivery looks at stands first and together: with a thousand viewers none of it is in the
  // processor's cache any more, and every line of it that is touched is waited for.
  let id: ConnectionID
  var stage = Stage.reading {
    didSet { if oldValue == .reading, stage != .reading { loop.counters.openHandshakes -= 1 } }
  }
  /// What leaves at the end of the turn.
  ///
  /// Nearly always that is one frame, which costs no array.
  private(set) var nextFrame: Frame?
  var isDirty = false
  /// The library holds bytes that the kernel did not take.
  var isBlocked = false
  /// A replaceable frame was refused, or asked about in vain: the handler is told when it drains.
  var owesWritable = false
  /// Owned until the library adopts it, which then closes it.
  let descriptor: Int32
  /// The library's, once it is a WebSocket.
  var socket: OpaquePointer?
  /// When a close frame was queued here, or the peer's came; 0 before.
  var closingAt: UInt64 = 0
  private(set) var laterFrames: [Frame] = []
  private(set) var pendingBytes = 0

  unowned let loop: EventLoop
  let listener: ListenerKind
  let peer: ListenAddress
  /// Whom it comes from, if the peer is a proxy that says so; counted by its address.
  var forwarded: ListenAddress?
  /// What stands between the descriptor and the network, if TLS does.
  let tunnel: Tunnel?
  let acceptedAt: UInt64
  /// When something was last heard, or for an answer last taken.
  var lastHeard: UInt64
  /// The bucket of the deadline wheel in which it is, or -1.
  var bucket = -1

  // While it is HTTP.
  var poll: UnsafeMutablePointer<uv_poll_t>?
  var input: [UInt8] = []
  var head: [UInt8] = []
  var body: [UInt8] = []
  var written = 0
  /// Whether the answer has no body.
  var asksForHead = false
  var origin: String?
  var subprotocol = 0

  /// What the body that is being read is for.
  var receiving: ReceivingRequest?

  // While it is a WebSocket.
  var isReady = false
  var message: [UInt8] = []
  var isAssembling = false
  /// Whether the message has come in several frames so far.
  var isFragmented = false
  var isText = false
  var pingedAt: UInt64 = 0
  /// Whether this side began the closing.
  var closedHere = false
  var reason = CloseReason.lost
  var traffic: Traffic
  var haste = Haste()

  init(
    id: ConnectionID, loop: EventLoop, listener: ListenerKind, peer: ListenAddress,
    descriptor: Int32, tunnel: Tunnel?, now: UInt64
  ) {
    self.id = id
    self.loop = loop
    self.listener = listener
    self.peer = peer
    self.descriptor = descriptor
    self.tunnel = tunnel
    acceptedAt = now
    lastHeard = now
    traffic = Traffic(at: now)
  }

  /// Whom it comes from.
  var client: ListenAddress { forwarded ?? peer }

  var isClosing: Bool { closingAt != 0 }

  /// The TCP socket, whose options and counts are the peer's; -1 if it is closed already.
  var network: Int32 {
    guard let tunnel else { return descriptor }
    return tunnel.stage == .over ? -1 : tunnel.network
  }

  var pendingCount: Int { nextFrame == nil ? 0 : 1 + laterFrames.count }

  func append(_ frame: Frame) {
    if nextFrame == nil { nextFrame = frame } else { laterFrames.append(frame) }
    pendingBytes += frame.bytes.count
  }

  func removePending() {
    nextFrame = nil
    pendingBytes = 0
    if !laterFrames.isEmpty { laterFrames.removeAll(keepingCapacity: laterFrames.count < 64) }
  }
}

/// A request whose body is on its way; an object, so that other connections keep no room for one.
final class ReceivingRequest {
  var request: HTTPRequest
  /// Bytes of the body.
  let length: Int
  let since: UInt64

  init(_ request: HTTPRequest, length: Int, since: UInt64) {
    self.request = request
    self.length = length
    self.since = since
  }
}
