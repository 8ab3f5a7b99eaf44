import DrawboltServer
import Foundation
import Transport

/// A server in a process of its own, with temporary data, that ends with the value.
package final class ServerProcess {
  /// The program that was built beside this one.
  package static var sibling: String {
    let me = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (me as NSString).deletingLastPathComponent + "/drawbolt"
  }

  let address: ListenAddress
  private let process: Process
  private let directory: String

  /// Starts it on free ports and waits until it listens.
  init(_ program: String) throws(CommandFailure) {
    directory = FileManager.default.temporaryDirectory.path + "/drawbolt-lab-\(UUID().uuidString)"
    process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [
      "serve", "--dev", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-level", "error",
      "--data-directory", directory + "/data", "--web-root", directory,
    ]
    let output = Pipe()
    process.standardOutput = output
    do {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try process.run()
    } catch {
      throw CommandFailure(.unavailable, "cannot start \(program); make build builds it")
    }
    guard let address = Self.address(in: output.fileHandleForReading) else {
      process.terminate()
      throw CommandFailure(.unavailable, "\(program) did not start")
    }
    self.address = address
  }

  /// The address of the line that names the start page.
  private static func address(in output: FileHandle) -> ListenAddress? {
    var text = ""
    while true {
      let bytes = output.availableData
      if bytes.isEmpty { return nil }
      text += String(decoding: bytes, as: UTF8.self)
      let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .first { $0.contains("  start ") }
      guard let port = line?.split(separator: ":").last?.prefix(while: \.isNumber) else { continue }
      return UInt16(port).flatMap { ListenAddress(host: "127.0.0.1", port: $0) }
    }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// How much of its memory is resident (proc(5), statm).
  func residentKilobytes() throws(CommandFailure) -> Int {
    let path = "/proc/\(process.processIdentifier)/statm"
    let fields = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else {
      throw CommandFailure(.unavailable, "the server's memory can't be read from \(path)")
    }
    return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
  }
}

/// The machine's memory.
enum Memory {
  /// What the kernel keeps for objects of its own, such as sockets (proc(5), meminfo, Slab).
  static func kernelKilobytes() throws(CommandFailure) -> Int {
    let text = (try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("Slab:") }
    guard let number = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw CommandFailure(.unavailable, "the kernel's memory can't be read from /proc/meminfo")
    }
    return number
  }
}
