/// What came of a load; times in microseconds, counted from when a sample was due.
struct LoadReport: Codable {
  var machine: Machine
  /// Percent of the machine that other processes used meanwhile; a server that runs by itself is one.
  var otherWork: Double
  var viewers: Int
  /// Samples a second.
  var rate: Int
  /// Seconds that were counted, after one of warming up.
  var seconds: Int
  /// Samples sent, those of warming up among them.
  var samples: Int
  /// From due to shown, for each state that a viewer was shown.
  var latency: Quantiles
  /// States that a viewer was never shown since a newer one was there, which is no loss.
  var superseded: Int
  /// For each of those, from due to the newer state.
  var supersededAge: Quantiles
  /// How late samples left this program.
  var senderLateness: Quantiles
  /// Viewers that were connected and were not shown the last sample within five seconds.
  var withoutLast: Int
  /// Members whose connection ended, and why the first one did.
  var lost: Int
  var firstLoss: String?
  /// States older than one that the viewer had; never with a correct server.
  var reordered: Int

  var text: String {
    var lines = table([
      ["microseconds from due", "p50", "p90", "p99", "max"],
      ["state shown to a viewer"] + latency.cells,
      ["sample left the sender"] + senderLateness.cells,
      ["superseded by a newer state"] + supersededAge.cells,
    ])
    lines +=
      "\n\(samples) samples at \(rate)/s to \(viewers) viewers: \(latency.count) states shown, "
    lines += "\(superseded) superseded, \(lost) members lost, \(withoutLast) without the last state"
    if let firstLoss { lines += " (\(firstLoss))" }
    if reordered > 0 { lines += ", \(reordered) OUT OF ORDER" }
    let others = "others, the server among them, used \(decimal(otherWork)) %"
    return "\(machine.line); \(others)\n\n\(lines)\n"
  }
}

extension LoadRun {
  /// What has come of the load so far.
  func report() -> LoadReport {
    let losses = members.compactMap { member -> String? in
      if case .gone(let reason) = member.stage { reason } else { nil }
    }
    return LoadReport(
      machine: .this, otherWork: otherWork?.percent ?? 0, viewers: plan.viewers, rate: plan.rate,
      seconds: plan.seconds, samples: sent, latency: Quantiles(latency), superseded: superseded,
      supersededAge: Quantiles(replaced),
      senderLateness: Quantiles(lateness),
      withoutLast: members.count { $0.stage == .ready && $0.newest != lastSample },
      lost: losses.count, firstLoss: losses.first, reordered: reordered)
  }
}
