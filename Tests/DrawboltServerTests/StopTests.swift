import Foundation
import TestSupport
import Testing

@Suite("A server that ends", .waiting)
struct StopTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    "cancels the stroke, says good-bye to everybody and exits with 0", arguments: [SIGTERM, SIGINT])
  func stop(signal: Int32) throws {
    let server = try TestServer(scratch)
    let (drawer, _) = try Client.join(server, "board:b", "controller")
    let viewers = try (0..<20).map { number in
      try Client.join(
        server, "board:b", "viewer", number % 2 == 0 ? "" : #","maxRate":1"#
      ).client
    }
    let waiting = try Client(server)
    drawer.samples(1, "press", [0])
    for viewer in viewers { try viewer.state("drawing") }
    drawer.samples(1, "move", [1, 2])
    try viewers[0].state("drawing") { $0.path == [0, 1, 2] }
    server.process.signal(signal)
    for client in viewers + [drawer, waiting] {
      #expect(try client.closeCode() == 1012)
      let last = try #require(client.heard.last)
      #expect(last.type == "goaway")
      #expect(last["reason"] == "restart")
    }
    for viewer in viewers {
      let state = try #require(viewer.heard.last { $0.type == "state" })
      #expect(state["phase"] == "cancelled")
      #expect(state.path == [])
    }
    #expect(try server.process.end() == .exited(0))
    #expect(server.process.errors.contains("stopped"))
  }

  @Test("keeps its times: good-bye within a second, nobody new after it, gone within eight")
  func times() throws {
    try Patience.threeTries { () throws in
      let server = try TestServer(scratch, data: scratch.path + "/" + UUID().uuidString)
      let clients = try (0..<20).map { _ in try Client.join(server, "board:b", "viewer").client }
      // It answers nothing, not even the close frame, so that the server has to wait for it.
      let mute = try Client.join(server, "board:b", "viewer").client
      let start = ContinuousClock.now
      server.process.signal(SIGTERM)
      for client in clients { #expect(try client.closeCode() == 1012) }
      let told = ContinuousClock.now - start
      #expect(throws: Failed.self) { try Client.join(server, "board:b", "viewer") }
      #expect(try server.process.end() == .exited(0))
      let gone = ContinuousClock.now - start
      withExtendedLifetime(mute) {}
      let seconds = try #require(
        server.process.errors.firstMatch(of: #/ stopped seconds=([0-9.]+)/#)?.1)
      #expect(try #require(Double(seconds)) < 8)
      return told < .seconds(1) && gone < .seconds(8)
    }
  }

  @Test(
    "by a crash in mid-stroke leaves nothing but its log on standard error",
    arguments: [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGQUIT])
  func crash(signal: Int32) throws {
    let server = try TestServer(scratch, "--log-level", "trace")
    let (drawer, _) = try Client.join(server, "demo", "controller")
    let (viewer, _) = try Client.join(server, "demo", "viewer")
    drawer.samples(1, "press", [1])
    drawer.samples(1, "move", [4, 7, 8])
    try viewer.state("drawing") { $0.path == [1, 4, 7, 8] }
    server.process.signal(signal)
    #expect(try server.process.end() == .killed(signal))
    for line in server.process.errors.split(separator: "\n") {
      // A log line begins with its time.
      #expect(
        line.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [a-z]+ [A-Za-z]+.*/#) != nil)
    }
  }

  @Test("has written no code into log, metrics or database, at any level")
  func secrecy() throws {
    let server = try TestServer(scratch, "--log-level", "trace")
    let (drawer, _) = try Client.join(server, "demo", "controller")
    let (teacher, _) = try Client.join(server, "board:b", "controller")
    let codes = [
      [0, 1, 2, 5, 8, 7, 6, 3, 4], [6, 3, 0, 1, 2, 5, 8, 4], [2, 1, 0, 3, 4, 5, 8, 7],
    ]
    for (index, code) in codes.enumerated() {
      #expect(try drawer.attempt(index + 1, code)["outcome"] == "rejected")
      teacher.draw(index + 1, code)
      try teacher.state("finished") { $0["stroke"] == index + 1 }
    }
    #expect(try drawer.attempt(9, Codes.demo)["outcome"] == "accepted")
    // Half a code in a message that nobody understands.
    teacher.say(#"{"type":"samples","stroke":1,"action":"press","points":[[0,0.12345,"#)
    #expect(try teacher.closeCode() == 4400)
    let metrics = try HTTPAnswer.get(server.adminPort, "/metrics").body
    #expect(try server.stop() == .exited(0))
    var places = [("log", Data(server.process.errors.utf8)), ("metrics", Data(metrics.utf8))]
    for file in try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/data") {
      let path = scratch.path + "/data/" + file
      places.append((file, FileManager.default.contents(atPath: path) ?? Data()))
    }
    #expect(places.contains { $0.0 == "drawbolt.sqlite" && !$0.1.isEmpty })
    #expect(server.process.errors.contains("attemptJudged"))
    for code in codes + [Codes.demo] {
      for (place, bytes) in places {
        for needle in Self.writings(of: code) {
          #expect(bytes.range(of: needle) == nil, "a code is in \(place)")
        }
      }
    }
    #expect(!server.process.errors.contains("0.12345"))
  }

  /// Every way in which a code may be written down.
  private static func writings(of code: [Int]) -> [Data] {
    var texts: [String] = []
    for base in [0, 1] {
      let words = code.map { String($0 + base) }
      for separator in ["", "-", ",", ", ", " "] {
        texts.append(words.joined(separator: separator))
      }
    }
    return texts.map { Data($0.utf8) } + [Data(code.map(UInt8.init))]
  }

  @Test("was not told by a member's name what to write into its log")
  func names() throws {
    let server = try TestServer(scratch, "--log-level", "debug")
    let names = [
      #"a\n2026-01-01T00:00:00.000Z error forged"#, #"a\u2028forged"#, #"a\" forged=\"1"#,
      #"a\u001b[2Jforged"#, #"a\r\nforged"#, #"a level=error forged"#,
    ]
    for name in names {
      let client = try Client(server)
      client.hello("board:b", "viewer", #","name":"\#(name)""#)
      // Taken or refused, but answered.
      switch try client.next() {
      case .text(let message): #expect(["welcome", "error"].contains(message.type))
      case .binary, .close, .end: Issue.record("no answer")
      }
    }
    #expect(try server.stop() == .exited(0))
    let errors = server.process.errors
    #expect(errors.contains("memberJoined"))
    #expect(errors.unicodeScalars.allSatisfy { $0 == "\n" || ($0.value >= 32 && $0.value < 127) })
    for line in errors.split(separator: "\n") { #expect(line.hasPrefix("20")) }
    #expect(!errors.contains("\n2026-01-01T00:00:00.000Z"))
  }
}
