/// Many seeds, one after the other.
public struct Campaign: Sendable {
  /// The first seed; the others follow it.
  public var seed: UInt64
  /// How many.
  public var seeds: Int
  /// Steps of each.
  public var steps: Int

  /// Makes one.
  public init(seed: UInt64, seeds: Int = 1, steps: Int = Simulation.standardSteps) {
    self.seed = seed
    self.seeds = seeds
    self.steps = steps
  }

  /// What became of it.
  public struct Result: Equatable, Sendable {
    /// Worlds that were run.
    public var worlds = 0
    /// What happened in all of them.
    public var tally = Tally()
    /// Made of the hashes of all worlds.
    public var logHash: UInt64 = 0
    /// The first world in which something was wrong, as short as it could be made.
    public var failure: SimulationReport?
  }

  /// Runs the worlds until something is wrong; `progress` hears how many are done.
  public func run(planting bug: PlantedBug? = nil, progress: (Int) -> Void = { _ in }) -> Result {
    var result = Result()
    for place in 0..<seeds {
      let report = Simulation.run(seed: seed &+ UInt64(place), steps: steps, planting: bug)
      result.worlds += 1
      result.tally += report.tally
      result.logHash = (result.logHash ^ report.logHash) &* 0x0000_0100_0000_01B3
      if report.violation != nil {
        result.failure = Simulation.shrink(report, planting: bug)
        return result
      }
      progress(result.worlds)
    }
    return result
  }
}

extension Campaign {
  /// How many worlds were run and how much happened in them, in lines for people.
  public func summary(of result: Result) -> String {
    let tally = result.tally
    func list(_ counts: [String: Int]) -> String {
      counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
    return """
      \(result.worlds) worlds from seed \(seed), \(steps) steps each, log \(result.logHash)
      connections: \(tally.connections), \(tally.returns) of them returns; \(tally.breaks) broke
      closed: \(list(tally.closes))
      states: \(tally.states) sent, \(tally.blocked) times a socket was full
      strokes: \(tally.released) released, \(tally.reserved) counted, \(tally.grants) opened
      verdicts: \(list(tally.verdicts))
      rooms forgotten: \(tally.roomsDropped)

      """
  }
}

extension SimulationReport {
  /// The name of what did not hold; empty if all held.
  public var brokenRule: String { violation?.invariant.rawValue ?? "" }

  /// What went wrong, how to see it again, and what happened before it; empty if nothing did.
  public var text: String {
    guard let violation else { return "" }
    return """
      \(violation.invariant.rawValue): \(violation.detail)
      again: drawbolt-lab simulate --seed \(seed) --steps \(steps)
      the last \(lastEvents.count) events:
      \(lastEvents.map { "  " + $0 }.joined(separator: "\n"))

      """
  }
}
