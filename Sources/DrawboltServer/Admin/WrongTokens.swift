package import PadModel
package import Transport

/// How many wrong tokens an address has shown of late.
///
/// Who has shown too many is not looked at until the minute is over, whatever it shows then.
package struct WrongTokens: Sendable {
  /// So many in a minute, and no more is looked at.
  package static let mostAMinute = 5
  /// Addresses that are remembered; the admin listener is for a few.
  static let mostAddresses = 1000
  private static let minute = Duration.seconds(60)

  private var recent: [AddressKey: [Instant]] = [:]

  /// Addresses that are remembered now.
  package var count: Int { recent.count }

  /// None.
  package init() {}

  /// How long an address must wait; nil if it may show a token.
  package mutating func wait(of address: AddressKey, at now: Instant) -> Duration? {
    let times = (recent[address] ?? []).filter { $0 + Self.minute > now }
    recent[address] = times.isEmpty ? nil : times
    guard times.count >= Self.mostAMinute, let first = times.first else { return nil }
    return first + Self.minute - now
  }

  /// Notes a wrong one.
  package mutating func note(_ address: AddressKey, at now: Instant) {
    if recent[address] == nil, recent.count >= Self.mostAddresses {
      recent = recent.filter { $0.value.contains { $0 + Self.minute > now } }
      // All of them tried within this minute: that many are one attack, and the oldest entry goes.
      if recent.count >= Self.mostAddresses,
        let oldest = recent.min(by: { ($0.value.last ?? now) < ($1.value.last ?? now) })?.key
      {
        recent[oldest] = nil
      }
    }
    recent[address, default: []].append(now)
  }
}
