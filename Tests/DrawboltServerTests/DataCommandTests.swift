import DrawboltServer
import Foundation
import PadModel
import TestSupport
import Testing
import Vault

@Suite("Commands on data", .waiting)
struct DataCommandTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    #expect(status("key create") == .success)
  }

  private func run(_ words: String, input: String? = nil) -> (
    text: String, failure: CommandFailure?
  ) {
    let output = Output()
    let console = Console(print: output.append, readInput: { input }, isInteractive: false)
    let arguments = words.split(separator: " ").map(String.init)
    do {
      try Program.run(
        arguments + ["--dev", "--data-directory", scratch.path], console: console)
      return (output.text, nil)
    } catch {
      return (output.text, error)
    }
  }

  private func status(_ words: String, input: String? = nil) -> DrawboltServer.ExitStatus {
    run(words, input: input).failure?.status ?? .success
  }

  @Test("add, list, reset and remove locks")
  func locks() {
    #expect(run("lock list").text == "There is no lock.\n")
    #expect(status("lock add front-door") == .success)
    #expect(status("lock add front-door") == .badData)
    #expect(run("lock list").text.contains("front-door"))
    #expect(status("lock reset front-door") == .success)
    #expect(status("lock remove front-door") == .success)
    for command in ["lock remove", "lock reset", "secret list"] {
      #expect(status("\(command) front-door") == .noInput)
    }
    #expect(status("secret revoke front-door 1") == .noInput)
  }

  @Test("refuse what is no lock's id, a word too many and a bad number")
  func usage() {
    #expect(status("lock add Front") == .usage)
    #expect(status("lock add") == .usage)
    #expect(status("lock remove a b") == .usage)
    #expect(status("lock list a") == .usage)
    #expect(status("lock add a --columns 11") == .usage)
    #expect(status("lock add a --preset none") == .usage)
    #expect(status("secret revoke a one") == .usage)
  }

  @Test("want --toy for a lock that is easily guessed")
  func toys() {
    for flags in ["--minimum 3", "--rule neighbours", "--columns 2"] {
      #expect(status("lock add weak \(flags)") == .badData, "\(flags)")
      #expect(status("lock add weak \(flags) --toy") == .success, "\(flags)")
      #expect(status("lock remove weak") == .success)
    }
    #expect(status("lock add big --columns 4 --rows 4 --rule neighbours") == .success)
    #expect(status("lock add sends --cancel submit") == .badData)
    #expect(status("lock add sends --preset sa-screen-lock --minimum 4") == .badData)
    let keeps = "lock add keeps --preset sa-screen-lock --minimum 4 --cancel discard"
    #expect(status(keeps) == .success)
  }

  @Test("lay a seed preset's lock out for a width, and no other's")
  func widths() {
    #expect(status("lock add wide --preset gesture-lock --width 600") == .success)
    #expect(status("lock add wider --preset gesture-lock --width 2001") == .usage)
    #expect(status("lock add round --width 600") == .usage)
  }

  @Test("give a new lock the hash cost of the configuration, within bounds, and change no other's")
  func hashCost() throws {
    #expect(status("lock add plain") == .success)
    #expect(status("lock add dear --hash-mebibytes 20 --hash-passes 3") == .success)
    let file = scratch.path + "/drawbolt.json5"
    try "{ hash: { mebibytes: 21, passes: 10 } }".write(
      toFile: file, atomically: false, encoding: .utf8)
    #expect(status("lock add filed --config \(file)") == .success)
    #expect(status("secret add plain --config \(file)", input: "2-5-8-9-6-3") == .success)
    let rows = try Rows(scratch.path)
    for (lock, cost) in [("plain", "19 2"), ("dear", "20 3"), ("filed", "21 10")] {
      #expect(
        try rows.run("SELECT (memory >> 20) || ' ' || passes FROM lock WHERE id = '\(lock)'")
          == cost)
    }
    for flags in [
      "--hash-mebibytes 18", "--hash-mebibytes 257", "--hash-passes 1", "--hash-passes 11",
    ] {
      #expect(status("lock add other \(flags)") == .configuration, "\(flags)")
    }
  }

  @Test("take a code as a line or a drawing, and never show it")
  func codes() {
    #expect(status("lock add a") == .success)
    #expect(status("secret add a --owner Ana", input: "2-5-8-9-6-3\n") == .success)
    let drawing = "6 1 .\n. 5 2\n4 3 .\n"
    #expect(run("secret add a --uses 3 --expires 30d", input: drawing).failure == nil)
    let list = run("secret list a").text
    #expect(list.contains("Ana") && list.contains("never") && list.contains("3"))
    #expect(!list.contains("258963") && !list.contains("2-5-8-9-6-3"))
    #expect(status("secret revoke a 1") == .success)
    #expect(status("secret revoke a 1") == .noInput)
  }

  @Test("refuse a code that can't be drawn or is weak, giving the reason and not the code")
  func badCodes() {
    #expect(status("lock add a") == .success)
    for input in [
      "1-3-5-7", "1-2-2-3", "1-2-10-3", "x", "123", "1 2\n3 4\n", "1 . 3\n. . .\n. . .\n",
    ] {
      let failure = run("secret add a", input: input).failure
      #expect(failure?.status == .badData, "\(input)")
      #expect(failure?.message.contains(input) == false || input == "x")
      #expect(failure?.message.contains("\n") == false)
    }
    #expect(status("secret add a") == .noInput)
    #expect(status("secret add a", input: "1236") == .badData)
    #expect(status("secret add a --allow-weak", input: "1236") == .success)
  }

  @Test("show and change the key, which is never made twice")
  func keys() {
    #expect(status("key create") == .cannotCreate)
    let first = run("key show-id").text
    #expect(status("lock add a") == .success)
    #expect(status("secret add a", input: "2-5-8-9-6-3") == .success)
    #expect(status("key rotate") == .success)
    #expect(run("key show-id").text != first)
    #expect(run("secret list a").failure == nil)
  }

  @Test(
    "give the terminal its echo back when a signal ends the question for a code",
    arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func interrupted(signal: Int32) throws {
    #expect(status("lock add a") == .success)
    let terminal = try Terminal()
    #expect(terminal.echoes)
    let process = try ChildProcess(
      ["secret", "add", "a", "--dev", "--data-directory", scratch.path], scratch: scratch,
      terminal: terminal.path)
    #expect(terminal.fallsSilent())
    process.signal(signal)
    #expect(try process.end() == .killed(signal))
    #expect(terminal.echoes)
  }

  @Test("ask for a code at a terminal twice and never show it")
  func asked() throws {
    #expect(status("lock add a") == .success)
    let terminal = try Terminal()
    let process = try ChildProcess(
      ["secret", "add", "a", "--dev", "--data-directory", scratch.path], scratch: scratch,
      terminal: terminal.path)
    _ = try process.line(with: "7  8  9")
    #expect(terminal.fallsSilent())
    terminal.type("2-5-8-9-6-3\n")
    _ = try process.line(with: "Once more")
    #expect(terminal.fallsSilent())
    terminal.type("2-5-8-9-6-3\n")
    #expect(try process.end() == .exited(0))
    #expect(terminal.echoes)
    #expect(!process.printed.contains("2-5-8"))
  }

  @Test("refuse a key beside the data, whether they make it or use it")
  func keyBesideData() throws {
    for words in [["key", "create"], ["lock", "list"], ["serve"]] {
      let place = ["--data-directory", scratch.path, "--key-file", scratch.path + "/./sub/key"]
      let failure = #expect(throws: CommandFailure.self) {
        try Program.run(
          words + place, console: Console(print: { _ in }, readInput: { nil }, isInteractive: false)
        )
      }
      #expect(failure?.status == .configuration)
      #expect(failure?.message.contains("outside the data directory") == true)
      #expect(!FileManager.default.fileExists(atPath: scratch.path + "/sub"))
    }
  }

  @Test(
    "repeat the place in what to do next, look at options before the code, advise after success")
  func hints() {
    #expect(
      run("lock add a").text
        == "Added a. Next: drawbolt secret add a --dev --data-directory \(scratch.path)\n")
    #expect(run("secret add a --expires soon", input: "x").failure?.status == .usage)
    #expect(run("secret add a", input: " \n").failure?.message == "there is no code")
    #expect(run("secret add a", input: "1-2-2-3").failure?.message.contains("used twice") == true)
    let place = "--dev --data-directory \(scratch.path)"
    for (words, hint) in [
      ("secret list b", "see drawbolt lock list"),
      ("secret revoke a 7", "see drawbolt secret list a"),
      ("secret revoke a x", "from drawbolt secret list a"),
    ] {
      #expect(run(words).failure?.message.hasSuffix("\(hint) \(place)") == true, "\(words)")
    }
  }

  @Test("quote a place that a shell would read otherwise")
  func quotedPlace() throws {
    let output = Output()
    let console = Console(print: output.append, readInput: { nil }, isInteractive: false)
    let place = ["--dev", "--data-directory", scratch.path + "/it's here"]
    try Program.run(["key", "create"] + place, console: console)
    try Program.run(["lock", "add", "a"] + place, console: console)
    #expect(output.text.hasSuffix(" --data-directory '\(scratch.path)/it'\\''s here'\n"))
  }

  @Test("say what is wrong with a drawing by row or number, and nothing of where it goes")
  func drawings() {
    #expect(status("lock add a") == .success)
    for (drawing, mistake) in [
      ("1 2 3\n4 5 .", "it has 2 rows, but the pad has 3"),
      ("1 2 3\n4 5\n. . .", "row 2 has 2 cells, but the pad has 3 columns"),
      ("1 2 3\n4 x .\n. . .", "a cell of row 2 is neither a dot nor a number, 1 to 9"),
      ("1 2 3\n4 0 .\n. . .", "a cell of row 2 is neither a dot nor a number, 1 to 9"),
      ("1 2 3\n4 10 .\n. . .", "a cell of row 2 is neither a dot nor a number, 1 to 9"),
      ("1 2 3\n4 5 .\n. 3 .", "number 3 stands twice"),
      ("1 2 3\n5 6 .\n. . .", "number 4 is missing"), (". . .\n. . .\n. . .", "it has dots only"),
    ] {
      #expect(
        run("secret add a", input: drawing).failure?.message
          == "the drawing can't be read: \(mistake); each cell is a dot, or the node's place in the order",
        "\(drawing)")
    }
  }

  @Test("mark secrets that open no more, and don't count them")
  func usedUp() throws {
    #expect(status("lock add a") == .success)
    #expect(status("secret add a --uses 2 --expires 30d", input: "2-5-8-9-6-3") == .success)
    #expect(run("lock list").text.contains("stealth  1        0"))
    #expect(!run("secret list a").text.contains("expired"))
    try Rows(scratch.path).run("UPDATE clock SET wall = 4000000000")
    #expect(run("secret list a").text.contains("Z (expired)  2"))
    #expect(run("lock list").text.contains("stealth  0        0"))
    try Rows(scratch.path).run("UPDATE secret SET uses_left = 0")
    #expect(run("secret list a").text.contains("  0 (used up)\n"))
  }

  @Test("list a lock that somebody edited apart from the others")
  func damaged() throws {
    for lock in ["a", "b"] { #expect(status("lock add \(lock)") == .success) }
    try Rows(scratch.path).run("UPDATE lock SET mirror = 'open' WHERE id = 'a'")
    let text = run("lock list").text
    #expect(text.contains("\nb "))
    #expect(text.hasSuffix("\nWarning: \(VaultError.damagedLock(try LockID("a")).message)\n"))
    #expect(status("lock remove a") == .success)
  }

  @Test("make no second key for data that were sealed with another")
  func lostKey() throws {
    #expect(status("lock add a") == .success)
    try FileManager.default.removeItem(atPath: scratch.path + "/server.key")
    let process = try ChildProcess(TestServer.flags(scratch.path), scratch: scratch)
    #expect(try process.end() == .exited(66))
    #expect(process.errors.contains("/server.key is missing, which the data in"))
    #expect(process.errors.contains("delete \(scratch.path) to start anew"))
    #expect(run("lock list").failure?.message.contains("server.key is missing") == true)
    // A new one in its place is no remedy.
    #expect(run("key create").text.contains("Warning: there are data"))
    for words in ["lock list", "key rotate"] {
      let failure = run(words).failure
      #expect(failure?.status == .badData)
      #expect(failure?.message.contains("is not the key that the data in") == true)
    }
    let again = try ChildProcess(TestServer.flags(scratch.path), scratch: scratch)
    #expect(try again.end() == .exited(65))
    #expect(again.errors.contains("restore that one, or delete \(scratch.path) to start anew"))
  }

  @Test("want a key")
  func noKey() throws {
    let empty = try Scratch()
    #expect(throws: CommandFailure.self) {
      try Program.run(
        ["lock", "list", "--dev", "--data-directory", empty.path],
        console: Console(print: { _ in }, readInput: { nil }, isInteractive: false))
    }
  }
}
