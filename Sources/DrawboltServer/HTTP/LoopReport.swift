import PadModel
import Rooms
import Transport

/// What one loop, or several together, count at one moment; see `/metrics`.
struct LoopReport: Sendable {
  var rooms: Int
  var members: Int
  /// The counters of all audiences there were.
  var frames: Audience.Counters
  var hub: HubStatistics
  var transport: TransportStatistics
  /// WebSocket connections of each loop, by its index.
  var connections: [Int: Int]

  static func += (sum: inout LoopReport, other: LoopReport) {
    sum.rooms += other.rooms
    sum.members += other.members
    sum.frames += other.frames
    sum.hub += other.hub
    sum.transport += other.transport
    sum.connections.merge(other.connections, uniquingKeysWith: +)
  }
}

/// What a loop knows so far of what all report.
struct Survey {
  var sum: LoopReport
  var missing: Int
}

extension Hub {
  /// What this loop counts, between two events.
  private var report: LoopReport {
    let homes = rooms.values.compactMap(\.home)
    return LoopReport(
      rooms: homes.count, members: homes.reduce(0) { $0 + $1.room.counts.members },
      frames: rooms.values.reduce(into: statistics.departed) { $0 += $1.audience.counters },
      hub: statistics, transport: loop.statistics,
      connections: [loop.index: loop.statistics.openConnections])
  }

  /// Answers a request by what all loops report; with one loop at once.
  ///
  /// Each reports at a moment of its own, so that none waits for another.
  func survey(for id: ConnectionID) -> HTTPReply {
    var survey = Survey(sum: report, missing: 0)
    let reference = HubReference(self)
    for (index, peer) in peers.enumerated() where index != loop.index {
      let isAsked = peer.handle.submit { loop in
        guard let report = (loop.handler as? Hub)?.report else { return }
        reference.submit { $0.add(report, for: id) }
      }
      if isAsked { survey.missing += 1 }
    }
    guard survey.missing > 0 else { return .now(metrics(of: survey.sum)) }
    surveys[id] = survey
    return .later
  }

  private func add(_ report: LoopReport, for id: ConnectionID) {
    surveys[id]?.sum += report
    surveys[id]?.missing -= 1
    guard let survey = surveys[id], survey.missing == 0 else { return }
    surveys[id] = nil
    loop.respond(to: id, metrics(of: survey.sum))
  }
}
