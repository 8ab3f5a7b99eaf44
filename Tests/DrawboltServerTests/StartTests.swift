import Foundation
import TestSupport
import Testing

@Suite("The program refuses to serve", .waiting)
struct StartTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Runs it to its end: the exit code and the one line of its refusal.
  private func refusal(
    _ words: [String], descriptors: Int? = nil
  ) throws -> (ending: ChildProcess.Ending, line: String) {
    let process = try ChildProcess(words, scratch: scratch, descriptors: descriptors)
    let ending = try process.end()
    let lines = process.errors.split(separator: "\n")
    #expect(lines.count == 1, "\(process.errors)")
    return (ending, String(lines.first ?? ""))
  }

  @Test("a second time on the same data")
  func sameData() throws {
    let server = try TestServer(scratch)
    let (ending, line) = try refusal(TestServer.flags(scratch.path + "/data"))
    #expect(ending == .exited(69))
    #expect(line.contains("data"))
    #expect(try HTTPAnswer.get(server.port, "/healthz").status == 200)
  }

  @Test("on a port that is taken, of either listener")
  func samePort() throws {
    let server = try TestServer(scratch)
    for (flag, port) in [("--listen", server.port), ("--admin", server.adminPort)] {
      let (ending, line) = try refusal(
        TestServer.flags(scratch.path + "/other") + [flag, "127.0.0.1:\(port)"])
      #expect(ending == .exited(69))
      #expect(line.contains("\(port)"))
    }
  }

  @Test("in a folder that cannot be made")
  func unwritable() throws {
    // A file in the way stops everybody, root too.
    let file = scratch.path + "/file"
    try "".write(toFile: file, atomically: false, encoding: .utf8)
    let (ending, line) = try refusal(TestServer.flags(file + "/data"))
    #expect(ending == .exited(73))
    #expect(line.contains("/file/data: Not a directory"))
  }

  @Test("beyond this machine, with a wrong setting, or a word that it doesn't know")
  func configuration() throws {
    let data = TestServer.flags(scratch.path + "/data")
    let (open, reason) = try refusal(data + ["--listen", "0.0.0.0:0"])
    #expect(open == .exited(78))
    #expect(reason.contains("loopback"))
    #expect(try refusal(data + ["--limits-rooms", "none"]).ending == .exited(78))
    #expect(try refusal(data + ["now"]).ending == .exited(64))
    #expect(try refusal(["serve", "--config", scratch.path + "/none"]).ending != .exited(0))
  }

  @Test(
    "more connections than it may open files, if somebody set their number; the default is lowered")
  func descriptors() throws {
    for number in ["20000", "105"] {
      let (ending, line) = try refusal(
        TestServer.flags(scratch.path + "/other") + ["--limits-connections", number],
        descriptors: 360)
      #expect(ending == .exited(71))
      #expect(line.contains("limits.connections is \(number)"))
      #expect(line.contains("104"))
    }
    let set = try TestServer(scratch, "--limits-connections", "104", descriptors: 360)
    #expect(try set.stop() == .exited(0))
    let lowered = try TestServer(scratch, descriptors: 360)
    #expect(try lowered.stop() == .exited(0))
    #expect(
      lowered.process.errors.contains(
        " info connectionsLowered connections=104 openFiles=360 remedy=\"raise the limit of open files "
          + "to 20256\"\n"))
  }

  @Test("an address that this machine does not have, if somebody set it; the default is left out")
  func withoutIPv6() throws {
    // A network of its own, in which IPv6 is switched off, as in many containers.
    let words = [
      "/usr/bin/unshare", "--map-root-user", "--net", "/bin/sh", "-c",
      "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6 && echo 1 >/proc/sys/net/ipv6/conf/lo/disable_ipv6 && exec \"$0\" \"$@\"",
    ]
    guard FileManager.default.isExecutableFile(atPath: words[0]),
      try ChildProcess(["version"], scratch: scratch, through: words).end() == .exited(0)
    else { return }
    let data = ["serve", "--dev", "--data-directory", scratch.path + "/data"]
    let place = ["--admin", "127.0.0.1:0", "--web-root", TestServer.web]
    let server = try ChildProcess(data + place, scratch: scratch, through: words)
    _ = try server.line(with: "/metrics")
    server.signal(SIGTERM)
    #expect(try server.end() == .exited(0))
    #expect(server.errors.contains(" warning addressMissing listen=[::1]:8080\n"))
    let refused = try ChildProcess(
      data + place + ["--listen", "[::1]:0"], scratch: scratch, through: words)
    #expect(try refused.end() == .exited(69))
    #expect(refused.errors.contains("this machine does not have it"))
  }

  @Test("a setting of its file when a flag says otherwise, and takes the file's when none does")
  func precedence() throws {
    let file = scratch.path + "/drawbolt.json5"
    try "{ limits: { samplesPerFrame: 16, helloTime: '9s' } }".write(
      toFile: file, atomically: false, encoding: .utf8)
    let server = try TestServer(scratch, "--config", file, "--limits-samples-per-frame", "32")
    let welcome = try Client.join(server, "board:b", "viewer").welcome
    let limits: [String: Any] = try #require(welcome["limits"])
    #expect(limits["samplesPerFrame"] as? Int == 32)
  }

  @Test("metrics to the public, and gives them to its own listener")
  func metrics() throws {
    let server = try TestServer(scratch)
    #expect(try HTTPAnswer.get(server.port, "/metrics").status == 404)
    #expect(try HTTPAnswer.get(server.adminPort, "/metrics").status == 200)
    for port in [server.port, server.adminPort] {
      #expect(try HTTPAnswer.get(port, "/healthz").status == 200)
      #expect(try HTTPAnswer.get(port, "/readyz").status == 200)
    }
  }
}
