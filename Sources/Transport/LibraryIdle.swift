import CLibUV
import CLibwebsockets

/// The library's idle handle, which it starts after every event.
///
/// While it runs, libuv's next look for events does not wait, so every event costs a second system call
/// that brings nothing. The library needs that turn to take up what it has read already, and to arm its
/// own timer: after messages, which arm none, the next tick of the wheel is soon enough.
@safe
struct LibraryIdle {
  private let handle: UnsafeMutablePointer<uv_idle_t>
  private var isOwed = false

  /// The only idle handle of a loop that has just got its context.
  static func find(in uv: UnsafeMutablePointer<uv_loop_t>) -> LibraryIdle? {
    var found: UnsafeMutableRawPointer?
    unsafe uv_walk(
      uv,
      { handle, result in
        guard let handle = unsafe handle, unsafe uv_handle_get_type(handle) == UV_IDLE else {
          return
        }
        unsafe result?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee =
          UnsafeMutableRawPointer(handle)
      }, &found)
    guard let handle = unsafe found else { return nil }
    return unsafe LibraryIdle(handle: handle.assumingMemoryBound(to: uv_idle_t.self))
  }

  private init(handle: UnsafeMutablePointer<uv_idle_t>) { unsafe self.handle = handle }

  /// At the end of a turn that brought messages: has the next one wait for the kernel, unless the library
  /// has something to take up.
  mutating func rest(_ context: OpaquePointer) {
    let any = unsafe UnsafeRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    guard unsafe uv_is_active(any) != 0, unsafe lws_service_adjust_timeout(context, 1, 0) != 0
    else { return }
    unsafe uv_idle_stop(handle)
    isOwed = true
  }

  /// At a tick of the wheel: gives the library the turn that it did not get.
  mutating func resume() {
    guard isOwed else { return }
    unsafe uv_idle_start(handle, handle.pointee.idle_cb)
    isOwed = false
  }
}
