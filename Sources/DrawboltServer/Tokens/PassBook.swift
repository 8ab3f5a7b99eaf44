import PadModel
import Transport

/// The connections of a loop that are there by a token, by when it ends.
struct PassBook {
  private var ends = DueQueue<ConnectionID>()

  /// Whether no connection is there by a token.
  var isEmpty: Bool { ends.first == nil }

  /// Notes when the token of a connection ends.
  mutating func insert(_ id: ConnectionID, expires: Int64) {
    ends.insert(id, due: Self.instant(expires))
  }

  /// Takes out a connection whose token has ended, which may be gone.
  mutating func popEnded(at wall: Int64) -> ConnectionID? {
    ends.popDue(at: Self.instant(wall))?.item
  }

  /// The queue counts nanoseconds; these are of the wall clock, and end in the year 2262.
  private static func instant(_ second: Int64) -> Instant {
    Instant(nanoseconds: min(max(second, 0), Int64.max / 1_000_000_000) * 1_000_000_000)
  }
}
