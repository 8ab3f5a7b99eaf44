import CLab
import DrawboltServer

/// What one operation costs.
struct Figure: Codable {
  /// What was measured.
  var name: String
  /// What a tenth of all batches stayed below, in nanoseconds per operation: whatever else the
  /// machine does only adds.
  var nanoseconds: Double
  /// Heap allocations per operation once buffers have grown.
  var allocations: Double
  /// The most nanoseconds that were asked for, if any.
  var target: Double?
}

/// Measures operations, for `seconds` each.
struct Stopwatch {
  var seconds: Double
  private(set) var figures: [Figure] = []
  /// What the operations answered, so that no optimizer can leave them out.
  private(set) var checksum = 0

  /// One batch should take about this long: long against the clock's own cost, short against the
  /// system's time slices, so that many batches are free of interruptions.
  private static let batchNanoseconds: Int64 = 2_000_000

  init(seconds: Double) { self.seconds = seconds }

  /// Measures `work`, which does as many rounds as it is told and answers anything that depends on
  /// what it did.
  ///
  /// - Parameters:
  ///   - name: for the table.
  ///   - operations: how many operations one round is.
  ///   - target: the most nanoseconds per operation that were asked for.
  ///   - work: does this many rounds.
  mutating func measure(
    _ name: String, operations: Int = 1, target: Double? = nil, _ work: (Int) -> Int
  ) {
    let rounds = calibrate(work)
    let before = lab_allocations()
    checksum &+= work(rounds)
    let allocations = Double(lab_allocations() - before)
    var batches: [Int64] = []
    let end = monotonicNanoseconds() + Int64(seconds * 1e9)
    repeat {
      let start = monotonicNanoseconds()
      checksum &+= work(rounds)
      batches.append(monotonicNanoseconds() - start)
    } while monotonicNanoseconds() < end
    batches.sort()
    let total = Double(rounds * operations)
    figures.append(
      Figure(
        name: name, nanoseconds: Double(batches[batches.count / 10]) / total,
        allocations: allocations / total, target: target))
  }

  /// How many rounds fill a batch; warms caches and grows buffers on the way.
  private mutating func calibrate(_ work: (Int) -> Int) -> Int {
    var rounds = 1
    while true {
      let start = monotonicNanoseconds()
      checksum &+= work(rounds)
      let taken = monotonicNanoseconds() - start
      if taken >= Self.batchNanoseconds || rounds >= 1 << 28 { return rounds }
      rounds *= 2
    }
  }

  /// Makes sure that allocations are counted at all, so that a zero means something.
  static func checkCounting() throws(CommandFailure) {
    let before = lab_allocations()
    var kept: [[UInt8]] = []
    for length in 1...100 { kept.append([UInt8](repeating: 1, count: 64 + length)) }
    guard lab_counts_allocations() != 0, lab_allocations() - before >= UInt64(kept.count) else {
      throw CommandFailure(.software, "heap allocations can't be counted with this C library")
    }
  }
}
