import Foundation
import Synchronization

/// Writes events to standard error from a thread of its own.
///
/// A loop thread must not wait for whoever reads standard error, so it only appends to a bounded
/// queue; what does not fit is counted and the count is logged.
package final class Log: Sendable {
  private static let longestQueue = 4096

  private struct State {
    var lines: [String] = []
    var dropped = 0
    var isClosed = false
    /// Signalled when what is queued now has been written.
    var waiting: [DispatchSemaphore] = []
  }

  package let level: LogLevel
  private let format: LogFormat
  private let write: @Sendable (String) -> Void
  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let finished = DispatchSemaphore(value: 0)

  /// Makes a log that hands each line, with its line end, to `write` on the log's thread.
  package init(
    level: LogLevel, format: LogFormat, write: @escaping @Sendable (String) -> Void = Log.toError
  ) {
    self.level = level
    self.format = format
    self.write = write
    let thread = Thread { [self] in run() }
    thread.name = "log"
    thread.start()
  }

  /// Queues the event unless it is below the level.
  package func callAsFunction(_ event: LogEvent) {
    guard event.level <= level else { return }
    let line = LogLine.render(event, time: Self.now(), format: format) + "\n"
    let isFirst = state.withLock { state in
      guard state.lines.count < Self.longestQueue else {
        state.dropped += 1
        return false
      }
      state.lines.append(line)
      return state.lines.count == 1
    }
    if isFirst { wakeUp.signal() }
  }

  /// Waits until what is queued has been written, but not for a reader that stopped to read.
  package func flush(by end: ContinuousClock.Instant = .now + .seconds(1)) {
    let written = DispatchSemaphore(value: 0)
    state.withLock { $0.waiting.append(written) }
    wakeUp.signal()
    _ = written.wait(timeout: .now() + (end - ContinuousClock.now).inSeconds)
  }

  /// Writes what is queued and ends the thread, if that takes no longer than until `end`.
  ///
  /// Whoever reads standard error may have stopped to, and the process must end all the same.
  package func close(by end: ContinuousClock.Instant = .now + .seconds(5)) {
    state.withLock { $0.isClosed = true }
    wakeUp.signal()
    let left = max(.milliseconds(100), end - ContinuousClock.now)
    _ = finished.wait(timeout: .now() + left.inSeconds)
  }

  private func run() {
    while true {
      wakeUp.wait()
      let (lines, dropped, isClosed, waiting) = state.withLock { state in
        defer {
          state.lines.removeAll(keepingCapacity: true)
          state.dropped = 0
          state.waiting = []
        }
        return (state.lines, state.dropped, state.isClosed, state.waiting)
      }
      lines.forEach(write)
      if dropped > 0 {
        write(LogLine.render(.dropped(lines: dropped), time: Self.now(), format: format) + "\n")
      }
      for one in waiting { one.signal() }
      if isClosed { break }
    }
    finished.signal()
  }

  /// The wall clock as text, in UTC with milliseconds.
  private static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var parts = tm()
    gmtime_r(&time.tv_sec, &parts)
    func padded(_ value: some BinaryInteger, _ width: Int) -> String {
      let text = "\(value)"
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let date = [
      padded(parts.tm_year + 1900, 4), padded(parts.tm_mon + 1, 2), padded(parts.tm_mday, 2),
    ].joined(separator: "-")
    let clock = [padded(parts.tm_hour, 2), padded(parts.tm_min, 2), padded(parts.tm_sec, 2)]
      .joined(separator: ":")
    return "\(date)T\(clock).\(padded(time.tv_nsec / 1_000_000, 3))Z"
  }

  /// Writes to standard error in one call, so that lines of several processes don't mix.
  package static let toError: @Sendable (String) -> Void = { line in
    var line = line
    line.withUTF8 { _ = Foundation.write(2, $0.baseAddress, $0.count) }
  }
}
