/// SplitMix64 (Steele, Lea, Flood 2014): a seed's numbers, the same on every machine.
///
/// What is drawn from it is computed here and not by the standard library, whose ways may change: a
/// seed that failed once must fail with the next toolchain too.
public struct SplitMix64: RandomNumberGenerator, Equatable, Sendable {
  private var state: UInt64

  /// Makes the generator of this seed.
  public init(seed: UInt64) { state = seed }

  /// The next number, any of all.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number of the range, which is not empty.
  mutating func roll(_ range: ClosedRange<Int>) -> Int {
    let count = UInt64(range.upperBound - range.lowerBound + 1)
    return range.lowerBound + Int(next().multipliedFullWidth(by: count).high)
  }

  /// Whether something happens that happens once in so many times.
  mutating func once(in times: Int) -> Bool { roll(1...times) == 1 }

  /// One of the values, of which there is one at least.
  mutating func pick<Value>(_ values: [Value]) -> Value { values[roll(0...values.count - 1)] }

  /// A time of so many milliseconds.
  mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(roll(range)) }
}
