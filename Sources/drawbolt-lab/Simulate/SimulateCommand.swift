import DrawboltServer
import DrawboltSimulation

extension Command {
  static let simulate = Command(
    name: "simulate", summary: "Run seeded worlds and check after every step what must be true.",
    details: """
      A world is people on bad networks around the real rooms and the real protocol, in virtual time:
      the same seed is the same world. At the first thing that is wrong it prints the seed, as few
      steps as were found to show it, and what happened last, and ends with status 70.
      """,
    options: [
      Option(name: "seed", value: "N", help: "The first seed (default: a fresh one)."),
      Option(name: "seeds", value: "COUNT", help: "How many from there on (default 1)."),
      Option(
        name: "steps", value: "N",
        help: "Steps of each world, 1 to 10000000 (default \(Simulation.standardSteps))."),
    ]
  ) { arguments, console throws(CommandFailure) in
    let fresh = Int(UInt32.random(in: 0 ... .max))
    let campaign = Campaign(
      seed: UInt64(try arguments.integer("seed", in: 0...Int.max, default: fresh)),
      seeds: try arguments.integer("seeds", in: 1...10_000_000, default: 1),
      steps: try arguments.integer(
        "steps", in: 1...10_000_000, default: Simulation.standardSteps))
    let progress = Progress()
    let result = campaign.run { progress.show("world \($0) of \(campaign.seeds)") }
    progress.clear()
    console.print(campaign.summary(of: result))
    guard let failure = result.failure else { return }
    console.print(failure.text)
    throw CommandFailure(.software, "seed \(failure.seed) breaks \(failure.brokenRule)")
  }
}
