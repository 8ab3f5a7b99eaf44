import Foundation
import PadModel
import Synchronization
import Transport
import Vault

/// What all loops of the process share.
final class Service: Sendable {
  let configuration: Configuration
  let vault: Vault
  let log: Log
  /// Who may come in.
  let door: Door
  let wall = WallClock()
  /// False from the stop signal on; `/readyz` says so.
  let isReady = Atomic(true)

  private let running = DispatchGroup()

  init(configuration: Configuration, vault: Vault, log: Log, door: Door) {
    self.configuration = configuration
    self.vault = vault
    self.log = log
    self.door = door
  }

  /// A loop runs and will say when it has drained.
  func loopStarted() { running.enter() }

  /// A loop has no connection left.
  func loopDrained() { running.leave() }

  /// Waits until every loop has drained; false if that took longer.
  func waitForLoops(seconds: Double) -> Bool {
    running.wait(timeout: .now() + seconds) == .success
  }
}
