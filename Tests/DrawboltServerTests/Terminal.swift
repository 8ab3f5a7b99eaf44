import Foundation

/// A pseudo terminal, of which a child gets the other side.
final class Terminal {
  private let master: Int32
  let path: String

  init() throws {
    master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
      throw Failed("no terminal \(errno)")
    }
    path = String(cString: name)
  }

  deinit { close(master) }

  /// Whether it shows what is typed.
  var echoes: Bool {
    var settings = termios()
    return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Looks until it no longer shows what is typed.
  func fallsSilent() -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while echoes, ContinuousClock.now < end {}
    return !echoes
  }

  /// Types at it.
  func type(_ text: String) { _ = write(master, text, text.utf8.count) }
}
