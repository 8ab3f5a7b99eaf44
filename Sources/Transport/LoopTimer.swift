import CLibUV

/// A timer that is armed and disarmed cheaply (no system call, no allocation).
///
/// It lives as long as its loop, so make one per purpose, not one per event.
@safe
public final class LoopTimer {
  private unowned let loop: EventLoop
  private let action: (EventLoop) -> Void
  private let handle: UnsafeMutablePointer<uv_timer_t>
  private var deadline: UInt64?

  init(loop: EventLoop, action: @escaping (EventLoop) -> Void) {
    self.loop = loop
    self.action = action
    unsafe handle = makeHandle()
    unsafe uv_timer_init(loop.uv, handle)
    unsafe handle.pointee.data = Unmanaged.passUnretained(self).toOpaque()
  }

  /// Calls the action once ``EventLoop/now`` has reached the deadline, never before it.
  public func arm(at deadline: UInt64) {
    loop.checkThread()
    self.deadline = deadline
    start()
  }

  /// Calls the action after some milliseconds.
  public func arm(afterMilliseconds delay: Int) {
    arm(at: loop.now + UInt64(max(0, delay)) * 1_000_000)
  }

  /// Forgets the deadline.
  public func disarm() {
    loop.checkThread()
    deadline = nil
    unsafe uv_timer_stop(handle)
  }

  private func start() {
    guard let deadline, !loop.isStopped else { return }
    let now = bootTime()
    // libuv counts from the start of its turn, so that is brought up to date first.
    unsafe uv_update_time(loop.uv)
    let delay = deadline > now ? (deadline - now + 999_999) / 1_000_000 : 0
    let callback: uv_timer_cb = { handle in
      guard let data = unsafe handle?.pointee.data else { return }
      unsafe Unmanaged<LoopTimer>.fromOpaque(data).takeUnretainedValue().fire()
    }
    unsafe uv_timer_start(handle, callback, delay, 0)
  }

  private func fire() {
    guard let deadline else { return }
    loop.beginCallback()
    // Early by a fraction of libuv's millisecond: the promise is "never before".
    guard loop.now >= deadline else { return start() }
    self.deadline = nil
    action(loop)
  }

  func closeHandle() {
    deadline = nil
    unsafe releaseHandle(handle)
  }
}

/// Memory for one of libuv's handles.
func makeHandle<Handle>() -> UnsafeMutablePointer<Handle> {
  .allocate(capacity: 1)
}

/// Closes a handle; its memory is freed when libuv is done with it.
func releaseHandle<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
  let generic = unsafe UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
  unsafe uv_close(generic) { unsafe UnsafeMutableRawPointer($0)?.deallocate() }
}
