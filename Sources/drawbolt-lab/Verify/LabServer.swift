import CLab
package import DrawboltServer
import Foundation
import PadModel
package import Transport
import Vault

/// A server in this process, with temporary data and eight locks.
package final class LabServer {
  let vault: Vault
  package let address: ListenAddress
  /// Whether the server's threads have a core to themselves.
  let isPinned: Bool
  package let server: Server
  private let log: Log
  private let directory: String
  private let locks: [LockID]

  /// Starts it on a free port; if it is to be pinned, its threads stay on core 0 and the caller goes
  /// to core 1.
  package init(pinned: Bool = true) throws(CommandFailure) {
    directory = FileManager.default.temporaryDirectory.path + "/drawbolt-lab-\(UUID().uuidString)"
    // Threads inherit the core of whoever makes them.
    let hasCores = ProcessInfo.processInfo.activeProcessorCount > 1
    let serverPinned = pinned && hasCores && lab_pin_to_core(0) == 0
    var configuration = Configuration.development
    configuration.dataDirectory = directory
    configuration.listen = ["127.0.0.1:0"]
    configuration.admin = []
    configuration.webRoot = directory
    log = Log(level: .warning, format: .text)
    do throws(VaultError) {
      (vault, locks) = try Self.openVault(directory, configuration.keyPath)
    } catch {
      throw CommandFailure(.cannotCreate, error.message)
    }
    server = try Server(configuration: configuration, vault: vault, log: log)
    address = server.siteAddresses[0]
    isPinned = serverPinned && lab_pin_to_core(1) == 0
  }

  private static func openVault(
    _ directory: String, _ keyPath: String
  ) throws(VaultError) -> (Vault, [LockID]) {
    var configuration = VaultConfiguration(directory: directory, keyPath: keyPath)
    configuration.clock = HastyClock()
    configuration.limits.verdictTime = .seconds(1_000_000_000)
    let empty = try DataDirectory.lock(directory)
    defer { empty.release() }
    try VaultAdministration.createKey(at: keyPath)
    let administration = try VaultAdministration.open(configuration)
    var locks: [LockID] = []
    for number in 1...8 {
      guard let id = try? LockID("lab\(number)") else { continue }
      try administration.addLock(NewLock(id: id, schedule: .gatekeeper))
      _ = try administration.addSecret(
        NewSecret(lock: id, nodes: [0, 3, 6, 7, 8, 5]))
      locks.append(id)
    }
    return (try Vault.open(configuration), locks)
  }

  /// Has all locks drawn at, all the time.
  func startDrawers() -> WrongDrawers {
    let drawers = WrongDrawers(vault: vault, locks: locks)
    drawers.start()
    return drawers
  }

  /// Ends it and removes its data.
  package func stop() {
    server.stop(signal: "end of the measurement")
    log.close()
    try? FileManager.default.removeItem(atPath: directory)
  }
}

/// A clock on which a day passes whenever somebody looks.
///
/// So the real throttle, which allows few guesses a day, never refuses an attempt here, and what is
/// measured is the vault's whole way: reservation on the disk, hash, verdict.
final class HastyClock: VaultClock {
  private static let day: Int64 = 86_400
  private let looks = Counter()

  func read() -> ClockReading {
    let days = Int64(looks.next())
    return ClockReading(
      boot: Instant(nanoseconds: days * Self.day * 1_000_000_000), bootID: "lab",
      wall: 1_800_000_000 + days * Self.day)
  }
}
