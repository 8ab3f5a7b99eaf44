/// A point on the server's monotonic clock, in nanoseconds since its origin.
///
/// The server fills it from `CLOCK_BOOTTIME`, tests from a virtual clock. Pure modules only ever
/// receive instants; none reads a clock.
public struct Instant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's origin; 292 years fit.
  public var nanoseconds: Int64

  /// Makes the instant `nanoseconds` after the clock's origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The clock's origin.
  public static let zero = Instant(nanoseconds: 0)

  /// An instant that never comes.
  public static let distantFuture = Instant(nanoseconds: .max)

  /// Whether `left` comes before `right`.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `step` later, saturating at `distantFuture`.
  public static func + (start: Instant, step: Duration) -> Instant {
    let (sum, overflow) = start.nanoseconds.addingReportingOverflow(step.nanosecondsClamped)
    return overflow ? .distantFuture : Instant(nanoseconds: sum)
  }

  /// How long from `start` to `end`; negative when `end` comes first.
  public static func - (end: Instant, start: Instant) -> Duration {
    .nanoseconds(end.nanoseconds.subtractingReportingOverflow(start.nanoseconds).partialValue)
  }

  /// Whole milliseconds from here to `later`, rounded up, 0 if it has passed, at most 2³²−1.
  ///
  /// Rounded up so that a client that waits this long is not refused a fraction too early.
  public func millisecondsUntil(_ later: Instant) -> UInt32 {
    guard later > self else { return 0 }
    let (gap, overflow) = later.nanoseconds.subtractingReportingOverflow(nanoseconds)
    guard !overflow else { return .max }
    let (quotient, rest) = gap.quotientAndRemainder(dividingBy: 1_000_000)
    return UInt32(clamping: rest == 0 ? quotient : quotient + 1)
  }
}

extension Duration {
  /// This duration in nanoseconds, clamped to what an `Int64` holds.
  public var nanosecondsClamped: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, second) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return second ? (seconds < 0 ? .min : .max) : sum
  }

  /// This duration in whole milliseconds, rounded down, clamped to `0 … 2³²−1`.
  public var millisecondsClamped: UInt32 {
    UInt32(clamping: nanosecondsClamped / 1_000_000)
  }
}
