import CLinux
import Foundation
import PadModel
import Synchronization
package import Transport
package import Vault
import Wire

/// The running server: vault, loops and the way in and out.
package final class Server {
  private let service: Service
  private var loops: [LoopHandle] = []

  /// The addresses that people can open, ports filled in.
  package var siteAddresses: [ListenAddress] { loops[0].configuration.siteListeners }
  /// The addresses of metrics.
  var adminAddresses: [ListenAddress] { loops[0].configuration.adminListeners }

  /// Starts the loops; the vault is open already.
  package init(
    configuration: Configuration, vault: Vault, log: Log, ring: TokenRing = TokenRing(),
    tls: TLSIdentity? = nil, office: AdminOffice? = nil
  ) throws(CommandFailure) {
    service = Service(
      configuration: configuration, vault: vault, log: log,
      door: Door(configuration, ring: ring),
      admin: office.map { AdminAPI(configuration, office: $0) })
    var transport = Self.transport(configuration, log)
    transport.tls = tls
    do throws(TransportError) {
      for index in 0..<configuration.loops.count { try startLoop(transport, index) }
    } catch {
      for handle in loops {
        handle.stop()
        handle.join()
      }
      throw CommandFailure(.unavailable, error.description)
    }
    let failures = StoreFailures(log)
    vault.whenFailed { failures($0, $1) }
    let handles = loops
    // All know all before any has a member, whose messages go to another's inbox behind this.
    for handle in handles { handle.submit { ($0.handler as? Hub)?.meet(handles) } }
    for handle in handles { handle.accept() }
    vault.whenChanged { changes in
      for change in changes { log(.lockChanged(change)) }
      if changes.isEmpty { log(.databaseChanged) }
      for handle in handles { handle.submit { loop in (loop.handler as? Hub)?.locksChanged() } }
    }
  }

  /// Runs something on each loop's thread, soon.
  package func submit(_ work: @escaping @Sendable (EventLoop) -> Void) {
    for handle in loops { handle.submit(work) }
  }

  /// Makes sure that nobody listens where this server will; a second one would bind in silence.
  static func probe(_ configuration: Configuration) throws(CommandFailure) {
    do throws(TransportError) {
      for address in sockets(configuration.listen + configuration.admin) { try address.probe() }
    } catch {
      throw CommandFailure(.unavailable, error.description)
    }
  }

  private static func sockets(_ texts: [String]) -> [ListenAddress] {
    texts.compactMap(ListenText.parse).compactMap(\.socket)
  }

  private func startLoop(
    _ transport: TransportConfiguration, _ index: Int
  ) throws(TransportError) {
    let service = self.service
    let handle = try LoopHandle.start(
      transport, sharing: loops.first, index: index, accepting: false
    ) { loop in
      // Without it a frame waits up to a timer tick behind whatever the core is busy with.
      _ = clinux_set_short_turns()
      return Hub(loop, service: service)
    }
    service.loopStarted()
    loops.append(handle)
  }

  /// What the transport is told of the configuration.
  private static func transport(_ configuration: Configuration, _ log: Log)
    -> TransportConfiguration
  {
    let limits = configuration.limits
    var transport = TransportConfiguration()
    transport.siteListeners = sockets(configuration.listen)
    transport.adminListeners = sockets(configuration.admin)
    if configuration.adminAPI == .on { transport.adminBodies = AdminAPI.bodies }
    transport.proxies = configuration.proxies.compactMap { AddressRange($0) }
    if !configuration.hosts.isEmpty {
      transport.siteNames = BorderNames(
        hosts: configuration.hosts, isSecure: configuration.isSecure)
    }
    // A browser that is told so on a developer's machine refuses everything else there.
    if configuration.dev { transport.strictTransportSeconds = 0 }
    transport.siteOrigins = configuration.origins
    transport.sharedFiles = ClientLibrary.files
    transport.framedFiles = [ClientLibrary.padPage]
    transport.frameAncestors = configuration.frameAncestors
    transport.subprotocols = WireFormat.allCases.map(\.subprotocol)
    transport.siteRoot = configuration.webRoot
    transport.maximumMessageBytes = limits.messageBytes
    transport.maximumQueuedBytes = limits.controlQueueBytes
    transport.maximumFragments = limits.fragmentsPerMessage
    transport.piecesPerSecond = limits.piecesPerSecond
    transport.pieceBurst = limits.piecesBurst
    transport.bytesPerSecond = limits.bytesPerSecond
    transport.byteBurst = limits.bytesBurst
    transport.tooFastCode = CloseReason.tooFast.code
    transport.pingAfter = Int(limits.pingAfter.millisecondsClamped)
    transport.deadAfter = Int(limits.deadAfter.millisecondsClamped)
    transport.acceptToHead = Int(limits.helloTime.millisecondsClamped)
    transport.acceptToReady = Int(limits.helloTime.millisecondsClamped)
    transport.notReadyCode = CloseReason.helloTimeout.code
    transport.maximumConnections = limits.connections
    transport.maximumConnectionsPerAddress = limits.connectionsPerAddress
    transport.acceptsPerSecond = limits.acceptsPerSecond
    transport.acceptBurst = limits.acceptsBurst
    transport.maximumHandshakes = limits.handshakes
    transport.maximumTLSHandshakes = limits.tlsHandshakes
    transport.maximumTurnedAway = limits.turnedAway
    transport.maximumUnsentBytes = limits.unsentBytes
    transport.exemptsLoopback = configuration.dev
    transport.libraryLog = { log(.library(text: $0)) }
    return transport
  }

  /// Shows another certificate to whoever connects from now on.
  func renew(_ identity: TLSIdentity) {
    for handle in loops { handle.submit { $0.renew(identity) } }
  }

  /// How long a stop may take in all.
  private static let stopTime = 6.0

  /// From the signal until the process is to end, whatever still goes on.
  package static let exitTime = Duration.milliseconds(7500)

  /// Waits for the vault as long as there is time: a hash that costs much can't be interrupted.
  ///
  /// What stays without a verdict is counted already; the next start audits it as abandoned.
  private func closeVault(by end: ContinuousClock.Instant) {
    let closed = DispatchSemaphore(value: 0)
    let vault = service.vault
    Thread.detachNewThread {
      vault.close()
      closed.signal()
    }
    let left = max(.milliseconds(100), end - ContinuousClock.now)
    _ = closed.wait(timeout: .now() + left.inSeconds)
  }

  /// Tells every member, closes, and waits until the loops have ended or the time is over.
  package func stop(
    signal: String, by end: ContinuousClock.Instant = .now + Server.exitTime
  ) {
    let start = ContinuousClock.now
    service.log(.stopping(signal: signal))
    service.isReady.store(false, ordering: .relaxed)
    for handle in loops { handle.submit { loop in (loop.handler as? Hub)?.beginDrain() } }
    if service.waitForLoops(seconds: Self.stopTime) {
      for handle in loops {
        handle.stop()
        handle.join()
      }
    }
    service.admin?.close()
    closeVault(by: end)
    service.log(
      .stopped(seconds: ((ContinuousClock.now - start).inSeconds * 1000).rounded() / 1000))
  }
}
