import DrawboltServer
import Foundation
import PadModel
import Testing
import Vault
import Wire

@Suite("Commands on tokens")
struct TokenCommandTests {
  private let world: TokenWorld

  init() throws {
    world = try TokenWorld()
    let place = ["--dev", "--data-directory", world.scratch.path]
    let silence = Console(print: { _ in }, readInput: { nil }, isInteractive: false)
    try Program.run(["key", "create"] + place, console: silence)
  }

  private func run(_ words: String, input: String? = nil) -> (
    text: String, failure: CommandFailure?
  ) {
    let output = Output()
    let console = Console(print: output.append, readInput: { input }, isInteractive: false)
    var arguments = words.split(separator: " ").map(String.init)
    if !words.hasPrefix("token key") {
      arguments += ["--dev", "--data-directory", world.scratch.path, "--token-keys", world.keys]
    }
    do {
      try Program.run(arguments, console: console)
      return (output.text, nil)
    } catch {
      return (output.text, error)
    }
  }

  private func mint(_ words: String) throws -> String {
    let (text, failure) = run("token mint " + words)
    if let failure { throw Failed(failure.message) }
    return String(text.dropLast())
  }

  @Test("mint tokens that the server takes, by either algorithm")
  func minted() throws {
    let now = Int64(Date().timeIntervalSince1970)
    for words in [
      "--kid shop --room front --role controller", "--kid door --room anything --role actuator",
    ] {
      let token = try mint(words + " --life 10m --name Ana --subject ana@shop --shared")
      let claims = try world.ring.verify(token, at: now + 1)
      #expect(claims.name?.text == "Ana" && claims.subject == "ana@shop" && claims.isShared)
      #expect((600...605).contains(claims.expires - now))
      #expect(claims.id.utf8.count == 32)
      #expect(try mint(words) != mint(words))
    }
    let plain = try world.ring.verify(
      try mint("--kid shop --room board:a --role viewer"), at: now + 5)
    #expect(plain.expires - plain.validFrom == 3600 && plain.subject == plain.id)
    #expect(plain.name == nil && !plain.isShared)
  }

  @Test("mint nothing that no server would take")
  func refusals() {
    for (words, wanted) in [
      ("--room front --role viewer", "--kid is missing"),
      ("--kid other --room front --role viewer", "shop, door"),
      ("--kid shop --role viewer", "--room is missing"),
      ("--kid shop --room Front --role viewer", "LOCK or board:NAME"),
      ("--kid shop --room front", "--role is missing"),
      ("--kid shop --room front --role admin", "must be one of controller, viewer, actuator"),
      ("--kid shop --room front --role actuator", "may not give this role"),
      ("--kid shop --room other --role viewer", "may not give this room"),
      ("--kid shop --room front --role viewer --life 2h", "allows 3600 s"),
      ("--kid shop --room front --role viewer --life 500ms", "like 90s"),
      ("--kid shop --room front --role viewer --life soon", "like 90s"),
      ("--kid shop --room front --role viewer --name= ", "--name must be"),
    ] {
      let failure = run("token mint " + words).failure
      #expect(failure?.status == .usage)
      #expect(failure?.message.contains(wanted) == true, "\(words): \(failure?.message ?? "")")
    }
  }

  @Test("mint by a pair only with its own seed")
  func seeds() throws {
    let words = "--kid door --room front --role viewer"
    try world.write("door.key", Base64URL.encode([UInt8](repeating: 8, count: 32)))
    #expect(
      run("token mint " + words).failure?.message.contains("not that of the publicKey") == true)
    try world.write("door.key", Base64URL.encode([UInt8](repeating: 7, count: 33)))
    #expect(run("token mint " + words).failure?.message.contains("a seed has 32") == true)
    try FileManager.default.removeItem(atPath: world.scratch.path + "/door.key")
    #expect(run("token mint " + words).failure?.status == .configuration)
  }

  @Test("make key files that nobody else can read, and never over another")
  func keys() throws {
    let file = world.scratch.path + "/new.key"
    #expect(run("token key \(file)").text == "Made \(file).\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(Base64URL.decode(String(text.dropLast()))?.count == 32)
    #expect(run("token key \(file)").failure?.status == .cannotCreate)
    let (printed, _) = run("token key \(file)2 --algorithm EdDSA")
    let seed = try #require(
      Base64URL.decode(String(try String(contentsOfFile: file + "2", encoding: .utf8).dropLast())))
    let key = Base64URL.encode(Sodium.signingPair(seed: seed).publicKey)
    #expect(printed.hasSuffix("publicKey: \"\(key)\"\n"))
    #expect(run("token key").failure?.status == .usage)
  }

  @Test("check, revoke and list")
  func revoked() throws {
    let token = try mint("--kid shop --room front --role viewer --name Ana")
    #expect(run("token list").text.contains("No token is revoked."))
    let (said, failure) = run("token check", input: token + "\n")
    #expect(failure == nil && said.contains("front") && said.contains("Ana"))
    #expect(run("token revoke", input: token).failure == nil)
    let refused = run("token check", input: token).failure
    #expect(refused?.status == .badData && refused?.message.contains("revoked") == true)
    let claims = try world.ring.verify(token, at: Int64(Date().timeIntervalSince1970))
    #expect(run("token list").text.contains("\"\(claims.id)\""))
    #expect(run("token revoke other").text == "Revoked \"other\".\n")
    for command in ["token check", "token revoke"] {
      #expect(run(command, input: nil).failure?.status == .noInput)
      #expect(run(command, input: "x").failure?.status == .badData)
      #expect(run(command, input: token.dropLast() + "!").failure?.status == .badData)
    }
  }
}
