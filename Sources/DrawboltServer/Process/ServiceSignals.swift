import Foundation

/// The signals that the service obeys, taken by the main thread instead of interrupting any other.
struct ServiceSignals {
  /// What a signal asks for.
  enum Wish {
    /// SIGTERM or SIGINT, by its name.
    case stop(String)
    /// SIGHUP.
    case reload
  }

  private var set = sigset_t()

  /// Blocks them in the calling thread; threads made later inherit that.
  ///
  /// - Parameter reloads: Whether there is something to reload. If not, SIGHUP keeps its meaning: the
  ///   terminal is gone, and the process goes with it.
  init(reloads: Bool) {
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    if reloads {
      // Under nohup it would be ignored, even when it is waited for.
      Foundation.signal(SIGHUP, SIG_DFL)
      sigaddset(&set, SIGHUP)
    }
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for one.
  mutating func wait() -> Wish {
    var signal: Int32 = 0
    sigwait(&set, &signal)
    switch signal {
    case SIGHUP: return .reload
    case SIGINT: return .stop("SIGINT")
    default: return .stop("SIGTERM")
    }
  }
}
