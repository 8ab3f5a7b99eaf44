import CLinux
import Foundation

/// A pseudo terminal, of which a child gets the other side.
final class Terminal {
  private let master: Int32
  let path: String

  /// `TIOCSPTLCK` and `TIOCGPTN`, which Swift's import of the C library leaves out.
  private static let (setLock, number): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  init() throws {
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (isLocked, number): (Int32, Int32) = (0, 0)
    guard master >= 0, ioctl(master, Self.setLock, &isLocked) == 0,
      ioctl(master, Self.number, &number) == 0
    else { throw Failed("no terminal \(errno)") }
    path = "/dev/pts/\(number)"
  }

  deinit { close(master) }

  /// Whether it shows what is typed.
  var echoes: Bool { clinux_echoes(master) == 1 }

  /// Looks until it no longer shows what is typed.
  func fallsSilent() -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while echoes, ContinuousClock.now < end { Patience.pause() }
    return !echoes
  }

  /// Types at it.
  func type(_ text: String) { _ = write(master, text, text.utf8.count) }
}
