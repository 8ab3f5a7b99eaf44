import PadModel
import Testing
import Vault

/// The tables as their sources have them, in seconds after the n-th failure.
private let standardTable: [Int] =
  [0, 0, 0, 0, 60, 300, 900, 1800, 5400, 14_400, 43_200, 129_600]
  + [4, 13, 41, 123, 365, 3 * 365, 9 * 365].map { $0 * 86_400 }

private func gatekeeperDelay(_ failure: Int) -> Int {
  if failure <= 10 { return failure.isMultiple(of: 5) ? 30 : 0 }
  if failure < 30 { return 30 }
  if failure >= 140 { return 86_400 }
  var delay = 30
  for _ in 0..<(failure - 30) / 10 { delay *= 2 }
  return delay
}

@Suite struct ScheduleTests {
  @Test("A bucket opens at its moment and not a millisecond before, up to the hard stop")
  func walkStandard() {
    walk(.standard, delays: standardTable)
    #expect(ThrottleSchedule.standard.delay(after: 20) == nil)
    #expect(ThrottleSchedule.standard.delay(after: 1000) == nil)
  }

  @Test("Gatekeeper's delays are those of its source, with no last one")
  func walkGatekeeper() {
    walk(.gatekeeper, delays: (1...200).map(gatekeeperDelay))
  }

  private func walk(_ schedule: ThrottleSchedule, delays: [Int]) {
    let clock = TestClock()
    var throttle = Throttle(at: clock.read())
    for (offset, delay) in delays.enumerated() {
      let isReserved = throttle.reserve(schedule, at: clock.read()) != nil
      #expect(isReserved)
      #expect(throttle.failures == offset + 1)
      let moment = clock.read().boot + .seconds(delay)
      #expect(throttle.retryAt(schedule) == moment)
      guard delay > 0 else { continue }
      clock.advance(.seconds(delay) - .aMillisecond)
      let isEarly = throttle.reserve(schedule, at: clock.read()) != nil
      #expect(!isEarly)
      clock.advance(.aMillisecond)
    }
  }

  @Test("Guesses a day are counted as the published tables give them")
  func guesses() {
    #expect(ThrottleSchedule.standard.guesses(within: .seconds(3600)) == 9)
    #expect(ThrottleSchedule.standard.guesses(within: .seconds(86_400)) == 12)
    #expect(ThrottleSchedule.gatekeeper.guesses(within: .seconds(3600)) == 63)
    #expect(ThrottleSchedule.gatekeeper.guesses(within: .seconds(86_400)) == 111)
  }

  @Test("A schedule of more than 120 guesses a day is refused, one of 120 is not")
  func tooLoose() throws {
    _ = try ThrottleSchedule(delays: [.seconds(720)], hardStop: nil)
    #expect(throws: VaultError.scheduleTooLoose(guessesPerDay: 121, limit: 120)) {
      try ThrottleSchedule(delays: [.milliseconds(719_999)], hardStop: nil)
    }
    #expect(throws: VaultError.self) { try ThrottleSchedule(delays: [], hardStop: nil) }
    #expect(throws: VaultError.self) {
      try ThrottleSchedule(delays: [.seconds(-1)], hardStop: nil)
    }
    _ = try ThrottleSchedule(delays: [], hardStop: 120)
    #expect(throws: VaultError.self) { try ThrottleSchedule(delays: [], hardStop: 121) }
  }

  @Test("A success gives back none of the failures that came after its reservation")
  func olderSuccess() throws {
    let clock = TestClock()
    var throttle = Throttle(at: clock.read())
    _ = throttle.reserve(.standard, at: clock.read())
    let reserved = throttle.reserve(.standard, at: clock.read())
    let older = try #require(reserved)
    _ = throttle.reserve(.standard, at: clock.read())
    _ = throttle.reserve(.standard, at: clock.read())
    throttle.takeBack(older)
    let given = throttle.giveBack(after: older, secretBudget: nil, at: clock.read())
    #expect(given == 1)
    #expect(throttle.failures == 2)
  }

  @Test("The budget comes back after thirty days of the wall clock, and not before")
  func budgetReturns() {
    let clock = TestClock()
    var throttle = Throttle(at: clock.read())
    var given = 0
    while let more = fourWrongOneRight(&throttle, clock), given < 100 { given += more }
    #expect(given == 50)
    clock.advance(.seconds(30 * 86_400))
    let again = fourWrongOneRight(&throttle, clock)
    #expect(again == 3)
  }

  /// nil if the delay stops it or nothing is given back any more.
  private func fourWrongOneRight(_ throttle: inout Throttle, _ clock: TestClock) -> Int? {
    for _ in 0..<4 { _ = throttle.reserve(.gatekeeper, at: clock.read()) }
    clock.advance(.seconds(60))
    guard let right = throttle.reserve(.gatekeeper, at: clock.read()) else { return nil }
    throttle.takeBack(right)
    let given = throttle.giveBack(after: right, secretBudget: nil, at: clock.read())
    return given == 0 ? nil : given
  }
}
