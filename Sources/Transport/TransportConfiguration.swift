/// Which of the two doors a request came through.
public enum ListenerKind: Sendable, Hashable, CaseIterable {
  /// The door for people: web files, `/ws`, health.
  case site
  /// The door for operators: metrics and administration. It has no `/ws` and no web files.
  case admin
}

/// The literal names that a request may use for this server.
///
/// They are compared as bytes over their whole length and never derived from the request: a page of
/// another origin must not reach the server through a rebound DNS name or a cross-site WebSocket.
public struct BorderNames: Sendable, Equatable {
  /// Allowed `Host` values, such as `127.0.0.1:8080`.
  public var hosts: [String]
  /// Allowed `Origin` values, such as `http://127.0.0.1:8080`.
  public var origins: [String]

  /// Names exactly these hosts and origins.
  public init(hosts: [String], origins: [String]) {
    self.hosts = hosts
    self.origins = origins
  }

  /// Names these hosts, and as origins their pages.
  public init(hosts: [String], isSecure: Bool) {
    self.init(hosts: hosts, origins: hosts.map { "\(isSecure ? "https" : "http")://\($0)" })
  }

  /// The loopback names of a port: `127.0.0.1:P`, `localhost:P`, `[::1]:P`, and `http://` + those, or
  /// `https://`.
  ///
  /// The scheme's own port also gets them without a port, since browsers leave it out.
  public static func loopback(port: UInt16, isSecure: Bool = false) -> BorderNames {
    let bare = ["127.0.0.1", "localhost", "[::1]"]
    let hosts = bare.map { "\($0):\(port)" } + (port == (isSecure ? 443 : 80) ? bare : [])
    return BorderNames(hosts: hosts, isSecure: isSecure)
  }
}

/// Everything that a loop is told; it knows no limit of its own.
///
/// Times are milliseconds, sizes are bytes.
public struct TransportConfiguration: Sendable {
  /// Where people connect; port 0 lets the system choose one.
  public var siteListeners: [ListenAddress] = []
  /// Where operators connect.
  public var adminListeners: [ListenAddress] = []
  /// Proxies in front of the site, whose `X-Forwarded-For` says whom limits by address count.
  ///
  /// Requests of other peers that bear `Forwarded`, `X-Forwarded-*`, `X-Real-IP` or `Via` are refused.
  public var proxies: [AddressRange] = []
  /// Where requests at the admin listener may have bodies; `nil` where none may.
  public var adminBodies: BodyRule?
  /// The site's own names; `nil` means the loopback names of the bound ports.
  public var siteNames: BorderNames?
  /// The only origins whose pages may connect to the site; empty means those of its names.
  public var siteOrigins: [String] = []
  /// The admin listener's own names; `nil` means the loopback names of the bound ports.
  public var adminNames: BorderNames?
  /// Paths of web files that pages of every origin may load: a client library, for example.
  public var sharedFiles: Set<String> = []
  /// Paths of web pages that pages of ``frameAncestors`` may show in a frame.
  public var framedFiles: Set<String> = []
  /// Origins that may show ``framedFiles`` in a frame; nothing else is ever shown in one.
  public var frameAncestors: [String] = []
  /// What the site's listeners show to prove who they are; `nil` has them speak plain HTTP.
  ///
  /// The admin listeners always do.
  public var tls: TLSIdentity?
  /// Seconds for which a browser that came by TLS is to use nothing else for the site's hosts; 0 does
  /// not ask for it.
  public var strictTransportSeconds = 31_536_000
  /// The most TLS handshakes of a loop that may be unfinished; the oldest is dropped for one more, or
  /// waited for like a request.
  public var maximumTLSHandshakes = 1000
  /// The most sockets of a loop above the limits of connections that may shake hands by TLS only to be
  /// told so; more are cut off.
  public var maximumTurnedAway = 64
  /// WebSocket subprotocols, in the order of the index that handlers are given.
  public var subprotocols: [String] = []
  /// The folder that is served on the site, read once at the start; `nil` serves none.
  public var siteRoot: String?

  /// The largest message that a client may send; a larger one is closed with 1009.
  public var maximumMessageBytes = 4096
  /// The most frames that a message may be divided into.
  public var maximumFragments = 64
  /// The most of these that may be empty, not counting the last frame.
  public var maximumEmptyFragments = 1
  /// Pieces a second that a connection may send in the long run: parts of messages as the library
  /// tells of them, pongs, and TCP segments.
  public var piecesPerSecond = 1200
  /// Pieces that it may send at once after a pause.
  public var pieceBurst = 8000
  /// Bytes a second that a connection may send in the long run, headers and control frames included.
  public var bytesPerSecond = 256 * 1024
  /// Bytes that it may send at once after a pause.
  public var byteBurst = 1024 * 1024
  /// The close code for a connection that sends more than that.
  public var tooFastCode: UInt16 = 1008
  /// The share of a processor, in thousandths, that the loop must use before the kernel is asked who
  /// sends what the library hides, such as pings.
  public var watchAboveLoad = 125
  /// The most bytes of frames that may never be skipped, queued for one slow connection.
  public var maximumQueuedBytes = 16 * 1024
  /// A ping is sent after this long without hearing a byte.
  public var pingAfter = 20_000
  /// A connection is dropped after this long without hearing a byte.
  public var deadAfter = 30_000
  /// A request's head must have arrived this long after the accept.
  public var acceptToHead = 10_000
  /// An answer that was put off must be given this long after its request; else it is 503.
  public var answerWithin = 5000
  /// ``EventLoop/markReady(_:)`` must have been called this long after the accept.
  public var acceptToReady = 10_000
  /// The close code for a connection that was not marked ready in time.
  public var notReadyCode: UInt16 = 1008
  /// How long a peer may take to answer a close frame before its connection is dropped.
  public var closeAcknowledgement = 2000
  /// How long accepting pauses when the process is out of file descriptors.
  public var acceptPause = 200
  /// The most accepts in one turn of the loop, so that a burst can't starve the open connections.
  public var acceptsPerTurn = 64
  /// The most connections whose request has not come yet; before one more is accepted the oldest of
  /// them is closed, or waited for while it is younger than ``handshakePatience``.
  public var maximumHandshakes = 1024
  /// Milliseconds that a peer has in any case for its request and its TLS handshake, however many wait.
  public var handshakePatience = 3000
  /// Milliseconds to the next look at whether there is room for one more.
  public var handshakePause = 5

  /// The most connections of all loops that share an admission.
  public var maximumConnections = 20_000
  /// The most connections of one address (IPv4 /32, IPv6 /64, all of loopback).
  public var maximumConnectionsPerAddress = 200
  /// How many connections an address may open a second, once its burst is used up.
  public var acceptsPerSecond = 20
  /// How many connections an address may open at once.
  public var acceptBurst = 200
  /// Whether the two limits per address leave loopback peers alone.
  public var exemptsLoopback = false

  /// The kernel takes no more of a connection while it holds so many bytes that it could not send.
  public var maximumUnsentBytes = 4096
  /// The kernel's send buffer of a connection; `nil` leaves the system's choice.
  public var sendBufferBytes: Int32?
  /// Where the lines of the library's own log go: printable, rate-limited, without a line end.
  public var libraryLog: @Sendable (String) -> Void = { _ in }

  /// The defaults: no listener, no subprotocol, the limits of the design.
  public init() {}
}
