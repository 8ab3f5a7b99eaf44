import DrawboltServer
import Foundation
import PadModel

extension Command {
  static let load = Command(
    name: "load", summary: "Draw on a running server of this machine and time what viewers see.",
    details: """
      One controller draws at a fixed rate; every viewer's states are timed from the moment at which
      their sample was due, so a slow server can't slow the measuring down. Start the server with
      --dev, which lifts the limits by address for this machine. Only loopback addresses are allowed.
      """,
    options: [
      Option(name: "url", value: "URL", help: "Where, such as ws://127.0.0.1:8080/ws (default)."),
      Option(name: "room", value: "ROOM", help: "The board (default board:bench)."),
      Option(name: "viewers", value: "N", help: "Viewers, 1 to 20000 (default 100)."),
      Option(name: "rate", value: "R", help: "Samples a second, 1 to 5000 (default 120)."),
      Option(name: "seconds", value: "S", help: "How long, 1 to 600 (default 10)."),
      Option(name: "max-rate", value: "R", help: "States a second that viewers ask for."),
      Option(name: "acks", value: nil, help: "Viewers acknowledge states, as pages do."),
      .json,
    ]
  ) { arguments, console throws(CommandFailure) in
    let plan = try LoadPlan(arguments)
    let descriptors = ProcessHygiene.raiseDescriptorLimit()
    guard plan.viewers + 64 <= descriptors else {
      throw CommandFailure(
        .systemError, "--viewers is \(plan.viewers), but this process may open \(descriptors) files"
      )
    }
    let progress = Progress()
    let report = try LoadRun.run(plan, progress: progress.show)
    progress.clear()
    console.print(try arguments.has("json") ? jsonText(report) : report.text)
  }
}

extension LoadPlan {
  init(_ arguments: Arguments) throws(CommandFailure) {
    let url = try LoopbackURL(arguments["url"] ?? "ws://127.0.0.1:8080/ws")
    guard case .board? = try? RoomName(arguments["room"] ?? "board:bench"),
      let room = try? RoomName(arguments["room"] ?? "board:bench")
    else { throw CommandFailure(.usage, "--room must be a board, such as board:bench") }
    self.init(address: url.address, room: room)
    path = url.path
    viewers = try arguments.integer("viewers", in: Self.viewerRange, default: viewers)
    rate = try arguments.integer("rate", in: Self.rateRange, default: rate)
    seconds = try arguments.integer("seconds", in: Self.secondsRange, default: seconds)
    acknowledges = arguments.has("acks")
    if arguments.has("max-rate") {
      maxRate = try arguments.integer(
        "max-rate", in: 1...Limits.standard.maxRate, default: Limits.standard.maxRate)
    }
  }
}

/// A line on a terminal that is written over; nothing where standard error is none.
struct Progress {
  private let isTerminal = isatty(2) == 1

  func show(_ line: String) { if isTerminal { write("\r\u{1b}[K\(line)") } }

  func clear() { if isTerminal { write("\r\u{1b}[K") } }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
