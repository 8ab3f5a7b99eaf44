import CLinux
import Dispatch
import Foundation
import Synchronization

/// One hash on a thread of its own that runs only when nothing else does.
///
/// Linux lets every thread take `SCHED_IDLE` and only privileged ones leave it, and on a busy machine
/// such a thread gets nowhere for seconds, not even to its end, for which the kernel can wait without a
/// pause. So it holds no lock that others want, answers nobody, lives no longer than its hash, can be
/// left alone with it, and is helped to its end where that is allowed.
final class AsideHash: Sendable {
  private enum Outcome: Sendable {
    case running
    case ended([UInt8]?)
    case left
  }

  private let outcome = Mutex(Outcome.running)
  private let isOver = DispatchSemaphore(value: 0)
  /// The thread's number while it hashes, or 0.
  private let thread = Mutex<Int32>(0)

  /// Starts it.
  init(whenIdle: Bool, _ hash: @escaping @Sendable () -> [UInt8]?) {
    let thread = Thread { [self] in
      self.thread.withLock { $0 = clinux_thread_number() }
      if whenIdle { _ = clinux_set_idle_scheduling() }
      let result = hash()
      if whenIdle { _ = clinux_set_normal_scheduling(0) }
      self.thread.withLock { $0 = 0 }
      end(.ended(result))
    }
    thread.name = "hash"
    thread.stackSize = 512 * 1024
    thread.start()
  }

  /// Has ``wait()`` return nil at once.
  func leave() {
    end(.left)
    thread.withLock { if $0 != 0 { _ = clinux_set_normal_scheduling($0) } }
  }

  private func end(_ ending: Outcome) {
    let isFirst = outcome.withLock { outcome in
      guard case .running = outcome else { return false }
      outcome = ending
      return true
    }
    if isFirst { isOver.signal() }
  }

  /// Waits for the end: the hash, which is nil inside if it could not be made, or nil if it was left.
  func wait() -> [UInt8]?? {
    isOver.wait()
    return outcome.withLock { outcome in
      if case .ended(let hash) = outcome { return .some(hash) }
      return nil
    }
  }
}
