package import PadModel

/// How many wrong codes an address may try at any locks together: so many at once, then so many a
/// minute.
///
/// A place is taken when an attempt is counted and given back unless its code was wrong, so that many
/// attempts at once get no more than one after the other.
/// In memory only: it slows a spray over many locks, while the locks' own buckets are what counts.
package struct AddressBuckets: Sendable {
  /// Addresses remembered at once; the fullest are forgotten last.
  static let most = 10_000

  private let burst: Int
  private let interval: Duration
  private var fullAt: [UInt64: Instant] = [:]

  /// Makes it without any address.
  package init(limits: Limits) {
    burst = limits.wrongCodesBurst
    interval = .seconds(60) / limits.wrongCodesPerMinute
  }

  /// When the address may try again; nil if it may now.
  package func retryAt(_ address: UInt64, at now: Instant) -> Instant? {
    guard let full = fullAt[address] else { return nil }
    let free = full - interval * (burst - 1)
    return free > now ? free : nil
  }

  /// Counts an attempt, which may turn out wrong.
  package mutating func count(_ address: UInt64, at now: Instant) {
    if fullAt.count >= Self.most { fullAt = fullAt.filter { $0.value > now } }
    if fullAt.count >= Self.most, let emptiest = fullAt.min(by: { $0.value < $1.value }) {
      fullAt[emptiest.key] = nil
    }
    fullAt[address] = max(fullAt[address] ?? now, now) + interval
  }

  /// Takes one count back: that attempt's code was not wrong.
  package mutating func takeBack(_ address: UInt64) {
    guard let full = fullAt[address] else { return }
    fullAt[address] = full - interval
  }
}

extension Instant {
  /// The instant `step` earlier, not before the clock's origin.
  static func - (end: Instant, step: Duration) -> Instant {
    Instant(nanoseconds: max(0, end.nanoseconds - step.nanosecondsClamped))
  }
}
