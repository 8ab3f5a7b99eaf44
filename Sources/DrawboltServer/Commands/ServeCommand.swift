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
    let configuration = try ConfigurationOptions.configuration(arguments)
    do { try configuration.check() } catch { throw CommandFailure(.configuration, error.message) }
    try ServeCommand(configuration: configuration, console: console).run()
  }
}

/// From a checked configuration to a server and back.
struct ServeCommand {
  let configuration: Configuration
  let console: Console

  func run() throws(CommandFailure) {
    // Before any thread is made, so that all of them inherit the mask.
    var stop = StopSignal()
    try checkDescriptors()
    let store = DataStore(configuration)
    let lock = try store.lockDirectory()
    defer { lock.release() }
    let log = Log(level: configuration.logLevel, format: configuration.logFormat)
    defer { log.close() }
    let vault = try store.openVault(log: log)
    let server = try Server(configuration: configuration, vault: vault, log: log)
    log(
      .started(
        listen: server.siteAddresses.map(\.description).joined(separator: ","),
        admin: server.adminAddresses.map(\.description).joined(separator: ","),
        version: Program.version))
    console.print(greeting(server))
    server.stop(signal: stop.wait())
  }

  /// The connection cap and some files must fit into what the system allows.
  private func checkDescriptors() throws(CommandFailure) {
    let allowed = ProcessHygiene.raiseDescriptorLimit()
    let needed = configuration.limits.connections + 256
    guard needed <= allowed else {
      throw CommandFailure(
        .systemError,
        "limits.connections is \(configuration.limits.connections), but this process may open "
          + "\(allowed) files; raise the limit of open files to \(needed) or lower the setting to "
          + "\(max(1, allowed - 256))")
    }
  }

  private func greeting(_ server: Server) -> String {
    let site = server.siteAddresses.first.map { "http://\($0)" } ?? ""
    var lines = ["Drawbolt \(Program.version) is ready."]
    if configuration.dev {
      lines += [
        "  pad      \(site)/pad.html", "  mirror   \(site)/mirror.html",
        "  lock     \(site)/lock.html", "  pattern  2-5-8-9-6 opens the demo lock",
      ]
    } else {
      lines.append("  \(site)/")
    }
    if let admin = server.adminAddresses.first {
      lines.append("  metrics  http://\(admin)/metrics")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
