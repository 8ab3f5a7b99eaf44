import DrawboltServer
import TestSupport
import Testing
import drawbolt_lab

@Suite("The lab's commands", .waiting)
struct CommandTests {
  @Test("refuse a word, a number or a place that they can't take, and say which and why")
  func argumentErrors() throws {
    let refusals: [(words: [String], reason: String)] = [
      (["bench", "--seconds", "61"], "--seconds is 61, but must be 0 to 60"),
      (["bench", "now"], "unexpected word"),
      (["echo", "--port", "65536"], "--port is 65536, but must be 0 to 65535"),
      (["bnech"], "did you mean drawbolt-lab bench?"),
      (["idle", "--members", "0"], "--members is 0, but must be 1 to 10000"),
      (["idle", "--program", "/none"], "cannot start /none"),
      (["load", "--viewers", "20001"], "--viewers is 20001, but must be 1 to 20000"),
      (["load", "--rate", "0"], "--rate is 0, but must be 1 to 5000"),
      (["load", "--seconds", "601"], "--seconds is 601, but must be 1 to 600"),
      (["load", "--max-rate", "241"], "--max-rate is 241, but must be 1 to 240"),
      (["load", "--room", "demo"], "--room must be a board"),
      (["load", "--room", "board:"], "--room must be a board"),
      (["load", "--url", "http://127.0.0.1:1/"], "--url must begin with ws://"),
      (["load", "--url", "ws://127.0.0.1/ws"], "--url must name a port"),
      (["load", "--url", "ws://127.0.0.1:0/ws"], "--url must name a port"),
      (["load", "--url", "ws://192.0.2.1:80/ws"], "--url must name this machine"),
      (["load", "--url", "ws://example.com:80/ws"], "--url must name this machine"),
      (["load", "--url", "ws://127.0.0.1:80/w s"], "characters that a request can't bear"),
      (["load", "--url", "ws://127.0.0.1:1/ws", "--viewers", "1"], "nobody listens there"),
      (["simulate", "--steps", "0"], "--steps is 0, but must be 1 to 10000000"),
      (["simulate", "--seed", "-1"], "--seed is -1, but must be 0 to"),
      (["verify-load", "--rounds", "21"], "--rounds is 21, but must be 1 to 20"),
    ]
    for (words, reason) in refusals {
      let printed = Printed()
      let failure = #expect(throws: CommandFailure.self) {
        try CommandSet.lab.run(words, console: printed.console)
      }
      #expect(failure?.message.contains(reason) == true, "\(words): \(failure?.message ?? "-")")
      #expect(printed.text.isEmpty)
    }
  }

  @Test("simulate worlds and say what happened in them, the same for the same seed")
  func simulate() throws {
    let words = ["simulate", "--seed", "5", "--seeds", "2", "--steps", "300"]
    let (one, same) = (Printed(), Printed())
    try CommandSet.lab.run(words, console: one.console)
    try CommandSet.lab.run(words, console: same.console)
    #expect(one.text.hasPrefix("2 worlds from seed 5, 300 steps each, log "))
    #expect(one.text == same.text)
  }

  @Test("explain themselves")
  func help() throws {
    let printed = Printed()
    try CommandSet.lab.run(["--help"], console: printed.console)
    for name in ["bench", "echo", "idle", "load", "simulate", "verify-load"] {
      #expect(printed.text.contains("  \(name) "))
      let own = Printed()
      try CommandSet.lab.run([name, "--help"], console: own.console)
      #expect(own.text.hasPrefix("Usage: drawbolt-lab \(name) "))
    }
  }
}
