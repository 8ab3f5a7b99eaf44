import PadModel

/// What became of one seeded world.
public struct SimulationReport: Equatable, Sendable {
  /// The world's seed.
  public let seed: UInt64
  /// Steps that were taken before all came to an end, or to the first thing that was wrong.
  public let steps: Int
  /// A number that any difference in what happened changes.
  public let logHash: UInt64
  /// What was wrong.
  public let violation: Violation?
  /// The last things that happened, each with time, word, whom it concerns and a size.
  public let lastEvents: [String]
  /// How much happened.
  public let tally: Tally
  /// How often the planted bug struck.
  public let strikes: Int
}

/// Runs seeded worlds.
public enum Simulation {
  /// Steps of a world unless told otherwise.
  public static let standardSteps = 2_000
  /// Every so many steps all is left to come to rest, and what everybody sees is compared.
  private static let restAfter = 500

  /// Runs the world of `seed` for so many steps, lets all leave, and checks everything on the way.
  public static func run(
    seed: UInt64, steps: Int = standardSteps, planting bug: PlantedBug? = nil
  ) -> SimulationReport {
    let world = World(seed: seed, planting: bug)
    var taken = 0
    while taken < steps, world.violation == nil {
      world.step()
      taken += 1
      if taken.isMultiple(of: restAfter) { world.rest() }
    }
    world.end()
    return SimulationReport(
      seed: seed, steps: taken, logHash: world.log.hash, violation: world.violation,
      lastEvents: world.log.text, tally: world.tally, strikes: world.planted.strikes)
  }

  /// Looks for a shorter run of a failed world that fails as well.
  ///
  /// It halves the number of steps for as long as that is found to fail: what is only noticed when all
  /// comes to rest may have happened long before.
  public static func shrink(
    _ report: SimulationReport, planting bug: PlantedBug? = nil
  ) -> SimulationReport {
    var (best, passing) = (report, 0)
    while best.steps - passing > 1 {
      let middle = (best.steps + passing) / 2
      let shorter = run(seed: report.seed, steps: middle, planting: bug)
      if shorter.violation != nil { best = shorter } else { passing = middle }
    }
    return best
  }
}

extension World {
  /// The longest that a world may take to come to rest.
  private static let restTime = Duration.seconds(120)

  /// Nobody acts, nothing breaks, all is read; then everybody must see what is so.
  func rest() {
    note(.rests, 0)
    isQuiet = true
    for connection in allConnections { connection.stalledUntil = now }
    comeToRest()
    if violation == nil { checkRest() }
    isQuiet = false
  }

  private func comeToRest() {
    let last = now + Self.restTime
    var (end, before) = (now + .seconds(8), shown)
    while violation == nil {
      step()
      guard now >= end, isAtRest else {
        if now > last { violated(.progress, "no rest after \(Self.restTime)") }
        continue
      }
      let after = shown
      if before == after { return }
      (end, before) = (now + .seconds(2), after)
    }
  }

  /// All leave, or the server stops; then nothing may be left.
  func end() {
    guard violation == nil else { return }
    rest()
    guard violation == nil else { return }
    isQuiet = true
    if random.once(in: 2) {
      drain()
      pass(.seconds(3))
      endDrain()
    } else {
      isDraining = true
      for connection in allConnections {
        breakLine(connection)
        plan(.lost(connection.key), in: .zero)
      }
    }
    // The last verdict is kept for some time, and so is the room.
    pass(limits.verdictKept + limits.verdictTime + limits.graceTime + .seconds(10))
    guard violation == nil else { return }
    if !vault.isIdle { violated(.progress, "an attempt is still on its way") }
    if !connections.isEmpty { violated(.memory, "\(connections.count) connections are left") }
    if !hosts.isEmpty { violated(.roomsDropped, "\(hosts.count) rooms are left") }
  }

  private func pass(_ time: Duration) {
    let end = now + time
    while violation == nil, let next = timeline.next, next <= end { step() }
    now = max(now, end)
  }
}
