/// How often a connection has woken the loop within one millisecond.
package struct Haste {
  private var millisecond: UInt32 = 0
  private var turn: UInt16 = 0
  private var turns: UInt16 = 0

  /// Turns of one millisecond to which a connection may bring messages before its next ones are gathered.
  ///
  /// The default allowances permit less for long, so this is about connections with a named exception.
  private static let mostTurns = 4

  package init() {}

  /// Counts a message; whether its turn is one too many.
  package mutating func isTooGreat(turn: UInt16, at now: UInt64) -> Bool {
    if turn == self.turn { return false }
    self.turn = turn
    let millisecond = UInt32(truncatingIfNeeded: now / 1_000_000)
    turns = millisecond == self.millisecond ? turns + 1 : 1
    self.millisecond = millisecond
    return turns > Self.mostTurns
  }
}

/// Connections whose messages the kernel gathers for a moment.
///
/// A peer that sends tens of thousands of small messages a second would wake the loop for nearly each of
/// them, and a turn costs more than a message. As network drivers moderate their interrupts, the loop
/// lets the kernel keep what comes next from such a peer for a millisecond: it raises the number of bytes
/// from which the socket counts as readable (`SO_RCVLOWAT`). Nothing waits that has come already.
struct Moderation {
  /// The turn's number, which comes again after 65 536.
  var turn: UInt16 = 0
  /// Too hasty in this turn.
  var hasty: [ConnectionID] = []
  /// Gathering.
  var gathering: [ConnectionID] = []
  var timer: LoopTimer?
  /// So much is read at once, however soon it comes.
  static let gatheredBytes: Int32 = 16_384
  static let milliseconds = 1
}

extension EventLoop {
  /// Counts a message against the haste of its connection.
  func noteHaste(of connection: Connection) {
    if connection.haste.isTooGreat(turn: moderation.turn, at: now) {
      moderation.hasty.append(connection.id)
    }
  }

  /// At the end of a turn: has the kernel gather for those who were too hasty and are read up.
  func moderate() {
    moderation.turn &+= 1
    if moderation.hasty.isEmpty { return }
    let wasGathering = !moderation.gathering.isEmpty
    for id in moderation.hasty {
      guard let connection = connection(id), connection.stage == .open,
        Sockets.isReadUp(connection.network),
        Sockets.gather(Moderation.gatheredBytes, on: connection.network)
      else { continue }
      counters.gatherings += 1
      moderation.gathering.append(id)
    }
    moderation.hasty.removeAll(keepingCapacity: true)
    if wasGathering || moderation.gathering.isEmpty { return }
    if moderation.timer == nil { moderation.timer = makeTimer { $0.endGathering() } }
    moderation.timer?.arm(afterMilliseconds: Moderation.milliseconds)
  }

  private func endGathering() {
    for id in moderation.gathering {
      guard let connection = connection(id) else { continue }
      _ = Sockets.gather(1, on: connection.network)
    }
    moderation.gathering.removeAll(keepingCapacity: true)
  }
}
