import Foundation

/// SIGTERM and SIGINT, taken by the main thread instead of interrupting any other.
struct StopSignal {
  private var set = sigset_t()

  /// Blocks both in the calling thread; threads made later inherit that.
  init() {
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for one and returns its name.
  mutating func wait() -> String {
    var signal: Int32 = 0
    sigwait(&set, &signal)
    return signal == SIGINT ? "SIGINT" : "SIGTERM"
  }
}
