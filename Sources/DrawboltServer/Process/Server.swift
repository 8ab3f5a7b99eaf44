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
  package init(configuration: Configuration, vault: Vault, log: Log) throws(CommandFailure) {
    service = Service(configuration: configuration, vault: vault, log: log)
    let transport = Self.transport(configuration, log)
    do throws(TransportError) {
      for address in transport.siteListeners + transport.adminListeners { try address.probe() }
      try startLoop(transport)
    } catch {
      throw CommandFailure(.unavailable, error.description)
    }
    let handles = loops
    vault.whenChanged { count in
      log(.lockChanged(count: count))
      for handle in handles { handle.submit { loop in (loop.handler as? Hub)?.locksChanged() } }
    }
  }

  private func startLoop(_ transport: TransportConfiguration) throws(TransportError) {
    let service = self.service
    let handle = try LoopHandle.start(transport) { loop in Hub(loop, service: service) }
    handle.submit { loop in (loop.handler as? Hub)?.handle = handle }
    service.loopStarted()
    loops.append(handle)
  }

  /// What the transport is told of the configuration.
  private static func transport(_ configuration: Configuration, _ log: Log)
    -> TransportConfiguration
  {
    let limits = configuration.limits
    var transport = TransportConfiguration()
    transport.siteListeners = configuration.listen.compactMap(ListenText.parse).compactMap(\.socket)
    transport.adminListeners = configuration.admin.compactMap(ListenText.parse).compactMap(\.socket)
    if !configuration.hosts.isEmpty {
      let origins =
        configuration.origins.isEmpty
        ? configuration.hosts.map { "http://\($0)" } : configuration.origins
      transport.siteNames = BorderNames(hosts: configuration.hosts, origins: origins)
    }
    transport.subprotocols = WireFormat.allCases.map(\.subprotocol)
    transport.siteRoot = configuration.webRoot
    transport.maximumMessageBytes = limits.messageBytes
    transport.maximumQueuedBytes = limits.controlQueueBytes
    transport.pingAfter = Int(limits.pingAfter.millisecondsClamped)
    transport.deadAfter = Int(limits.deadAfter.millisecondsClamped)
    transport.acceptToHead = Int(limits.helloTime.millisecondsClamped)
    transport.acceptToReady = Int(limits.helloTime.millisecondsClamped)
    transport.notReadyCode = CloseReason.helloTimeout.code
    transport.maximumConnections = limits.connections
    transport.maximumConnectionsPerAddress = limits.connectionsPerAddress
    transport.acceptsPerSecond = limits.acceptsPerSecond
    transport.acceptBurst = limits.acceptsBurst
    transport.exemptsLoopback = configuration.dev
    transport.libraryLog = { log(.library(text: $0)) }
    return transport
  }

  /// How long a stop may take in all.
  private static let stopTime = 7.0

  /// Tells every member, closes, and waits until the loops have ended or the time is over.
  package func stop(signal: String) {
    let start = Date()
    service.log(.stopping(signal: signal))
    service.isReady.store(false, ordering: .relaxed)
    for handle in loops { handle.submit { loop in (loop.handler as? Hub)?.beginDrain() } }
    if service.waitForLoops(seconds: Self.stopTime) {
      for handle in loops {
        handle.stop()
        handle.join()
      }
    }
    service.vault.close()
    service.log(.stopped(seconds: (Date().timeIntervalSince(start) * 1000).rounded() / 1000))
  }
}

extension ListenText {
  /// As the transport takes it.
  fileprivate var socket: ListenAddress? { ListenAddress(host: address, port: port) }
}
