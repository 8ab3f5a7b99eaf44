/// Counts durations in nanoseconds: 64 buckets for each power of two, so at most 1.6 % wrong.
package struct Histogram: Equatable {
  private static let subBits = 6
  private static let sub = 1 << subBits
  private var buckets = [UInt64](repeating: 0, count: sub * (64 - subBits))
  /// Number of durations.
  package private(set) var count: UInt64 = 0
  /// The longest one.
  package private(set) var longest: Int64 = 0

  /// Makes one that has counted nothing.
  package init() {}

  /// Counts a duration; one below zero counts as zero.
  package mutating func add(_ nanoseconds: Int64) {
    let value = max(0, nanoseconds)
    buckets[Self.index(UInt64(value))] += 1
    count += 1
    longest = max(longest, value)
  }

  /// The duration that this part of all does not exceed; 0 when there is none.
  package func quantile(_ part: Double) -> Int64 {
    guard count > 0 else { return 0 }
    let wanted = min(count - 1, UInt64(part * Double(count)))
    var sum: UInt64 = 0
    for (index, bucket) in buckets.enumerated() {
      sum += bucket
      if sum > wanted { return min(longest, Int64(Self.upperEdge(index))) }
    }
    return longest
  }

  private static func index(_ value: UInt64) -> Int {
    guard value >= UInt64(sub) else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    let place = Int(value >> UInt64(exponent - subBits)) & (sub - 1)
    return (exponent - subBits + 1) * sub + place
  }

  private static func upperEdge(_ index: Int) -> UInt64 {
    guard index >= sub else { return UInt64(index) }
    let shift = UInt64(index / sub - 1)
    return (UInt64(sub + index % sub + 1) << shift) - 1
  }
}

/// The figures of a histogram that are shown, in microseconds.
struct Quantiles: Codable {
  var p50: Double
  var p90: Double
  var p99: Double
  var max: Double
  var count: UInt64

  init(_ histogram: Histogram) {
    func microseconds(_ value: Int64) -> Double { (Double(value) / 100).rounded() / 10 }
    p50 = microseconds(histogram.quantile(0.5))
    p90 = microseconds(histogram.quantile(0.9))
    p99 = microseconds(histogram.quantile(0.99))
    max = microseconds(histogram.longest)
    count = histogram.count
  }

  /// The cells of a table.
  var cells: [String] { [p50, p90, p99, max].map { decimal($0, 0) } }
}
