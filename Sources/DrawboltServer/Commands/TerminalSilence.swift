import CLinux
import Foundation

/// A terminal on standard input that does not show what is typed, until the end or a signal.
///
/// Whoever presses Ctrl-C or Ctrl-Z gets back a terminal as it was.
struct TerminalSilence {
  private let echoed: Bool
  private var mask = sigset_t()
  private var signals = sigset_t()
  /// Becomes readable when one of the signals is there.
  private let arrival: Int32

  /// Turns the echo off; nil if standard input is no terminal.
  init?() {
    let echo = clinux_echoes(0)
    guard echo >= 0 else { return nil }
    echoed = echo == 1
    sigemptyset(&signals)
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    // What our parent holds back stays so: it would be there for ever, and never be done.
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] where sigismember(&mask, signal) == 0
    {
      sigaddset(&signals, signal)
    }
    arrival = clinux_signal_file(&signals)
    guard arrival >= 0 else { return nil }
    begin()
  }

  private mutating func begin() {
    pthread_sigmask(SIG_BLOCK, &signals, &mask)
    _ = clinux_set_echo(0, 0)
  }

  private mutating func restore() {
    _ = clinux_set_echo(0, echoed ? 1 : 0)
    pthread_sigmask(SIG_SETMASK, &mask, nil)
  }

  /// Waits until there is something to read; a signal does meanwhile what it always does, with the
  /// terminal as it was.
  mutating func waitForInput() {
    while true {
      var files = [0, arrival].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&files, 2, -1) > 0 || errno == EINTR else { return }
      guard files[1].revents != 0 else {
        if files[0].revents != 0 { return }
        continue
      }
      // It was held back until now. Whoever survives it, such as after Ctrl-Z and fg, goes on unseen.
      restore()
      begin()
    }
  }

  /// Makes the terminal what it was.
  mutating func end() {
    restore()
    close(arrival)
  }
}
