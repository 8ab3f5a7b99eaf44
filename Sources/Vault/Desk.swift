import PadModel

/// What the store thread of a ``Vault`` owns.
final class Desk {
  let store: Store
  var addresses: AddressBuckets
  var wrongCodes: WrongCodes
  private let clock: any VaultClock
  private let watchers: Watchers
  private let entry: EntryBoard
  private var dataVersion: Int64
  /// The audit's newest row when it was last looked at.
  private var newestRow: Int64
  /// The wall clock when it was last looked at.
  private var wall: Int64

  /// Opens the store, audits what a crash left, and begins anew the delays that must be.
  init(
    _ configuration: VaultConfiguration, _ watchers: Watchers, _ entry: EntryBoard
  ) throws(VaultError) {
    store = try Store(configuration)
    addresses = AddressBuckets(limits: configuration.limits)
    wrongCodes = WrongCodes(limits: configuration.limits)
    clock = configuration.clock
    self.watchers = watchers
    self.entry = entry
    dataVersion = try store.database.dataVersion()
    newestRow = try store.audit.newest()
    let now = clock.read()
    wall = now.wall
    try store.abandonAttempts(at: now)
    try store.settleBuckets(at: now)
    entry.put(try store.entryRules(at: now))
  }

  /// Runs between pieces of work.
  func lookAround() {
    do throws(VaultError) {
      try watchClock()
      try watchOthers()
    } catch {
      watchers.failed(.watching, error)
    }
  }

  /// Begins running delays anew as soon as the wall clock goes back, not when somebody next draws.
  private func watchClock() throws(VaultError) {
    let now = clock.read()
    if now.wall < wall { try store.settleBuckets(at: now) }
    wall = now.wall
  }

  private func watchOthers() throws(VaultError) {
    let version = try store.database.dataVersion()
    guard version != dataVersion else { return }
    entry.put(try store.entryRules(at: clock.read()))
    let row = try store.audit.newest()
    let changes = try store.audit.actions(after: newestRow, upTo: row)
    // Only now, so that a change which could not be read is looked at again.
    dataVersion = version
    newestRow = row
    let news = changes.filter { !$0.action.isDone }
    if news.isEmpty, !changes.isEmpty { return }
    watchers.changed(news)
  }
}
