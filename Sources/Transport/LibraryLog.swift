import CLibwebsockets
import Glibc

/// Which loop runs on this thread.
///
/// The library's log has no context but the thread, and its callbacks need the loop in every event;
/// the key itself never changes.
private let currentLoopKey: pthread_key_t = {
  var key = pthread_key_t()
  let result = unsafe pthread_key_create(&key, nil)
  precondition(result == 0)
  return key
}()

extension EventLoop {
  /// The loop of the calling thread.
  static var current: EventLoop? {
    guard let data = unsafe pthread_getspecific(currentLoopKey) else { return nil }
    return unsafe Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
  }

  func becomeCurrent() {
    unsafe pthread_setspecific(currentLoopKey, Unmanaged.passUnretained(self).toOpaque())
  }

  static func leaveThread() { pthread_setspecific(currentLoopKey, nil) }

  /// A line of the library's log, made harmless and passed on unless there are too many.
  func logged(_ line: [UInt8]) {
    // 4.1 says this of every adoption with a head, as an error, though nothing is wrong.
    let text = printable(line)
    if text.contains("adopt_socket_readbuf: calling service") { return }
    guard logLimit.allows(at: now) else {
      counters.suppressedLogLines += 1
      return
    }
    configuration.libraryLog(text)
  }
}

/// At most ten lines at once and one a second.
package struct LogLimit {
  private var replenishedAt: UInt64 = 0

  package init() {}

  package mutating func allows(at now: UInt64) -> Bool {
    let second: UInt64 = 1_000_000_000
    let next = max(replenishedAt, now) + second
    guard next <= now + 10 * second else { return false }
    replenishedAt = next
    return true
  }
}

/// Printable ASCII, at most 200 bytes, other bytes as question marks, no line end.
func printable(_ line: [UInt8]) -> String {
  let text = line.prefix(200).reversed().drop { $0 == 10 || $0 == 13 }.reversed()
  return String(decoding: text.map { $0 >= 0x20 && $0 < 0x7f ? $0 : 0x3f }, as: UTF8.self)
}

/// Sets the process's one emitter, once.
let libraryLogIsInstalled: Void = {
  unsafe lws_set_log_level(Int32(LLL_ERR) | Int32(LLL_WARN)) { _, line in
    guard let line = unsafe line, let loop = EventLoop.current else { return }
    let length = unsafe strnlen(line, 256)
    let bytes = unsafe UnsafeRawBufferPointer(start: line, count: length)
    unsafe loop.logged(Array(bytes))
  }
}()
