import Glibc
import Synchronization

/// What a loop is made of, prepared on the thread that starts it.
struct LoopParts: Sendable {
  let index: Int
  let acceptsFromStart: Bool
  var configuration: TransportConfiguration
  let admission: Admission
  let site: StaticSite
  var listeners: [BoundListener]

  /// Listens, and fills in the ports that the system chose.
  static func make(
    _ asked: TransportConfiguration, sharing first: LoopParts?, index: Int, accepts: Bool
  ) throws(TransportError) -> LoopParts {
    var configuration = first?.configuration ?? asked
    try check(configuration)
    let site: StaticSite
    if let first {
      site = first.site
    } else {
      site = try configuration.siteRoot.map(StaticSite.init(root:)) ?? StaticSite()
    }
    var sockets: [(kind: ListenerKind, descriptor: Int32)] = []
    do throws(TransportError) {
      try listen(on: &configuration.siteListeners, .site, &sockets)
      try listen(on: &configuration.adminListeners, .admin, &sockets)
    } catch {
      for socket in sockets { close(socket.descriptor) }
      throw error
    }
    for socket in sockets { Sockets.setInherited(socket.descriptor, configuration) }
    let final = configuration
    return LoopParts(
      index: index, acceptsFromStart: accepts, configuration: final,
      admission: first?.admission ?? Admission(final), site: site,
      listeners: sockets.map { listener($0.descriptor, $0.kind, final) })
  }

  private static func listen(
    on addresses: inout [ListenAddress], _ kind: ListenerKind,
    _ sockets: inout [(kind: ListenerKind, descriptor: Int32)]
  ) throws(TransportError) {
    for index in addresses.indices {
      let descriptor = try Sockets.listen(on: addresses[index], reusePort: true)
      sockets.append((kind, descriptor))
      addresses[index] = addresses[index].with(port: Sockets.port(of: descriptor))
    }
  }

  private static func listener(
    _ descriptor: Int32, _ kind: ListenerKind, _ configuration: TransportConfiguration
  ) -> BoundListener {
    let names = configuration.names(of: kind)
    return BoundListener(
      descriptor: descriptor, kind: kind,
      border: Border(
        kind: kind, names: names,
        subprotocols: configuration.subprotocols, sharedFiles: configuration.sharedFiles,
        bodies: kind == .admin ? configuration.adminBodies : nil),
      writer: ResponseWriter(
        hosts: names.hosts, frameAncestors: configuration.frameAncestors,
        isSecure: configuration.isSecure(kind),
        strictSeconds: configuration.strictTransportSeconds))
  }

  private static func check(_ configuration: TransportConfiguration) throws(TransportError) {
    let times = [
      configuration.pingAfter, configuration.acceptToHead, configuration.acceptToReady,
      configuration.closeAcknowledgement, configuration.acceptPause, configuration.acceptsPerTurn,
      configuration.maximumMessageBytes, configuration.maximumConnections,
      configuration.maximumConnectionsPerAddress, configuration.maximumFragments,
      configuration.piecesPerSecond, configuration.pieceBurst, configuration.bytesPerSecond,
      configuration.byteBurst, configuration.answerWithin, configuration.maximumHandshakes,
      configuration.maximumUnsentBytes, configuration.maximumTLSHandshakes,
      configuration.maximumTurnedAway, configuration.handshakePatience,
      configuration.handshakePause,
    ]
    guard times.allSatisfy({ $0 > 0 && $0 <= 1 << 30 }) else {
      throw .badConfiguration("a time or limit of the transport is not positive, or is absurd")
    }
    guard configuration.maximumConnections < ConnectionID.slots.count else {
      throw .badConfiguration("more connections than can be numbered")
    }
    guard configuration.deadAfter > configuration.pingAfter else {
      throw .badConfiguration("a connection must be dead later than it is pinged")
    }
    for kind in ListenerKind.allCases {
      let names = configuration.names(of: kind)
      guard (names.hosts + names.origins).allSatisfy(isPlain) else {
        throw .badConfiguration("a host or an origin has characters that can't stand in a header")
      }
    }
  }

  /// Whether a name can stand in a header among others, which a line end, a blank or a semicolon would
  /// end.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: ".:[]-/".utf8.contains(byte)
        }
      }
  }
}

extension TransportConfiguration {
  /// Whether a listener speaks TLS.
  func isSecure(_ kind: ListenerKind) -> Bool { kind == .site && tls != nil }

  /// The literal names of one listener, with the origins that were set apart from them.
  ///
  /// Loopback names are those of the ports in this configuration, which a running loop's has filled in.
  public func names(of kind: ListenerKind) -> BorderNames {
    var names = (kind == .site ? siteNames : adminNames) ?? loopbackNames(of: kind)
    if kind == .site, !siteOrigins.isEmpty { names.origins = siteOrigins }
    return names
  }

  /// What other sites may do with the web file at a path.
  func embedding(of path: String) -> HTTPResponse.Embedding {
    if sharedFiles.contains(path) { return .load }
    return framedFiles.contains(path) && !frameAncestors.isEmpty ? .frame : .none
  }

  private func loopbackNames(of kind: ListenerKind) -> BorderNames {
    var ports: [UInt16] = []
    for address in kind == .site ? siteListeners : adminListeners
    where !ports.contains(address.port) {
      ports.append(address.port)
    }
    let names = ports.map { BorderNames.loopback(port: $0, isSecure: isSecure(kind)) }
    return BorderNames(hosts: names.flatMap(\.hosts), origins: names.flatMap(\.origins))
  }
}

/// Carries a loop to its thread and the outcome of its start back.
@safe
final class LoopStart: Sendable {
  let handle: LoopHandle
  let makeHandler: @Sendable (EventLoop) -> any TransportHandler
  private let result = Mutex<TransportError?>(nil)
  nonisolated(unsafe) private let isStarted: UnsafeMutablePointer<sem_t>

  init(
    handle: LoopHandle, makeHandler: @escaping @Sendable (EventLoop) -> any TransportHandler
  ) {
    self.handle = handle
    self.makeHandler = makeHandler
    unsafe isStarted = .allocate(capacity: 1)
    unsafe sem_init(isStarted, 0, 0)
  }

  deinit { unsafe isStarted.deallocate() }

  /// Makes the thread.
  ///
  /// It takes no signals: those are the main thread's business, and a broken pipe is an error of
  /// its call.
  func launch() throws(TransportError) -> pthread_t {
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let me = unsafe Unmanaged.passRetained(self).toOpaque()
    let code = unsafe pthread_create(&thread, nil, loopThread, me)
    guard code == 0 else {
      unsafe Unmanaged<LoopStart>.fromOpaque(me).release()
      throw .cannotStartThread(errno: code)
    }
    return thread
  }

  /// Tells the starting thread how it went.
  func finish(_ error: TransportError?) {
    result.withLock { $0 = error }
    unsafe sem_post(isStarted)
  }

  /// Waits for ``finish(_:)``.
  func outcome() -> TransportError? {
    while unsafe sem_wait(isStarted) != 0, errno == EINTR {}
    return result.withLock { $0 }
  }
}

private func loopThread(_ data: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let data = unsafe data else { return nil }
  let start = unsafe Unmanaged<LoopStart>.fromOpaque(data).takeRetainedValue()
  start.handle.run(start)
  return nil
}
