import Foundation
import TestSupport
import Testing

@Suite("A server that holds codes", .waiting)
struct HygieneTests {
  private static let nobody: uid_t = 65_534

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Words that make root somebody without rights; none for others, or where that can't be.
  private func withoutRights() throws -> [String] {
    guard geteuid() == 0 else { return [] }
    let words = [
      "/usr/bin/setpriv", "--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups",
    ]
    guard FileManager.default.isExecutableFile(atPath: words[0]),
      chown(scratch.path, Self.nobody, Self.nobody) == 0,
      try ChildProcess(["version"], scratch: scratch, through: words).end() == .exited(0)
    else { return [] }
    return words
  }

  @Test("leaves no core file, and its memory is nobody's but root's")
  func memory() throws {
    let words = try withoutRights()
    let server = try TestServer(scratch, through: words)
    let folder = "/proc/\(server.process.id)"
    let limits = try String(contentsOfFile: folder + "/limits", encoding: .utf8)
    #expect(limits.contains(#/Max core file size\s+0\s+0\s/#))
    var status = stat()
    // Otherwise they would be the user's, who could read it.
    #expect(stat(folder + "/mem", &status) == 0)
    #expect(status.st_uid == 0)
  }
}
