import Foundation

/// For promises about time, on a machine that is busy with other tests too.
enum Patience {
  /// When to give up on something that must come, though other things do all the time.
  static var end: ContinuousClock.Instant { .now + .seconds(60) }

  /// Gives up once the end is past.
  static func check(_ end: ContinuousClock.Instant, _ wanted: String) throws {
    guard .now < end else { throw Failed("no \(wanted) in a minute") }
  }

  /// Between two looks: several tests that look without a pause keep the processor from what they wait
  /// for.
  static func pause() { usleep(2000) }

  /// Whether one of three tries keeps the times.
  static func threeTries(_ keepsTimes: () throws -> Bool) throws {
    for _ in 1...2 where try keepsTimes() { return }
    guard try keepsTimes() else { throw Failed("three times too slow") }
  }
}
