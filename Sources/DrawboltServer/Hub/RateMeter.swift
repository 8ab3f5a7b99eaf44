package import PadModel
import Transport

/// The rates that each connection must keep, the same for all of them.
///
/// A class, so that a connection holds one reference and not all the numbers.
package final class RateLimits: Sendable {
  fileprivate let frames: Allowance
  fileprivate let samples: Allowance
  fileprivate let text: Allowance
  fileprivate let strikesAllowed: Int
  fileprivate let window: Duration

  /// Those of the configured limits.
  package init(_ limits: Limits) {
    frames = Allowance(perSecond: limits.framesPerSecond, burst: limits.framesBurst)
    samples = Allowance(perSecond: limits.samplesPerSecond, burst: limits.samplesBurst)
    text = Allowance(perSecond: limits.textBytesPerSecond, burst: limits.textBytesBurst)
    strikesAllowed = limits.rateStrikes
    window = limits.rateStrikeWindow
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

  private let limits: RateLimits
  // When each allowance is full again.
  private var framesFullAt: UInt64 = 0
  private var samplesFullAt: UInt64 = 0
  private var textFullAt: UInt64 = 0
  /// What comes this soon after a breach belongs to it, so that one burst is one breach.
  private static let breach = Duration.seconds(1)
  private var breachEnd = Instant.zero
  /// Presses of the present breach that may still be answered.
  private var answersLeft = 0
  private static let answersPerBreach = 4
  /// When each breach that still counts began.
  private var strikes: [Instant] = []

  /// Makes the meter of a connection that has sent nothing.
  package init(_ limits: RateLimits) { self.limits = limits }

  /// Counts one message with `sampleCount` samples and so many bytes of text, before it is parsed.
  ///
  /// No sample is let through until the breach is over: a stroke that began meanwhile would lack those
  /// that still came too fast.
  package mutating func count(
    samples sampleCount: Int, textBytes: Int, at now: Instant
  ) -> Answer {
    if now < breachEnd, sampleCount > 0 { return .dropped }
    if limits.frames.take(1, from: &framesFullAt, at: now),
      limits.samples.take(sampleCount, from: &samplesFullAt, at: now),
      limits.text.take(textBytes, from: &textFullAt, at: now)
    {
      return .allowed
    }
    guard now >= breachEnd else { return .dropped }
    breachEnd = now + Self.breach
    answersLeft = Self.answersPerBreach
    strikes.removeAll { $0 + limits.window <= now }
    strikes.append(now)
    return strikes.count >= limits.strikesAllowed ? .tooOften : .tooFast
  }

  /// When a press that was dropped may be tried again, in milliseconds; nil if it gets no answer.
  ///
  /// As many are answered as a person can make within a breach: whoever sends more is told enough.
  package mutating func answerPress(at now: Instant) -> UInt32? {
    guard answersLeft > 0 else { return nil }
    answersLeft -= 1
    return now.millisecondsUntil(breachEnd)
  }
}

extension Allowance {
  /// Takes so many now, or none and answers false.
  fileprivate func take(_ count: Int, from fullAt: inout UInt64, at now: Instant) -> Bool {
    let now = UInt64(clamping: now.nanoseconds)
    return take(UInt64(count), from: &fullAt, since: now, at: now)
  }
}
