import Foundation
import PadModel
import Transport
import Vault

extension Command {
  static let serve = Command(
    name: "serve", summary: "Run the server until SIGTERM or SIGINT.",
    details: """
      Every setting of the configuration is also a flag; see drawbolt config default. With --dev the
      data and the key live in ./var, the demo lock is enrolled if it is missing, and the limits by
      address leave this machine alone.
      """,
    options: ConfigurationOptions.forServe
  ) { arguments, console throws(CommandFailure) in
    let configuration = try ConfigurationOptions.checkedConfiguration(
      arguments, file: arguments["config"])
    var command = ServeCommand(
      configuration: configuration, place: arguments.place, console: console)
    try command.run()
  }
}

/// From a checked configuration to a server and back.
struct ServeCommand {
  var configuration: Configuration
  /// The options that say where the data are.
  let place: String
  let console: Console

  mutating func run() throws(CommandFailure) {
    // Before any thread is made, so that all of them inherit the mask.
    var signals = ServiceSignals(reloads: configuration.isSecure)
    let lowered = try fitDescriptors()
    let missing = leaveOutMissing()
    let ring = try Command.tokenRing(configuration)
    let store = try DataStore(configuration, place: place)
    let lock = try store.lockDirectory()
    defer { lock.release() }
    // Before anything is made or logged: a refusal is one line.
    let identity = try loadIdentity()
    try Server.probe(configuration)
    let log = Log(level: configuration.logLevel, format: configuration.logFormat)
    var end = ContinuousClock.now + Server.exitTime
    defer { log.close(by: end) }
    let vault = try store.openVault(log: log)
    let server = try Server(
      configuration: configuration, vault: vault, log: log, ring: ring, tls: identity,
      office: try store.openOffice())
    log(
      .started(
        listen: server.siteAddresses.map(\.description).joined(separator: ","),
        admin: server.adminAddresses.map(\.description).joined(separator: ","),
        version: Program.version))
    for address in missing { log(.addressMissing(listen: address)) }
    if let lowered { log(lowered) }
    if !configuration.isLoopbackOnly && !configuration.isSecure {
      log(.unencrypted(listen: configuration.listen.joined(separator: ",")))
    }
    if configuration.hasManySecrets {
      log(.secretsRaised(to: configuration.limits.secretsPerLock))
    }
    if let identity { log(.certificateLoaded(identity)) }
    // Who starts it at a terminal reads both: first what it did, then that it is ready.
    log.flush()
    console.print(greeting(server))
    let signal = waitForStop(&signals, server, log)
    end = ContinuousClock.now + Server.exitTime
    server.stop(signal: signal, by: end)
  }

  private func loadIdentity() throws(CommandFailure) -> TLSIdentity? {
    guard configuration.isSecure else { return nil }
    do throws(TransportError) {
      return try TLSIdentity.load(
        certificate: configuration.tlsCertificate, key: configuration.tlsKey)
    } catch {
      throw CommandFailure(.configuration, error.description)
    }
  }

  /// Renews the certificate as often as asked to; one that is no good leaves the old one in place.
  private func waitForStop(
    _ signals: inout ServiceSignals, _ server: Server, _ log: Log
  ) -> String {
    while true {
      switch signals.wait() {
      case .stop(let name): return name
      case .reload:
        do throws(CommandFailure) {
          guard let identity = try loadIdentity() else { continue }
          server.renew(identity)
          log(.certificateLoaded(identity))
        } catch {
          log(.certificateRefused(reason: error.message))
        }
      }
    }
  }

  /// Takes the addresses that nobody asked for and this machine does not have out of the defaults.
  private mutating func leaveOutMissing() -> [String] {
    guard !configuration.given.contains("listen") else { return [] }
    let missing = configuration.listen.filter { ListenText.parse($0)?.socket?.isHere == false }
    guard missing.count < configuration.listen.count else { return [] }
    configuration.listen.removeAll { missing.contains($0) }
    return missing
  }

  /// The connection cap and some files must fit into what the system allows: the default is lowered
  /// to that, which is to be logged, and a number that somebody set is refused.
  private mutating func fitDescriptors() throws(CommandFailure) -> LogEvent? {
    let allowed = ProcessHygiene.raiseDescriptorLimit()
    let connections = configuration.limits.connections
    let others = Self.otherDescriptors + Self.loopDescriptors * configuration.loops.count
    let each = configuration.isSecure ? Self.secureDescriptors : 1
    let possible = max(1, (allowed - others) / each)
    guard connections > possible else { return nil }
    let needed = connections * each + others
    guard !configuration.given.contains("limits.connections") else {
      throw CommandFailure(
        .systemError,
        "limits.connections is \(connections), but this process may open \(allowed) files; raise the "
          + "limit of open files to \(needed) or lower the setting to \(possible)")
    }
    configuration.limits.connections = possible
    return .connectionsLowered(
      to: possible, openFiles: allowed, needed: needed, isDemo: configuration.dev)
  }

  /// Descriptors that are no connections: listeners, database, log, and some to spare.
  private static let otherDescriptors = 240
  /// What each loop has of these: listeners, epoll, and what wakes it.
  private static let loopDescriptors = 16
  /// What a connection with TLS has: its socket and a pair behind it.
  private static let secureDescriptors = 3

  private func greeting(_ server: Server) -> String {
    let scheme = configuration.isSecure ? "https" : "http"
    let site = server.siteAddresses.first.map { "\(scheme)://\($0)" } ?? ""
    var lines = ["Drawbolt \(Program.version) is ready."]
    if configuration.dev {
      lines += [
        "  start    \(site)/", "  pad      \(site)/pad.html", "  mirror   \(site)/mirror.html",
        "  lock     \(site)/lock.html", "  pattern  2-5-8-9-6 opens the demo lock",
      ]
    } else {
      lines.append("  \(site)/")
    }
    if let reason = configuration.whyLoopback("listen") {
      lines.append("  open to this machine only: \(reason)")
    }
    if let admin = server.adminAddresses.first {
      lines.append("  metrics  http://\(admin)/metrics")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
