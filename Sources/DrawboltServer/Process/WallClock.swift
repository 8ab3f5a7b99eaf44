import Foundation
import Synchronization

/// Seconds since 1970 that never go back while the process runs.
///
/// A token that has ended must not come back by a clock that is set.
final class WallClock: Sendable {
  private let newest = Atomic<Int64>(0)

  /// The second that it is now, or the newest that it ever was.
  var now: Int64 {
    newest.max(Int64(time(nil)), ordering: .relaxed).newValue
  }
}
