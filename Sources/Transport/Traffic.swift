/// A rate and a burst: so many at once, so many a second in the long run.
package struct Allowance: Sendable {
  private let nanosecondsEach: UInt64
  private let depth: UInt64

  /// So many a second, and so many at once after a pause.
  package init(perSecond: Int, burst: Int) {
    nanosecondsEach = max(1, 1_000_000_000 / UInt64(perSecond))
    depth = nanosecondsEach * UInt64(burst)
  }

  /// Takes so many from a bucket that is full again at some time, or none and answers false.
  ///
  /// What is counted late is taken to have come evenly since `start`.
  package func take(
    _ count: UInt64, from fullAt: inout UInt64, since start: UInt64, at now: UInt64
  ) -> Bool {
    let begin = max(fullAt, min(start, now))
    // By division, since what a peer sent in a year times the price of one could overflow.
    guard count <= (now + depth - begin) / nanosecondsEach else { return false }
    fullAt = begin + count * nanosecondsEach
    return true
  }
}

/// What one connection has sent, as far as that is limited.
///
/// Each time is the one at which its bucket is full again.
struct Traffic {
  var piecesFullAt: UInt64 = 0
  var bytesFullAt: UInt64 = 0
  var isInFrame = false
  /// Frames of the message that is being put together.
  var fragments = 0
  var emptyFragments = 0

  // As the kernel counts it.
  var segmentsFullAt: UInt64 = 0
  var receivedFullAt: UInt64 = 0
  var lookedAt: UInt64
  var seen = Sockets.Received(bytes: 0, segments: 0)

  init(at now: UInt64) { lookedAt = now }
}

/// Whether the loop has much to do, and which connection is looked at next if so.
struct TrafficWatch {
  var lookedAt: UInt64 = 0
  var usedThen: UInt64 = 0
  var nextSlot = 0
  /// One look is a system call of half a microsecond: this many are less than a frame's delay.
  static let looksPerTick = 1000
}
