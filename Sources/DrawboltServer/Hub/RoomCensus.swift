import Synchronization

/// Counts rooms, and boards by who opened them, for all loops of the process together.
///
/// It is asked when a room opens and when it is dropped.
package final class RoomCensus: Sendable {
  /// Whether a room may open.
  package enum Decision: Equatable, Sendable {
    /// It may, and is counted until ``dropped(opener:)``.
    case admitted
    /// There are as many rooms as there may be.
    case full
    /// Its opener has as many boards as it may.
    case tooMany
  }

  private struct State {
    var rooms = 0
    var boards: [UInt64: Int] = [:]
  }

  private let state = Mutex(State())
  private let maximum: Int
  private let boardsPerOpener: Int

  /// Makes the census of a process that has no room yet.
  package init(rooms maximum: Int, boardsPerOpener: Int) {
    self.maximum = maximum
    self.boardsPerOpener = boardsPerOpener
  }

  /// Whether no room may open now.
  package var isFull: Bool { state.withLock { $0.rooms >= maximum } }

  /// Counts a room in; boards come with their opener, unless no limit holds for it.
  package func open(opener: UInt64?) -> Decision {
    state.withLock { state in
      guard state.rooms < maximum else { return .full }
      if let opener {
        guard state.boards[opener, default: 0] < boardsPerOpener else { return .tooMany }
        state.boards[opener, default: 0] += 1
      }
      state.rooms += 1
      return .admitted
    }
  }

  /// Counts a room out.
  package func dropped(opener: UInt64?) {
    state.withLock { state in
      state.rooms -= 1
      precondition(state.rooms >= 0)
      guard let opener, let boards = state.boards[opener] else { return }
      state.boards[opener] = boards > 1 ? boards - 1 : nil
    }
  }
}
