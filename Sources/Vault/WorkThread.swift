import Dispatch
import Foundation
import Synchronization

/// A thread that owns a value and does pieces of work on it in their order.
///
/// The value is made on the thread and never leaves it, so it need not be `Sendable`.
final class WorkThread<Owned>: Sendable {
  private struct Inbox {
    var work: [@Sendable (Owned) -> Void] = []
    var isClosed = false
  }

  private let inbox = Mutex(Inbox())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: the thread's name.
  ///   - idleEvery: how often `idle` runs when there is no work.
  ///   - make: makes the value, on the thread.
  ///   - idle: runs between pieces of work.
  /// - Throws: what `make` throws.
  init(
    name: String, idleEvery: DispatchTimeInterval,
    make: @escaping @Sendable () throws(VaultError) -> Owned,
    idle: @escaping @Sendable (Owned) -> Void
  ) throws(VaultError) {
    let box = OutcomeBox()
    let thread = Thread { [self] in
      do throws(VaultError) {
        let owned = try make()
        box.finish(nil)
        run(owned, idleEvery: idleEvery, idle: idle)
      } catch {
        box.finish(error)
      }
      ended.signal()
    }
    thread.name = name
    thread.start()
    if let error = box.wait() { throw error }
  }

  /// Appends a piece of work; false if the thread ends.
  @discardableResult
  func submit(_ work: @escaping @Sendable (Owned) -> Void) -> Bool {
    let isOpen = inbox.withLock { inbox in
      if !inbox.isClosed { inbox.work.append(work) }
      return !inbox.isClosed
    }
    if isOpen { wakeUp.signal() }
    return isOpen
  }

  /// Does what is there already, then ends; waits for that.
  func close() {
    inbox.withLock { $0.isClosed = true }
    wakeUp.signal()
    ended.wait()
    ended.signal()
  }

  private func run(
    _ owned: Owned, idleEvery: DispatchTimeInterval, idle: @Sendable (Owned) -> Void
  ) {
    while true {
      let (work, isClosed) = inbox.withLock { inbox in
        defer { inbox.work.removeAll(keepingCapacity: true) }
        return (inbox.work, inbox.isClosed)
      }
      for piece in work { piece(owned) }
      idle(owned)
      if isClosed { return }
      if work.isEmpty { _ = wakeUp.wait(timeout: .now() + idleEvery) }
    }
  }
}

/// How a thread's start went, for the one who waits for it.
private final class OutcomeBox: Sendable {
  private let error = Mutex<VaultError?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func finish(_ outcome: VaultError?) {
    error.withLock { $0 = outcome }
    done.signal()
  }

  func wait() -> VaultError? {
    done.wait()
    return error.withLock { $0 }
  }
}
