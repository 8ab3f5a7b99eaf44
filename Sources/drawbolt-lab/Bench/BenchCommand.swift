import DrawboltServer

extension Command {
  static let bench = Command(
    name: "bench", summary: "Measure what samples, states and members cost.",
    details: """
      Prints nanoseconds and heap allocations per operation, with what is aimed at beside. Nothing
      leaves the process. Figures of different machines, or of a busy one, don't compare.
      """,
    options: [
      .json,
      Option(name: "seconds", value: "N", help: "Time for each figure, 0 to 60 (default 1)."),
    ]
  ) { arguments, console throws(CommandFailure) in
    let seconds = try arguments.integer("seconds", in: 0...60, default: 1)
    let report = try BenchReport.measure(seconds: Double(seconds))
    console.print(try arguments.has("json") ? jsonText(report) : report.text)
  }
}

/// All figures of a run.
struct BenchReport: Codable {
  var machine: Machine
  /// Percent of the machine that other processes used meanwhile.
  var otherWork: Double
  var figures: [Figure]

  static func measure(seconds: Double) throws(CommandFailure) -> BenchReport {
    try Stopwatch.checkCounting()
    let others = OtherWork()
    var stopwatch = Stopwatch(seconds: seconds)
    stopwatch.measureTracker(columns: 3, target: 30)
    stopwatch.measureTracker(columns: 10, target: 60)
    stopwatch.measureEncoding()
    stopwatch.measureDecoding()
    stopwatch.measureRoom()
    stopwatch.measureAudience(acknowledges: false)
    stopwatch.measureAudience(acknowledges: true)
    return BenchReport(machine: .this, otherWork: others.percent, figures: stopwatch.figures)
  }

  var text: String {
    let head = [["per operation", "ns", "aim", "", "allocations"]]
    let rows = figures.map { figure in
      [
        figure.name, decimal(figure.nanoseconds),
        figure.target.map { "≤ \(decimal($0, 0))" } ?? "–",
        figure.target.map { figure.nanoseconds <= $0 ? "met" : "missed" } ?? "",
        decimal(figure.allocations, 3),
      ]
    }
    return "\(machine.line); others used \(decimal(otherWork)) %\n\n" + table(head + rows)
  }
}
