import Glibc
import Synchronization
import Transport

/// What a loop's handler saw, for a test to wait on.
final class Journal: @unchecked Sendable {
  /// One event of a handler.
  enum Event: Equatable, Sendable {
    case opened(ConnectionOpening)
    case message([UInt8], isText: Bool)
    case writable(ConnectionID)
    case closed(ConnectionID, CloseReason)
    case requested(ConnectionID)
    case drained
    case log(String)
  }

  private var mutex = pthread_mutex_t()
  private var condition = pthread_cond_t()
  private var events: [Event] = []

  init() {
    pthread_mutex_init(&mutex, nil)
    pthread_cond_init(&condition, nil)
  }

  func add(_ event: Event) {
    pthread_mutex_lock(&mutex)
    events.append(event)
    pthread_cond_broadcast(&condition)
    pthread_mutex_unlock(&mutex)
  }

  var all: [Event] {
    pthread_mutex_lock(&mutex)
    defer { pthread_mutex_unlock(&mutex) }
    return events
  }

  /// Waits until the events give a value; `nil` after a time that only a failure needs.
  func wait<Value>(seconds: Int = 20, for pick: ([Event]) -> Value?) -> Value? {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += seconds
    pthread_mutex_lock(&mutex)
    defer { pthread_mutex_unlock(&mutex) }
    while true {
      if let value = pick(events) { return value }
      if pthread_cond_timedwait(&condition, &mutex, &deadline) != 0 { return pick(events) }
    }
  }

  func firstOpening() -> ConnectionOpening? {
    wait { events in
      events.lazy.compactMap { if case .opened(let opening) = $0 { opening } else { nil } }.first
    }
  }

  func firstRequest() -> ConnectionID? {
    wait { events in
      events.lazy.compactMap { if case .requested(let id) = $0 { id } else { nil } }.first
    }
  }

  func firstClosing() -> CloseReason? {
    wait { events in
      events.lazy.compactMap { if case .closed(_, let reason) = $0 { reason } else { nil } }.first
    }
  }

  func closings(atLeast count: Int) -> [CloseReason]? {
    wait { events in
      let closings = events.compactMap { event -> CloseReason? in
        if case .closed(_, let reason) = event { reason } else { nil }
      }
      return closings.count >= count ? closings : nil
    }
  }
}

/// Echoes, unless a test says otherwise.
final class TestHandler: TransportHandler {
  typealias OnMessage = @Sendable (EventLoop, ConnectionID, [UInt8], Bool) -> Void

  typealias OnTurn = @Sendable (EventLoop) -> Void

  private unowned let loop: EventLoop
  private let journal: Journal
  private let onMessage: OnMessage?
  private let onTurn: OnTurn?
  private let marksReady: Bool

  init(
    _ loop: EventLoop, _ journal: Journal, marksReady: Bool, onMessage: OnMessage?, onTurn: OnTurn?
  ) {
    self.loop = loop
    self.journal = journal
    self.marksReady = marksReady
    self.onMessage = onMessage
    self.onTurn = onTurn
  }

  func connectionOpened(_ opening: ConnectionOpening) {
    if marksReady { loop.markReady(opening.id) }
    journal.add(.opened(opening))
  }

  func messageReceived(_ id: ConnectionID, bytes: Span<UInt8>, isText: Bool) {
    let copy = bytes.withUnsafeBufferPointer(Array.init)
    journal.add(.message(copy, isText: isText))
    if let onMessage { return onMessage(loop, id, copy, isText) }
    loop.send(isText ? Frame.text(copy) : Frame.binary(copy), to: id, .queued)
  }

  func connectionWritable(_ id: ConnectionID) { journal.add(.writable(id)) }

  func connectionClosed(_ id: ConnectionID, reason: CloseReason) {
    journal.add(.closed(id, reason))
  }

  func httpRequested(_ request: HTTPRequest) -> HTTPReply {
    switch request.path {
    case "/healthz": return .now(.text("ok\n"))
    case "/large": return .now(.text(String(repeating: "x", count: 1 << 20)))
    case "/which": return .now(.text("\(request.listener) \(request.query ?? "-")"))
    case "/api/echo":
      let body = String(decoding: request.body, as: UTF8.self)
      return .now(.text("\(request) \(request.method) \(request.authorization ?? "-") \(body)"))
    case "/later":
      journal.add(.requested(request.id))
      return .later
    default: return .notFound
    }
  }

  func turnEnded(now: UInt64) { onTurn?(loop) }

  func drained() { journal.add(.drained) }
}
