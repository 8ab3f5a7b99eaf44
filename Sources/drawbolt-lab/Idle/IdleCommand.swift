package import DrawboltServer
import Foundation
import PadModel

extension Command {
  static let idle = Command(
    name: "idle", summary: "Measure what an idle member costs in memory.",
    details: """
      Starts a server of its own for each stage of a connection, the program drawbolt beside this one,
      and reads from the system how much more of its memory is resident once so many have come that far.
      The kernel's own memory is shown apart, and is that of both ends, since members are on this machine.
      """,
    options: [
      Option(name: "members", value: "N", help: "Members, 1 to 10000 (default 2000)."),
      Option(name: "program", value: "PATH", help: "Another drawbolt."), .json,
    ]
  ) { arguments, console throws(CommandFailure) in
    let members = try arguments.integer("members", in: 1...10_000, default: 2000)
    let descriptors = ProcessHygiene.raiseDescriptorLimit()
    guard members + 64 <= descriptors else {
      throw CommandFailure(
        .systemError, "--members is \(members), but this process may open \(descriptors) files")
    }
    let report = try IdleReport.measure(
      members, program: arguments["program"] ?? ServerProcess.sibling)
    console.print(try arguments.has("json") ? jsonText(report) : report.text)
  }
}

/// What idle connections cost, by how far they came; each stage includes those before it.
package struct IdleReport: Codable {
  /// One stage.
  package struct Stage: Codable {
    package var name: String
    /// Resident memory of the server per connection, in KiB.
    package var resident: Double
    /// The kernel's memory per connection, both ends of it, in KiB.
    var kernel: Double
  }

  var machine: Machine
  var members: Int
  package var stages: [Stage]

  /// The most KiB per member that were asked for.
  static let aim = 3.0
  /// `members` messages come once a second: after this long all have theirs and nothing moves.
  package static let settling: Int64 = 2_000_000_000

  package static func measure(
    _ members: Int, program: String = ServerProcess.sibling, settling: Int64 = settling
  ) throws(CommandFailure) -> IdleReport {
    let progress = Progress()
    defer { progress.clear() }
    var stages: [Stage] = []
    for goal in LoadPlan.Goal.allCases {
      let server = try ServerProcess(program)
      var plan = LoadPlan(address: server.address, room: .board("bench"))
      plan.acknowledges = true
      plan.viewers = 15
      // What only the first ones cost is not what each one costs.
      try LoadRun.connected(plan, progress: progress.show).idle(nanoseconds: settling)
      plan.goal = goal
      // A server gives silent sockets up when there are more than a thousand.
      plan.viewers = (goal == .socket ? min(members, 1000) : members) - 1
      stages.append(try stage(plan, of: server, settling, progress.show))
    }
    return IdleReport(machine: .this, members: members, stages: stages)
  }

  private static func stage(
    _ plan: LoadPlan, of server: ServerProcess, _ settling: Int64, _ progress: (String) -> Void
  ) throws(CommandFailure) -> Stage {
    let before = try (server.residentKilobytes(), Memory.kernelKilobytes())
    let run = try LoadRun.connected(plan, progress: progress)
    run.idle(nanoseconds: settling)
    let after = try (server.residentKilobytes(), Memory.kernelKilobytes())
    let count = Double(run.members.count)
    return Stage(
      name: plan.goal.name, resident: Double(after.0 - before.0) / count,
      kernel: Double(after.1 - before.1) / count)
  }

  package var text: String {
    let head = [["KiB per connection", "resident", "of this stage", "kernel, both ends"]]
    let rows = stages.enumerated().map { index, stage in
      let own = stage.resident - (index == 0 ? 0 : stages[index - 1].resident)
      return [stage.name, decimal(stage.resident, 2), decimal(own, 2), decimal(stage.kernel, 2)]
    }
    let total = stages.last?.resident ?? 0
    return "\(machine.line); \(members) connections\n\n" + table(head + rows)
      + "\na member: \(decimal(total, 2)) KiB (aim ≤ \(decimal(Self.aim)): "
      + "\(total <= Self.aim ? "met" : "missed"))\n"
  }
}

extension LoadPlan.Goal {
  fileprivate var name: String {
    switch self {
    case .socket: "socket, no request yet"
    case .webSocket: "WebSocket, no hello yet"
    case .member: "member that acknowledges"
    }
  }
}
