import DrawboltServer
import Foundation
import Synchronization
import Testing

@Suite("The command line")
struct CommandLineTests {
  private func run(_ arguments: String...) -> (output: String, failure: CommandFailure?) {
    let output = Output()
    let console = Console(print: output.append, readInput: { nil }, isInteractive: false)
    do {
      try Program.run(arguments, console: console)
      return (output.text, nil)
    } catch {
      return (output.text, error)
    }
  }

  @Test("explains itself without a command")
  func overview() {
    let (output, failure) = run()
    #expect(failure == nil)
    for command in Command.all { #expect(output.contains("  \(command.name)  ")) }
  }

  @Test("explains each command by --help")
  func help() {
    for command in Command.all {
      let words = command.name.split(separator: " ").map(String.init)
      let output = Output()
      let console = Console(print: output.append, readInput: { nil }, isInteractive: false)
      #expect(throws: Never.self) { try Program.run(words + ["--help"], console: console) }
      #expect(output.text.hasPrefix("Usage: drawbolt \(command.name)"))
    }
  }

  @Test("explains the commands that begin with a word, and says its version in both ways")
  func groupHelp() {
    for flag in ["--help", "-h"] {
      let (output, failure) = run("lock", flag)
      #expect(failure == nil)
      for command in Command.all {
        #expect(output.contains("  \(command.name)  ") == command.name.hasPrefix("lock "))
      }
    }
    #expect(run("--version").output == run("version").output)
    #expect(run("--version").failure == nil)
    #expect(run("lock").failure?.status == .usage)
    #expect(run("loc", "--help").failure?.status == .usage)
  }

  @Test("names the nearest command and the nearest option")
  func nearest() {
    #expect(
      run("versoin").failure?.message
        == #"unknown command "versoin"; did you mean drawbolt version?"#)
    #expect(run("config").failure?.message.hasPrefix("config needs one more word") == true)
    #expect(
      run("lock", "ad", "x").failure?.message
        == #"unknown command "lock ad"; did you mean drawbolt lock add?"#)
    #expect(
      run("serve", "--port", "9000").failure?.message
        == "unknown option --port; did you mean --listen?")
    let option = run("config", "check", "--confg", "x").failure
    #expect(option?.message == "unknown option --confg; did you mean --config?")
    #expect(option?.status == .usage)
  }

  @Test("wants a value where an option has one, and none where it has none")
  func values() {
    #expect(run("config", "check", "--config").failure?.status == .usage)
    #expect(run("config", "check", "--dev=yes").failure?.status == .usage)
    #expect(run("config", "check", "-x").failure?.status == .usage)
  }

  @Test("checks a configuration and says where it is wrong")
  func configCheck() {
    #expect(run("config", "check", "--dev").failure == nil)
    let failure = run("config", "check", "--dev", "--listen", "0.0.0.0:80").failure
    #expect(failure?.status == .configuration)
    #expect(failure?.message.contains("loopback") == true)
  }

  @Test("warns of more secrets a lock than are advised, which a guesser could make use of")
  func manySecrets() throws {
    let six = run("config", "check", "--dev", "--limits-secrets-per-lock", "6")
    #expect(six.failure == nil)
    #expect(six.output.hasPrefix("Warning: with 6 secrets"))
    #expect(
      run("config", "check", "--dev", "--limits-secrets-per-lock", "5").output
        == "The configuration is good. No file was read: name one, or use --config.\n")
    let scratch = try Scratch()
    for (count, isWarned) in [("5", false), ("6", true)] {
      let server = try TestServer(scratch, "--limits-secrets-per-lock", count)
      #expect(try server.stop() == .exited(0))
      #expect(
        server.process.errors.contains(" warning secretsRaised secretsPerLock=6\n") == isWarned)
    }
  }

  @Test("checks the file that a word names as serve would read it: flags come after it")
  func configCheckFile() throws {
    let scratch = try Scratch()
    let file = scratch.path + "/drawbolt.json5"
    try "{ listen: ['127.0.0.1:1'], admin: ['0.0.0.0:2'] }".write(
      toFile: file, atomically: false, encoding: .utf8)
    #expect(run("config", "check", file).failure?.message.hasPrefix("admin is") == true)
    let good = run("config", "check", file, "--admin", "127.0.0.1:2")
    #expect(good.output == "The configuration is good. Its file is \(file).\n")
    #expect(run("config", "check", "--config", file, "--admin=").output == good.output)
    #expect(
      run("config", "check", file, "--admin", "127.0.0.1:2", "--listen", "0.0.0.0:1")
        .failure?.message.hasPrefix("listen is") == true)
    #expect(run("config", "check", file, "--admin=", "--boards", "[{name:'*'}]").failure == nil)
    #expect(run("config", "check", file, "--config", file).failure?.status == .usage)
  }
}

final class Output: Sendable {
  private let buffer = Mutex("")
  var text: String { buffer.withLock { $0 } }
  func append(_ text: String) { buffer.withLock { $0 += text } }
}
