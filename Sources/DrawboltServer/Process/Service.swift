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
  /// The HTTP interface of administrators; nil where it is off.
  let admin: AdminAPI?
  let wall = WallClock()
  /// The rooms of all loops.
  let census: RoomCensus
  /// False from the stop signal on; `/readyz` says so.
  let isReady = Atomic(true)

  private let running = DispatchGroup()
  private let busy = Mutex(0)

  init(
    configuration: Configuration, vault: Vault, log: Log, door: Door, admin: AdminAPI? = nil
  ) {
    self.configuration = configuration
    self.vault = vault
    self.log = log
    self.door = door
    self.admin = admin
    census = RoomCensus(
      rooms: configuration.limits.rooms, boardsPerOpener: configuration.limits.boardsPerAddress)
  }

  /// A loop runs and will say when it is idle and when it has drained.
  func loopStarted() {
    running.enter()
    busy.withLock { $0 += 1 }
  }

  /// A loop that drains waits for no verdict any more; whether it was the last one that did.
  func loopIsIdle() -> Bool {
    busy.withLock { busy in
      busy -= 1
      return busy == 0
    }
  }

  /// A loop has no connection left.
  func loopDrained() { running.leave() }

  /// Waits until every loop has drained; false if that took longer.
  func waitForLoops(seconds: Double) -> Bool {
    running.wait(timeout: .now() + seconds) == .success
  }
}
