/// The named schedules.
public enum SchedulePreset: String, CaseIterable, Sendable {
  /// Delays from the fifth failure on that grow from a minute to years; the twentieth is the last.
  case standard
  /// Android's gatekeeper: half a minute at first, a day in the end; no last one.
  case gatekeeper

  /// The schedule of this name.
  public var schedule: ThrottleSchedule {
    switch self {
    case .standard: .standard
    case .gatekeeper: .gatekeeper
    }
  }
}

/// How long a bucket waits after its n-th failure.
public struct ThrottleSchedule: Equatable, Sendable {
  /// The most guesses a day that a schedule may allow.
  public static let mostGuessesPerDay = 120

  /// The delay after failure n stands at n − 1; the last one holds for all later failures.
  private let delays: [Duration]
  /// After this many failures no guess is allowed any more.
  private let hardStop: Int?

  /// Makes a schedule.
  ///
  /// - Throws: ``VaultError/scheduleTooLoose(guessesPerDay:limit:)``.
  public init(delays: [Duration], hardStop: Int?) throws(VaultError) {
    self.init(unchecked: delays, hardStop: hardStop)
    let guesses = guesses(within: .seconds(86_400))
    guard guesses <= Self.mostGuessesPerDay else {
      throw .scheduleTooLoose(guessesPerDay: guesses, limit: Self.mostGuessesPerDay)
    }
  }

  private init(unchecked delays: [Duration], hardStop: Int?) {
    self.delays = delays
    self.hardStop = hardStop
  }

  /// How long after its `failures`-th failure a bucket waits; nil when it is over for good.
  public func delay(after failures: Int) -> Duration? {
    if let hardStop, failures >= hardStop { return nil }
    guard failures > 0, let last = delays.last else { return .zero }
    return failures <= delays.count ? delays[failures - 1] : last
  }

  /// A delay from which on somebody should know of it.
  static let alarmingDelay = Duration.seconds(15 * 60)

  /// Whether this failure is the first one with an alarming delay.
  func alarms(at failures: Int) -> Bool {
    isAlarming(failures) && !isAlarming(failures - 1)
  }

  private func isAlarming(_ failures: Int) -> Bool {
    delay(after: failures).map { $0 >= Self.alarmingDelay } ?? true
  }

  /// How many wrong guesses in a row fit into a time, the first one at its beginning.
  public func guesses(within time: Duration) -> Int {
    var elapsed = Duration.zero
    var count = 0
    // One more than may be is enough to know.
    while count <= 10_000 {
      count += 1
      guard let delay = delay(after: count) else { return count }
      elapsed += delay
      if elapsed >= time { return count }
    }
    return count
  }

  /// The table of Android's software rate limiter of 2025.
  public static let standard = ThrottleSchedule(
    unchecked: [Duration](repeating: .zero, count: 4)
      + [
        minutes(1), minutes(5), minutes(15), minutes(30), minutes(90), hours(4), hours(12),
        hours(36), days(4), days(13), days(41), days(123), days(365), days(3 * 365), days(9 * 365),
      ], hardStop: 20)

  /// The formula of Android's gatekeeper, written out up to failure 140.
  public static let gatekeeper = ThrottleSchedule(
    unchecked: (1...140).map(gatekeeperDelay), hardStop: nil)

  private static func gatekeeperDelay(_ failure: Int) -> Duration {
    switch failure {
    case ...10: .seconds(failure % 5 == 0 ? 30 : 0)
    case ...29: .seconds(30)
    case ...139: .seconds(30 * (1 << ((failure - 30) / 10)))
    default: days(1)
    }
  }

  private static func minutes(_ count: Int) -> Duration { .seconds(count * 60) }
  private static func hours(_ count: Int) -> Duration { .seconds(count * 3600) }
  private static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
