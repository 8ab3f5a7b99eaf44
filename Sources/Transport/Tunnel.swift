import CLibUV
import Glibc

/// The TLS in front of a connection: ciphertext on the network's socket, plain bytes on one end of a
/// socket pair whose other end is the connection's.
///
/// The border reads heads with `MSG_PEEK`, the library adopts a descriptor and frames are sent past it,
/// so all three get a descriptor that behaves like TCP without TLS. Touched by its loop's thread only.
@safe
final class Tunnel {
  /// How far it has come.
  enum Stage {
    /// The handshake goes on.
    case greeting
    /// Bytes go both ways, as far as neither side has ended.
    case open
    /// The descriptors are closed; a connection may still hold the object.
    case over
  }

  unowned let loop: EventLoop
  let peer: ListenAddress
  let session: TLSSession
  /// What is said to whoever was turned away and not admitted.
  let refusal: Refusal?
  /// The accepted socket; owned until the stage is `over`.
  let network: Int32
  /// The tunnel's end of the pair; owned like `network`.
  let inner: Int32
  var stage = Stage.greeting
  /// Its place in the loop's list.
  var place = 0

  var networkPoll: UnsafeMutablePointer<uv_poll_t>?
  var innerPoll: UnsafeMutablePointer<uv_poll_t>?
  /// What libuv watches now, so that nothing is asked of it twice.
  var networkEvents: Int32 = 0
  var innerEvents: Int32 = 0

  /// Plain bytes that the connection has not taken; while there are some, nothing is read.
  var incoming: [UInt8] = []
  /// Plain bytes that the network has not taken; while there are some, the connection is not read.
  var outgoing: [UInt8] = []
  /// OpenSSL has to write before it reads on.
  var readingWaitsToWrite = false
  /// The peer sends no more.
  var networkEnded = false
  /// The connection sends no more, and all that it sent is out.
  var innerEnded = false

  /// Whether the connection still counts; the later of the two ends the socket's count.
  var hasConnection = true
  let openedAt: UInt64
  /// When the network last took something; what ends the tunnel if its reader doesn't.
  var movedAt: UInt64
  /// When the connection ended; 0 before.
  var closingAt: UInt64 = 0

  init(
    loop: EventLoop, peer: ListenAddress, session: consuming TLSSession, network: Int32,
    inner: Int32, refusal: Refusal?
  ) {
    self.loop = loop
    self.peer = peer
    self.session = session
    self.network = network
    self.inner = inner
    self.refusal = refusal
    openedAt = loop.now
    movedAt = openedAt
  }

  /// What is to be watched on the network's socket.
  var wantedOfNetwork: Int32 {
    let reads = stage == .greeting ? !readingWaitsToWrite : incoming.isEmpty && !networkEnded
    let writes = readingWaitsToWrite || !outgoing.isEmpty
    return (reads ? Int32(UV_READABLE.rawValue) : 0) | (writes ? Int32(UV_WRITABLE.rawValue) : 0)
  }

  /// What is to be watched on the connection's side.
  var wantedOfInner: Int32 {
    if stage == .greeting { return 0 }
    let reads = outgoing.isEmpty && !innerEnded
    let writes = !incoming.isEmpty
    return (reads ? Int32(UV_READABLE.rawValue) : 0) | (writes ? Int32(UV_WRITABLE.rawValue) : 0)
  }
}

/// The tunnels of one loop.
struct Tunnels {
  /// What new connections get; nil if the loop's site speaks no TLS.
  var identity: TLSIdentity?
  /// All whose descriptors are open.
  var all: [Tunnel] = []
  /// Those whose handshake goes on, the oldest first.
  var greeting: [Tunnel] = []
  /// Those that still bring the end of what their connection said, which has ended.
  var closing: [Tunnel] = []
  /// Those that are only told why they are turned away.
  var turnedAway = 0
  /// Nanoseconds that handshakes have had in this turn.
  var greetedThisTurn: UInt64 = 0

  /// After so many nanoseconds handshakes wait for the next turn; a step in which the server signs may take
  /// longer.
  static let mostGreeting: UInt64 = 300_000
  /// Records of one connection in one turn, each way.
  static let mostRecordsPerTurn = 4
  /// What the kernel keeps of a tunnel's plain bytes each way: a blocked reader must be noticed soon.
  static let innerBufferBytes: Int32 = 32_768

  /// A handshake is over; mostly it is one of the oldest.
  mutating func removeGreeting(_ tunnel: Tunnel) {
    if let place = greeting.firstIndex(where: { $0 === tunnel }) { greeting.remove(at: place) }
  }
}
