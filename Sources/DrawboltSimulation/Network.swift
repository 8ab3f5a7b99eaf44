import PadModel
import Wire

/// One direction of a connection: what was sent and not read yet, in order.
///
/// A connection keeps its order; two of them do not, since each message takes a time of its own.
struct Pipe<Content> {
  private struct Parcel {
    let content: Content
    let size: Int
    let arrival: Instant
  }

  private var parcels: [Parcel] = []
  private var lastArrival = Instant.zero
  /// Bytes that nobody has read.
  private(set) var bytes = 0

  var isEmpty: Bool { parcels.isEmpty }
  /// When the first one that was not read is there.
  var nextArrival: Instant? { parcels.first?.arrival }

  /// Sends; answers when it will be there: at whole milliseconds, so that things meet.
  @discardableResult
  mutating func put(_ content: Content, size: Int, latency: Duration, at now: Instant) -> Instant {
    let exact = (now + latency).nanoseconds
    let whole = Instant(nanoseconds: (exact + 999_999) / 1_000_000 * 1_000_000)
    lastArrival = max(lastArrival, whole)
    parcels.append(Parcel(content: content, size: size, arrival: lastArrival))
    bytes += size
    return lastArrival
  }

  /// Takes out the first that is there.
  mutating func take(at now: Instant) -> Content? {
    guard let first = parcels.first, first.arrival <= now else { return nil }
    parcels.removeFirst()
    bytes -= first.size
    return first.content
  }

  /// All that was on its way is lost.
  mutating func cut() {
    parcels = []
    bytes = 0
  }
}

/// What a client sends: a message, or garbage.
struct Upward {
  let bytes: [UInt8]
  let isText: Bool
  /// What was encoded; nil for garbage.
  let message: ClientMessage?
}

/// What a server sends.
enum Downward {
  case message([UInt8], isText: Bool, ServerMessage)
  case close(CloseReason)
}
