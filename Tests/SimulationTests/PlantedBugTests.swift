import DrawboltSimulation
import Testing

@Suite("A planted bug")
struct PlantedBugTests {
  @Test("is noticed by the invariant that is there for it", arguments: PlantedBug.allCases)
  func isNoticed(bug: PlantedBug) throws {
    let seeds: ClosedRange<UInt64> = 1...60
    let worlds = seeds.lazy.map { Simulation.run(seed: $0, planting: bug) }
    let failure = try #require(worlds.first { $0.violation != nil })
    let violation = try #require(failure.violation)
    #expect(failure.strikes > 0)
    #expect(bug.noticedBy.contains(violation.invariant), "\(violation)")
  }

  @Test("leaves the world as it is until it strikes")
  func isQuietUntilThen() {
    let clean = Simulation.run(seed: 3, steps: 200)
    let planted = Simulation.run(seed: 3, steps: 200, planting: .queueGrant)
    #expect(planted.strikes == 0)
    #expect(planted.logHash == clean.logHash)
  }

  @Test("is shown by the shortest run that was found, with its last events and no code")
  func isShrunk() throws {
    let long = Simulation.run(seed: 1, planting: .skipReservation)
    #expect(long.violation != nil)
    let short = Simulation.shrink(long, planting: .skipReservation)
    #expect(short.steps <= long.steps)
    #expect(Simulation.run(seed: 1, steps: short.steps, planting: .skipReservation) == short)
    #expect(short.lastEvents.count <= 40)
    #expect(short.text.contains("simulate --seed 1 --steps \(short.steps)"))
    // A line is a time, a word, whom it concerns and perhaps a size: there is no room for a path.
    for line in short.lastEvents { #expect(line.wholeMatch(of: Self.line) != nil, "\(line)") }
  }

  private nonisolated(unsafe) static let line = /\d+\.\d{6} s  [a-z]+ \d+( \(\d+\))?/

  @Test("is planted for every invariant")
  func everyInvariant() {
    let noticed = PlantedBug.allCases.reduce(into: Set<Invariant>()) { $0.formUnion($1.noticedBy) }
    #expect(noticed == Set(Invariant.allCases))
  }
}
