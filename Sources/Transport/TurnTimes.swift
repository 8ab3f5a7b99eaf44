/// How long turns took, as a histogram whose bounds double from 8 µs.
///
/// To count one is a shift and an addition, and the whole of it is sixteen numbers: it is copied and
/// added up like one.
public struct TurnTimes: Sendable, Equatable {
  /// The upper bound of each bucket but the last, which has none, in nanoseconds.
  public static let bounds: [UInt64] = (0..<last).map { first << $0 }

  private static let first: UInt64 = 8000
  private static let last = SIMD16<UInt64>.scalarCount - 1

  /// Turns in each bucket: no longer than its bound, and longer than the bound before.
  public private(set) var counts = SIMD16<UInt64>.zero
  /// Nanoseconds of all turns.
  public private(set) var sum: UInt64 = 0

  /// None counted.
  public init() {}

  /// Number of turns.
  public var count: UInt64 { counts.wrappedSum() }

  /// Counts a turn.
  package mutating func add(nanoseconds: UInt64) {
    let steps = (max(nanoseconds, 1) - 1) / Self.first
    counts[min(UInt64.bitWidth - steps.leadingZeroBitCount, Self.last)] &+= 1
    sum &+= nanoseconds
  }

  /// Adds another loop's turns.
  public static func += (times: inout TurnTimes, other: TurnTimes) {
    times.counts &+= other.counts
    times.sum &+= other.sum
  }
}
