import Foundation

/// What figures were measured on; without it they say nothing.
struct Machine: Codable {
  /// Cores that the process may use.
  var cores: Int
  /// The processor's name as the kernel tells it.
  var processor: String
  /// The kernel.
  var system: String
  /// Whether the program was built with optimization.
  var isOptimized: Bool
  /// The second since 1970.
  var time: Int64

  static var this: Machine {
    let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = information.split(separator: "\n").first { $0.hasPrefix("model name") }
    let name = line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    return Machine(
      cores: ProcessInfo.processInfo.activeProcessorCount, processor: name ?? "unknown",
      system: ProcessInfo.processInfo.operatingSystemVersionString,
      isOptimized: isOptimizedBuild, time: Int64(Date().timeIntervalSince1970))
  }

  private static var isOptimizedBuild: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }

  /// One line for the head of a table.
  var line: String {
    "\(processor), \(cores) cores, \(system)" + (isOptimized ? "" : ", NOT OPTIMIZED")
  }
}
