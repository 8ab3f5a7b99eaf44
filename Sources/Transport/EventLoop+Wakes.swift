import CLibwebsockets
import Glibc

/// Counts turns, to notice that something wakes the loop without a pause.
struct WakeCount {
  private var turns = 0
  private var since: UInt64 = 0

  /// Nanoseconds of a look at how many turns there were.
  static let interval: UInt64 = 50_000_000
  /// More than this many in that time are looked into.
  static let mostTurns = 150

  /// Counts a turn; whether there were too many of late.
  mutating func isTooMany(at now: UInt64) -> Bool {
    turns += 1
    guard now >= since + Self.interval else { return false }
    defer {
      turns = 0
      since = now
    }
    return turns > Self.mostTurns
  }
}

extension EventLoop {
  /// Cuts connections whose peer says no more and takes no more.
  ///
  /// The library keeps what it holds for such a peer for five seconds, and is woken by the end of the
  /// stream all the while: a peer that stops to read and ends its half would cost a core. No callback
  /// tells of it.
  func cutEnded() {
    for connection in slots.compactMap(\.self) where connection.stage == .open {
      guard let socket = unsafe connection.socket, unsafe lws_partial_buffered(socket) != 0,
        hasEnded(connection.descriptor)
      else { continue }
      cut(connection, reason: .lost)
    }
  }

  private func hasEnded(_ descriptor: Int32) -> Bool {
    let count = Sockets.receive(descriptor, into: &scratch, upTo: 1, peek: true)
    return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
  }
}
