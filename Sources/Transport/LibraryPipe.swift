import CLibUV
import Glibc

/// The descriptor by which the library wakes itself, and which 4.1 closes twice.
///
/// It closes it in `lws_context_destroy` and again in the loop's next turn, and in between the number
/// may have become somebody else's: another loop's wakeups went lost that way. So the number is kept
/// by something of ours until then.
struct LibraryPipe {
  private let number: Int32
  private var keeper: ino_t?

  /// The only descriptor that a new context waits for.
  static func find(in uv: UnsafeMutablePointer<uv_loop_t>) -> LibraryPipe? {
    var found: Int32 = -1
    unsafe uv_walk(
      uv,
      { handle, result in
        guard let handle = unsafe handle, unsafe uv_handle_get_type(handle) == UV_POLL else {
          return
        }
        let result = unsafe result?.assumingMemoryBound(to: Int32.self)
        _ = unsafe uv_fileno(handle, result)
      }, &found)
    return found >= 0 ? LibraryPipe(number: found) : nil
  }

  private init(number: Int32) { self.number = number }

  /// After the library's first close: takes the number.
  ///
  /// Somebody may have been faster; most give it back soon, and a second is all that a stop can wait.
  mutating func keep() {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return }
    defer { for end in ends where end != number { close(end) } }
    for _ in 0..<1000 {
      let copy = ends.contains(number) ? number : fcntl(ends[0], F_DUPFD_CLOEXEC, number)
      if copy == number {
        keeper = Self.identity(of: number)
        return
      }
      if copy >= 0 { close(copy) }
      usleep(1000)
    }
  }

  /// After the loop's last turn: gives it back, if the library did not close it a second time.
  func release() {
    if let keeper, Self.identity(of: number) == keeper { close(number) }
  }

  private static func identity(of descriptor: Int32) -> ino_t? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else {
      return nil
    }
    return status.st_ino
  }
}
