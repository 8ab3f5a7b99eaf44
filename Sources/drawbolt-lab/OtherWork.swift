import Foundation

/// How much of the machine other processes used meanwhile, since a busy machine measures itself.
struct OtherWork {
  private let start = monotonicNanoseconds()
  private let busy = Self.busySeconds()
  private let own = Self.ownSeconds()

  /// Percent of all cores that went to other processes since this value was made.
  var percent: Double {
    let elapsed = Double(monotonicNanoseconds() - start) / 1e9
    let others = (Self.busySeconds() - busy) - (Self.ownSeconds() - own)
    let cores = Double(ProcessInfo.processInfo.processorCount)
    return max(0, (others / (elapsed * cores) * 1000).rounded() / 10)
  }

  /// What all processes have used since boot, that is all but idling and waiting for disks (proc(5)).
  private static func busySeconds() -> Double {
    let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
    let fields = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().compactMap {
      Double($0)
    }
    guard fields.count >= 8 else { return 0 }
    return (fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7])
      / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private static func ownSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
