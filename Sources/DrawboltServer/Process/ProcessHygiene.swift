import CLinux
import Foundation

/// What the process does first, so that no crash leaves what was drawn on a disk or a terminal.
public enum ProcessHygiene {
  /// Signals of a crash, and the one by which somebody asks for a trace.
  ///
  /// Swift's backtracer would answer them with bytes of the heap on standard
  /// error, so they get their default action back.
  private static let crashSignals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGQUIT]

  /// No core file, no memory readable by other processes of the user, no backtrace, no death by a
  /// reader that went away.
  public static func apply() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    _ = clinux_set_not_dumpable()
    var crashes = sigset_t()
    sigemptyset(&crashes)
    for signal in crashSignals {
      Foundation.signal(signal, SIG_DFL)
      sigaddset(&crashes, signal)
    }
    // Whoever started us may have blocked some.
    pthread_sigmask(SIG_UNBLOCK, &crashes, nil)
    Foundation.signal(SIGPIPE, SIG_IGN)
  }

  /// Raises the limit of open files as far as it goes and returns it.
  package static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }
}
