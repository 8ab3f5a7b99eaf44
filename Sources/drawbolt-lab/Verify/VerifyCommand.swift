import DrawboltServer
import PadModel
import Vault

extension Command {
  static let verifyLoad = Command(
    name: "verify-load",
    summary: "Show that checking codes does not slow a stroke down.",
    details: """
      Runs a server in this process, pinned to one core with its hashing threads, and draws to a board
      from another core: by turns with nothing to check, and with eight locks whose wrong codes keep
      the verify queue full at the standard cost. Prints how much longer states take then.
      """,
    options: [
      Option(name: "viewers", value: "N", help: "Viewers, 1 to 1000 (default 100)."),
      Option(name: "rate", value: "R", help: "Samples a second, 1 to 500 (default 120)."),
      Option(name: "seconds", value: "S", help: "Each run's length, 1 to 60 (default 5)."),
      Option(name: "rounds", value: "N", help: "Runs of each kind, 1 to 20 (default 5)."),
      .json,
    ]
  ) { arguments, console throws(CommandFailure) in
    let rounds = try arguments.integer("rounds", in: 1...20, default: 5)
    let server = try LabServer()
    defer { server.stop() }
    var plan = LoadPlan(address: server.address, room: .board("bench"))
    plan.viewers = try arguments.integer("viewers", in: 1...1000, default: 100)
    plan.rate = try arguments.integer("rate", in: 1...500, default: 120)
    plan.seconds = try arguments.integer("seconds", in: 1...60, default: 5)
    let report = try VerifyReport.measure(plan, on: server, rounds: rounds)
    console.print(try arguments.has("json") ? jsonText(report) : report.text)
  }
}

/// Runs without and with a full verify queue, by turns.
struct VerifyReport: Codable {
  /// One run.
  struct Run: Codable {
    var isQueueFull: Bool
    var load: LoadReport
    /// Hashes that were made a second.
    var hashesPerSecond: Double
    /// The least number of attempts that were seen waiting for a hash.
    var leastQueue: Int
  }

  var machine: Machine
  /// Whether server and sender had a core each.
  var isPinned: Bool
  var runs: [Run]
  /// The median of the p50 with a full queue over that without.
  var ratioP50: Double
  /// The same of the p99.
  var ratioP99: Double

  /// The most that the p99 may grow.
  static let aim = 1.2

  static func measure(
    _ plan: LoadPlan, on server: LabServer, rounds: Int
  ) throws(CommandFailure) -> VerifyReport {
    let progress = Progress()
    var runs: [Run] = []
    for round in 1...rounds {
      for isQueueFull in [false, true] {
        let head = "run \(runs.count + 1) of \(2 * rounds), queue \(isQueueFull ? "full" : "empty")"
        // A fresh board, so that nobody holds its pen.
        var plan = plan
        plan.room = .board("bench\(round)\(isQueueFull ? "b" : "a")")
        runs.append(
          try run(plan, on: server, isQueueFull: isQueueFull) { progress.show("\(head): \($0)") })
      }
    }
    progress.clear()
    func ratio(_ value: (Quantiles) -> Double) -> Double {
      let full = median(runs.filter(\.isQueueFull).map { value($0.load.latency) })
      return full / median(runs.filter { !$0.isQueueFull }.map { value($0.load.latency) })
    }
    return VerifyReport(
      machine: .this, isPinned: server.isPinned, runs: runs, ratioP50: ratio(\.p50),
      ratioP99: ratio(\.p99))
  }

  private static func run(
    _ plan: LoadPlan, on server: LabServer, isQueueFull: Bool, progress: (String) -> Void
  ) throws(CommandFailure) -> Run {
    let crowd = isQueueFull ? server.startDrawers() : nil
    defer { crowd?.stop() }
    let (hashes, start) = (server.vault.hashCount, monotonicNanoseconds())
    try crowd?.forgetQueue()
    let load = try LoadRun.run(plan, progress: progress)
    let seconds = Double(monotonicNanoseconds() - start) / 1e9
    return Run(
      isQueueFull: isQueueFull, load: load,
      hashesPerSecond: Double(server.vault.hashCount - hashes) / seconds,
      leastQueue: crowd?.leastQueue ?? 0)
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  var text: String {
    let head = [
      [
        "verify queue", "p50 µs", "p90 µs", "p99 µs", "max µs", "hashes/s", "least waiting",
        "others %",
      ]
    ]
    let rows = runs.map { run in
      [run.isQueueFull ? "full" : "empty"] + run.load.latency.cells
        + [decimal(run.hashesPerSecond), "\(run.leastQueue)", decimal(run.load.otherWork)]
    }
    let place = isPinned ? "server and hashing on one core, sender on another" : "NOT PINNED"
    let verdict = ratioP99 <= Self.aim ? "met" : "missed"
    return "\(machine.line), \(place)\n\n" + table(head + rows)
      + "\nfull ÷ empty, medians: p50 \(decimal(ratioP50, 2)), p99 \(decimal(ratioP99, 2)) "
      + "(aim ≤ \(decimal(Self.aim)): \(verdict))\n"
  }
}
