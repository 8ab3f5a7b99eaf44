package import PadModel

/// A token bucket: so many at once, so many a second in the long run.
///
/// It keeps one instant: when the bucket will be full again. That is all there is to know.
package struct TokenBucket: Equatable, Sendable {
  private let nanosecondsEach: Int64
  private let depth: Int64
  private var fullAt: Int64

  /// Makes a full bucket of `burst` tokens that refills with `perSecond`.
  package init(perSecond: Int, burst: Int, at now: Instant) {
    nanosecondsEach = 1_000_000_000 / Int64(perSecond)
    depth = nanosecondsEach * Int64(burst)
    fullAt = now.nanoseconds
  }

  /// Takes `count` tokens, or none and answers false.
  package mutating func take(_ count: Int, at now: Instant) -> Bool {
    let start = max(fullAt, now.nanoseconds)
    let end = start + nanosecondsEach * Int64(count)
    guard end - now.nanoseconds <= depth else { return false }
    fullAt = end
    return true
  }
}

/// The rates of one connection: messages, samples and bytes of text, and what a breach comes to.
package struct RateMeter: Sendable {
  /// What a message may do.
  package enum Answer: Equatable, Sendable {
    /// Go on.
    case allowed
    /// Too fast: the stroke is cancelled.
    case tooFast
    /// Still the same breach: the message is dropped without a word.
    case dropped
    /// Too fast too often: the connection is closed.
    case tooOften
  }

  private var frames: TokenBucket
  private var samples: TokenBucket
  private var text: TokenBucket
  private let strikesAllowed: Int
  private let window: Duration
  /// What comes this soon after a breach belongs to it, so that one burst is one breach.
  private static let breach = Duration.seconds(1)
  private var breachEnd = Instant.zero
  /// When each breach that still counts began.
  private var strikes: [Instant] = []

  /// Makes the meter of a connection that opened now.
  package init(limits: Limits, at now: Instant) {
    frames = TokenBucket(
      perSecond: limits.framesPerSecond, burst: limits.framesBurst, at: now)
    samples = TokenBucket(
      perSecond: limits.samplesPerSecond, burst: limits.samplesBurst, at: now)
    text = TokenBucket(
      perSecond: limits.textBytesPerSecond, burst: limits.textBytesBurst, at: now)
    strikesAllowed = limits.rateStrikes
    window = limits.rateStrikeWindow
  }

  /// Counts one message with `sampleCount` samples and so many bytes of text, before it is parsed.
  ///
  /// No sample is let through until the breach is over: a stroke that began meanwhile would lack those
  /// that still came too fast.
  package mutating func count(
    samples sampleCount: Int, textBytes: Int, at now: Instant
  ) -> Answer {
    if now < breachEnd, sampleCount > 0 { return .dropped }
    if frames.take(1, at: now), samples.take(sampleCount, at: now),
      text.take(textBytes, at: now)
    {
      return .allowed
    }
    guard now >= breachEnd else { return .dropped }
    breachEnd = now + Self.breach
    strikes.removeAll { $0 + window <= now }
    strikes.append(now)
    return strikes.count >= strikesAllowed ? .tooOften : .tooFast
  }
}
