package import PadModel

/// What a bucket has against it: pure, with time as an argument.
package struct Throttle: Equatable, Sendable {
  /// Failures a success may give back.
  static let mostGivenBack = 3
  /// How many it gives back within ``budgetTime``, and in all for a secret that expires.
  static let budget = 50, budgetOfExpiring = 10
  static let budgetTime: Int64 = 30 * 86_400

  /// So many failures are never counted: a bucket that was edited has them, and stops.
  static let mostFailures = 1_000_000
  /// What a generation stays below, for ever in practice.
  static let mostGenerations: Int64 = 1 << 62

  /// Failures counted, reservations without a verdict among them.
  package internal(set) var failures = 0
  /// Grows with each reservation; its upper half grows with each reset by an administrator.
  var generation: Int64 = 0
  /// When the delay of the newest failure began.
  var anchor: ClockReading
  var budgetUsed = 0
  var budgetStart: Int64 = 0
  /// The second since 1970 in which a lock's buckets were last eased; the strangers' keeps it for all.
  var easedAt: Int64 = 0

  /// A bucket without failures.
  package init(at now: ClockReading) { anchor = now }

  /// A bucket that was edited or is missing: it stops until it is reset.
  static func stopped(at now: ClockReading) -> Throttle {
    var throttle = Throttle(at: now)
    throttle.failures = mostFailures
    throttle.budgetUsed = budget
    return throttle
  }

  /// A bucket as it was written down; numbers that no program writes stop it until it is reset.
  init(
    anchor: ClockReading, failures: Int64, generation: Int64, budgetUsed: Int64, budgetStart: Int64,
    easedAt: Int64
  ) {
    guard (0...Int64(Self.mostFailures)).contains(failures), budgetUsed >= 0,
      budgetUsed <= Int64(Self.budget), (0..<Self.mostGenerations).contains(generation)
    else {
      self = .stopped(at: anchor)
      return
    }
    self.anchor = anchor
    self.failures = Int(failures)
    self.generation = generation
    self.budgetUsed = Int(budgetUsed)
    self.budgetStart = budgetStart
    self.easedAt = easedAt
  }

  /// One counted attempt, and what to put back if it turns out not to count.
  package struct Reservation: Equatable, Sendable {
    let generation: Int64
    let before: Throttle
  }

  /// Begins the current step's delay anew after a boot or when the wall clock went back, since how
  /// long it has been waited is not known any more; never more than one step.
  ///
  /// - Returns: whether it did.
  @discardableResult
  package mutating func settle(at now: ClockReading) -> Bool {
    guard anchor.bootID != now.bootID || now.wall < anchor.wall || now.boot < anchor.boot else {
      return false
    }
    anchor = now
    return true
  }

  /// When the next attempt may be made.
  package func retryAt(_ schedule: ThrottleSchedule) -> Instant {
    guard failures < Self.mostFailures, let delay = schedule.delay(after: failures) else {
      return .distantFuture
    }
    return anchor.boot + delay
  }

  /// Counts an attempt before it is checked; nil if the delay is not over.
  package mutating func reserve(_ schedule: ThrottleSchedule, at now: ClockReading) -> Reservation?
  {
    settle(at: now)
    guard failures == 0 || now.boot >= retryAt(schedule) else { return nil }
    let before = self
    failures += 1
    generation += 1
    anchor = now
    return Reservation(generation: generation, before: before)
  }

  /// Takes an attempt's own count back: it was right, or the same wrong code as just before.
  package mutating func takeBack(_ reservation: Reservation) {
    guard isCurrent(reservation) else { return }
    failures = max(0, failures - 1)
    if generation == reservation.generation { anchor = reservation.before.anchor }
  }

  /// Whether the bucket was neither reset since, which forgot the attempt's own count too, nor found
  /// edited.
  private func isCurrent(_ reservation: Reservation) -> Bool {
    failures < Self.mostFailures && generation >> 32 == reservation.generation >> 32
  }

  /// Forgets the failures; what successes gave back stays spent.
  ///
  /// The new epoch is later than all before it, also if an edit took away what they were: it has 30
  /// bits, and the minutes since 1970 fill them in two thousand years.
  mutating func reset(at now: ClockReading) {
    let epoch = max(generation >> 32 + 1, now.wall / 60)
    failures = 0
    generation = min(epoch, Self.mostGenerations >> 32 - 1) << 32
    anchor = now
  }

  /// Forgets all failures but some; whether there were more, and it is not one that was found edited.
  mutating func ease(to count: Int) -> Bool {
    guard failures > count, failures < Self.mostFailures else { return false }
    failures = count
    return true
  }

  /// Takes what a newer state of the bucket has against it, so that an older one forgets nothing.
  ///
  /// In a new epoch: what was reserved before either of them ended is not taken back any more.
  mutating func takeOver(from newer: Throttle) {
    let failures = max(failures, newer.failures)
    generation = max(generation, newer.generation)
    reset(at: newer.anchor)
    self.failures = failures
    budgetUsed = max(budgetUsed, newer.budgetUsed)
    budgetStart = max(budgetStart, newer.budgetStart)
    easedAt = max(easedAt, newer.easedAt)
  }

  /// Gives back some failures after a success, only of those that came before it.
  ///
  /// `secretBudget` is what the secret itself may still give back, nil if it doesn't expire.
  ///
  /// - Returns: how many were given back.
  package mutating func giveBack(
    after reservation: Reservation, secretBudget: Int?, at now: ClockReading
  ) -> Int {
    guard isCurrent(reservation) else { return 0 }
    // A clock that was ahead for a while must not keep the budget from coming back for longer.
    budgetStart = min(budgetStart, now.wall)
    if now.wall >= budgetStart + Self.budgetTime {
      budgetStart = now.wall
      budgetUsed = 0
    }
    let newer = Int(generation - reservation.generation)
    let given = min(
      Self.mostGivenBack, max(0, failures - newer), max(0, Self.budget - budgetUsed),
      secretBudget ?? .max)
    failures -= given
    budgetUsed += given
    return given
  }
}
