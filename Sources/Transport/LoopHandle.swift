import CLibUV
import Glibc
import Synchronization

/// The one thing of a loop that other threads may hold.
@safe
public final class LoopHandle: Sendable {
  /// What the loop runs with: the listeners' ports are the bound ones.
  public let configuration: TransportConfiguration

  private struct Inbox {
    var work: [@Sendable (EventLoop) -> Void] = []
    var isOpen = true
  }

  private let inbox = Mutex(Inbox())
  private let thread = Mutex<pthread_t?>(nil)
  let parts: LoopParts
  /// Only used under the inbox's lock while it is open, and by the loop's thread.
  nonisolated(unsafe) private let wake: UnsafeMutablePointer<uv_async_t>

  private init(parts: LoopParts) {
    self.parts = parts
    configuration = parts.configuration
    unsafe wake = makeHandle()
  }

  /// Starts a loop on a thread of its own and returns once it listens.
  ///
  /// - Parameters:
  ///   - configuration: What to listen on and all limits.
  ///   - first: Another loop of this process whose ports, limits and web files this one shares;
  ///     its configuration is used instead of the first argument.
  ///   - index: Tells the process's loops apart, from 0; each has another.
  ///   - accepting: `false` leaves who connects waiting until ``accept()``.
  ///   - handlerFactory: Makes the handler, on the loop's thread. The loop keeps the handler.
  /// - Returns: The running loop.
  /// - Throws: ``TransportError`` if it cannot listen or start.
  public static func start(
    _ configuration: TransportConfiguration, sharing first: LoopHandle? = nil, index: Int = 0,
    accepting: Bool = true,
    handlerFactory: @escaping @Sendable (EventLoop) -> any TransportHandler
  ) throws(TransportError) -> LoopHandle {
    precondition(ConnectionID.loops.contains(index))
    let handle = LoopHandle(
      parts: try LoopParts.make(
        configuration, sharing: first?.parts, index: index, accepts: accepting))
    let start = LoopStart(handle: handle, makeHandler: handlerFactory)
    let thread = try start.launch()
    handle.thread.withLock { $0 = thread }
    if let error = start.outcome() {
      handle.join()
      throw error
    }
    return handle
  }

  /// Runs something on the loop's thread, soon; `false` if the loop has stopped.
  @discardableResult
  public func submit(_ work: @escaping @Sendable (EventLoop) -> Void) -> Bool {
    inbox.withLock { inbox in
      guard inbox.isOpen else { return false }
      inbox.work.append(work)
      // Whoever finds the box empty wakes the loop; the rest is taken out together.
      if inbox.work.count == 1 { unsafe uv_async_send(wake) }
      return true
    }
  }

  /// Begins to accept, on a loop that was started without.
  public func accept() { submit { $0.startAccepting() } }

  /// Ends the loop at once: connections are dropped, the thread ends.
  public func stop() { submit { $0.stopNow() } }

  /// Waits until the thread has ended; not to be called on the loop's own thread.
  public func join() {
    thread.withLock { thread in
      guard let running = thread else { return }
      pthread_join(running, nil)
      thread = nil
    }
  }
}

// MARK: - On the loop's thread

extension LoopHandle {
  /// The whole life of the thread.
  func run(_ start: LoopStart) {
    let uv: UnsafeMutablePointer<uv_loop_t> = unsafe makeHandle()
    let code = unsafe uv_loop_init(uv)
    guard code == 0 else {
      unsafe uv.deallocate()
      inbox.withLock { $0.isOpen = false }
      return start.finish(.loopFailed(call: "uv_loop_init", code: code))
    }
    let loop = unsafe EventLoop(parts, uv: uv)
    unsafe openInbox(uv, loop)
    do throws(TransportError) {
      loop.handle = self
      try loop.setUp()
      loop.handler = start.makeHandler(loop)
      start.finish(nil)
      loop.run()
    } catch {
      start.finish(error)
    }
    closeInbox()
    loop.tearDown()
    loop.handle = nil
    // Handles close in the loop's next turns; the number only bounds a fault of ours.
    var turns = 0
    while unsafe uv_run(uv, UV_RUN_NOWAIT) != 0, turns < 10_000 { turns += 1 }
    loop.freeLibrary()
    if unsafe uv_loop_close(uv) == 0 { unsafe uv.deallocate() }
  }

  private func openInbox(_ uv: UnsafeMutablePointer<uv_loop_t>, _ loop: EventLoop) {
    unsafe uv_async_init(uv, wake) { handle in
      guard let data = unsafe handle?.pointee.data, let loop = EventLoop.current else { return }
      unsafe Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue().empty(into: loop)
    }
    unsafe wake.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  private func empty(into loop: EventLoop) {
    let work = inbox.withLock { inbox in
      let work = inbox.work
      inbox.work.removeAll(keepingCapacity: work.count <= 1024)
      return work
    }
    for item in work { item(loop) }
  }

  private func closeInbox() {
    inbox.withLock { inbox in
      inbox.isOpen = false
      inbox.work = []
    }
    unsafe releaseHandle(wake)
  }
}
