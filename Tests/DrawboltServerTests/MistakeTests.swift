import DrawboltServer
import Foundation
import PadModel
import Testing

@Suite("Mistakes")
struct MistakeTests {
  @Test("are all reported, the file's in its order, then those of flags and of the whole")
  func all() throws {
    let scratch = try Scratch()
    let file = scratch.path + "/drawbolt.json5"
    try """
    { limits: { rooms: 0, maxRat: 5, nameBytes: 300 }, hosts: ['Example.org', 'a/'],
      boards: [{ nam: 'a' }, { name: 'b' }, { name: 'c', rows: 1 }], admin: ['localhost:1'],
      colour: 'red', }
    """.write(toFile: file, atomically: false, encoding: .utf8)
    let flags = ["--listen", "8080 127.0.0.1:70000", "--hash-passes", "1"]
    let process = try ChildProcess(["config", "check", file] + flags, scratch: scratch)
    #expect(try process.end() == .exited(78))
    let lines = process.errors.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.hasPrefix("drawbolt: ") })
    let wanted = [
      "limits.rooms in", "limits.maxRat in", "limits.nameBytes in",
      #"is "Example.org", but must be HOST:PORT: write it in lower case"#,
      #"is "a/", but must be HOST:PORT: leave out the slash at its end"#,
      "nam of boards[0] in", "rows of boards[2] in", "write 127.0.0.1 for localhost", "colour in",
      #"--listen is "8080", but must be ADDRESS:PORT, such as "127.0.0.1:8080": there is no address"#,
      #"--listen is "127.0.0.1:70000", but"#, "--hash-passes is 1",
    ]
    #expect(lines.count == wanted.count)
    for (line, part) in zip(lines, wanted) { #expect(line.contains(part), "\(line)") }
  }

  @Test("of the whole are all reported too")
  func whole() {
    var configuration = Configuration()
    configuration.listen = ["0.0.0.0:1", "127.0.0.1:2", "127.0.0.1:2"]
    configuration.limits.deadAfter = configuration.limits.pingAfter
    configuration.keyFile = configuration.dataDirectory + "/key"
    configuration.limits.verifyQueueTrusted = configuration.limits.verifyQueue
    configuration.adminAPI = .on
    configuration.admin = []
    let error = #expect(throws: ConfigurationError.self) { try configuration.check() }
    let lines = error?.message.split(separator: "\n") ?? []
    #expect(lines.count == 6)
    for (line, start) in zip(
      lines,
      [
        "listen is", "listen is", "keyFile is", "limits.deadAfter is",
        "limits.verifyQueueTrusted is",
        "adminApi is",
      ])
    {
      #expect(line.hasPrefix(start))
    }
  }

  @Test(
    "of an address say what is wrong with it",
    arguments: [
      ("8080", "there is no address"), (":8080", "there is no address"),
      ("127.0.0.1", "there is no port"), ("127.0.0.1:", "the port is no number"),
      ("127.0.0.1:http", "the port is no number"), ("127.0.0.1:65536", "a port is at most 65535"),
      ("127.0.0.1:8080/", "leave out the slash at its end"),
      ("http://127.0.0.1:8080", "leave out what stands before the address"),
      ("localhost:8080", "write 127.0.0.1 for localhost"),
      ("::1:8080", "an IPv6 address stands in [ and ]"), ("[::1]", "the port is no number"),
      ("[127.0.0.1]:1", "only an IPv6 address stands in [ and ]"),
    ])
  func addresses(text: String, reason: String) {
    var configuration = Configuration()
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationReader.apply(flag: "listen", text: text, to: &configuration)
    }
    #expect(error?.message.hasSuffix("127.0.0.1:8080\": \(reason)") == true, "\(text)")
  }

  @Test(
    "of an origin say what is wrong with it",
    arguments: [
      ("example.org", "it begins with no scheme, such as https://"),
      ("https://Example.org", "write it in lower case"), ("h2://a", "a scheme has letters only"),
      ("https://a/", "leave out the slash at its end"), ("https://", "there is no host"),
      ("https://a;b", "a host has letters a to z, digits, dots and hyphens only"),
    ])
  func origins(text: String, reason: String) {
    var configuration = Configuration()
    let error = #expect(throws: ConfigurationError.self) {
      try ConfigurationReader.apply(flag: "origins", text: text, to: &configuration)
    }
    #expect(error?.message.hasSuffix(": \(reason)") == true, "\(text)")
  }
}
