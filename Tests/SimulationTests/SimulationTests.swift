import DrawboltSimulation
import Foundation
import Testing

@Suite("Simulated worlds")
struct SimulationTests {
  @Test("keep their promises after every step", arguments: 0..<8)
  func fixedSeeds(block: UInt64) {
    let result = Campaign(seed: 1_000 * block, seeds: 2).run()
    #expect(result.failure?.text == nil)
    #expect(result.worlds == 2)
  }

  @Test("keep their promises with a seed that nobody has tried")
  func freshSeed() {
    let given = ProcessInfo.processInfo.environment["DRAWBOLT_SEED"].flatMap(UInt64.init)
    let seed = given ?? UInt64.random(in: 0...UInt64(Int.max))
    print("simulated seed \(seed); DRAWBOLT_SEED=\(seed) repeats it")
    #expect(Simulation.run(seed: seed).violation == nil, "seed \(seed)")
  }

  @Test("have in them all that they are there for")
  func isEventful() {
    let tally = Campaign(seed: 1, seeds: 30).run().tally
    #expect(tally.returns > 0 && tally.breaks > 0 && tally.blocked > 0)
    #expect(tally.released > tally.reserved && tally.reserved > 0)
    #expect(tally.grants > 0 && tally.roomsDropped > 0)
    for outcome in ["accepted", "rejected", "tooShort", "lockedOut", "unavailable"] {
      #expect(tally.verdicts[outcome, default: 0] > 0, "no verdict was \(outcome)")
    }
    for reason in ["replaced", "roomFull", "roomClosed", "badMessage", "restart", "tooSlow"] {
      #expect(tally.closes[reason, default: 0] > 0, "no connection was closed with \(reason)")
    }
  }

  @Test("are the same for the same seed, and others for another")
  func isDeterministic() {
    let (one, same, other) = (
      Simulation.run(seed: 7), Simulation.run(seed: 7), Simulation.run(seed: 8)
    )
    #expect(one == same)
    #expect(one.logHash != other.logHash)
  }

  @Test("go on like a shorter run of the same seed")
  func isPrefix() {
    let short = Simulation.run(seed: 9, steps: 300)
    let long = Simulation.run(seed: 9, steps: 301)
    #expect(short.logHash != long.logHash)
    #expect(short.steps == 300 && long.steps == 301)
  }
}
