import Synchronization

/// Counts connections by address, for all loops of a process together.
///
/// It is asked once per accept and once per close, so a lock costs nothing that could be measured.
package final class Admission: Sendable {
  /// Whether a connection may come in.
  package enum Decision: Sendable, Equatable {
    /// It may, and is counted until ``release(_:)``.
    case admitted
    /// The server is full.
    case full
    /// The address has too many or is too fast.
    case tooMany
  }

  private struct Entry {
    var open = 0
    /// When the bucket is full again (generic cell rate algorithm): one number instead of two.
    var replenishedAt: UInt64 = 0
  }

  private struct State {
    var open = 0
    var entries: [AddressKey: Entry] = [:]
    var sweepAt = 1024
  }

  private let state = Mutex(State())
  private let maximum: Int
  private let maximumPerAddress: Int
  private let interval: UInt64
  private let burst: UInt64
  private let exemptsLoopback: Bool
  private let proxies: [AddressRange]

  /// The limits of a configuration.
  package init(_ configuration: TransportConfiguration) {
    maximum = configuration.maximumConnections
    maximumPerAddress = configuration.maximumConnectionsPerAddress
    interval = 1_000_000_000 / UInt64(max(1, configuration.acceptsPerSecond))
    burst = UInt64(max(1, configuration.acceptBurst))
    exemptsLoopback = configuration.exemptsLoopback
    proxies = configuration.proxies
  }

  /// Decides on a connection that has been accepted.
  package func admit(_ peer: ListenAddress, at now: UInt64) -> Decision {
    state.withLock { state in
      guard state.open < maximum else { return .full }
      guard exempts(peer) || count(peer, &state, at: now) else { return .tooMany }
      state.open += 1
      return .admitted
    }
  }

  /// Counts whom an admitted connection of a proxy turned out to come from, until ``leave(_:)``; false
  /// if that address has too many or is too fast.
  package func enter(_ client: ListenAddress, at now: UInt64) -> Bool {
    exempts(client) || state.withLock { count(client, &$0, at: now) }
  }

  /// Takes one that ``enter(_:at:)`` counted out again.
  package func leave(_ client: ListenAddress) {
    if exempts(client) { return }
    state.withLock { $0.entries[client.limitKey]?.open -= 1 }
  }

  private func count(_ address: ListenAddress, _ state: inout State, at now: UInt64) -> Bool {
    var entry = state.entries[address.limitKey] ?? Entry()
    let next = max(entry.replenishedAt, now) + interval
    guard entry.open < maximumPerAddress, next <= now + burst * interval else { return false }
    entry.open += 1
    entry.replenishedAt = next
    state.entries[address.limitKey] = entry
    sweep(&state, at: now)
    return true
  }

  /// Takes an admitted connection out of the count.
  package func release(_ peer: ListenAddress) {
    state.withLock { state in
      state.open -= 1
      precondition(state.open >= 0)
      if !exempts(peer) { state.entries[peer.limitKey]?.open -= 1 }
    }
  }

  /// Connections counted now, and addresses remembered.
  package var counts: (open: Int, addresses: Int) {
    state.withLock { ($0.open, $0.entries.count) }
  }

  /// A proxy's own address would count all its clients as one.
  private func exempts(_ peer: ListenAddress) -> Bool {
    exemptsLoopback && peer.isLoopback || proxies.contains { $0.contains(peer) }
  }

  /// Forgets addresses that have nothing open and a full bucket, whenever the table has doubled.
  private func sweep(_ state: inout State, at now: UInt64) {
    guard state.entries.count >= state.sweepAt else { return }
    state.entries = state.entries.filter { $0.value.open > 0 || $0.value.replenishedAt > now }
    state.sweepAt = max(1024, state.entries.count * 2)
  }
}
