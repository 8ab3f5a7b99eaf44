import DrawboltServer
import Foundation
import PadModel
import TestSupport
import Testing

/// Tokens at the real server: who gets in, and who must go.
@Suite("A server with tokens", .waiting)
struct TokenServerTests {
  private let world: TokenWorld
  private var data: String { world.scratch.path + "/data" }
  private var keyFile: String { world.scratch.path + "/server.key" }

  init() throws {
    world = try TokenWorld()
    _ = try drawbolt("key", "create")
    _ = try drawbolt("lock", "add", "front")
    _ = try drawbolt("secret", "add", "front", input: "2-5-8-9-6-3")
  }

  private func drawbolt(_ words: String..., input: String = "") throws -> String {
    let places = ["--data-directory", data, "--key-file", keyFile]
    let child = try ChildProcess(words + places, scratch: world.scratch, input: input)
    let ending = try child.end()
    guard ending == .exited(0) else { throw Failed("\(words): \(child.errors)") }
    return child.printed
  }

  private func server(_ flags: String...) throws -> TestServer {
    try TestServer(
      world.scratch, ["--token-keys", world.keys, "--log-level", "debug"] + flags,
      data: data, key: keyFile)
  }

  private func mint(_ words: String...) throws -> String { try mint(words) }

  private func mint(_ words: [String]) throws -> String {
    let place = ["--data-directory", data, "--token-keys", world.keys, "--kid"]
    let child = try ChildProcess(["token", "mint"] + place + words, scratch: world.scratch)
    guard try child.end() == .exited(0) else { throw Failed("\(words): \(child.errors)") }
    return String(child.printed.dropLast())
  }

  private func hello(_ client: Client, _ room: String, _ role: String, _ token: String) {
    client.hello(room, role, #","token":"\#(token)""#)
  }

  @Test("without --dev keeps the demo lock closed, whatever token one has, and says so")
  func demo() throws {
    _ = try drawbolt("lock", "add", "demo")
    _ = try drawbolt("secret", "add", "demo", "--allow-weak", input: "2-5-8-9-6")
    let keys = world.keys.replacingOccurrences(of: "\"front\"", with: "\"front\", \"demo\"")
    let server = try TestServer(world.scratch, ["--token-keys", keys], data: data, key: keyFile)
    let child = try ChildProcess(
      [
        "token", "mint", "--data-directory", data, "--token-keys", keys, "--kid", "shop", "--room",
        "demo", "--role", "controller",
      ], scratch: world.scratch)
    #expect(try child.end() == .exited(0))
    let client = try Client(server)
    hello(client, "demo", "controller", String(child.printed.dropLast()))
    #expect(try client.closeCode() == 4403)
    let line = " warning demoClosed lock=demo remedy=\"drawbolt lock remove demo\"\n"
    #expect(server.process.logs(line))
  }

  @Test("counts each shared pad by itself, and trusts none, whatever it shows")
  func sharedPads() throws {
    let server = try server()
    func token(_ pad: String, _ more: String...) throws -> String {
      let words = ["shop", "--room", "front", "--role", "controller", "--subject", pad] + more
      return try mint(words)
    }
    let code = [1, 4, 7, 8, 5, 2]
    func pad(_ name: String, _ device: String = "") throws -> (Client, Message) {
      let token = try token(name, "--shared")
      let more = #","token":"\#(token)","device":"\#(device)""#
      let (client, welcome) = try Client.join(server, "front", "controller", more)
      return (client, welcome)
    }
    let own = try token("ana")
    let (owner, _) = try Client.join(server, "front", "controller", #","token":"\#(own)""#)
    #expect(try owner.attempt(1, code)["outcome"] == "accepted")
    let device: String = try #require(try owner.message("device")["token"])
    let (hall, _) = try pad("hall", device)
    for (index, code) in Codes.wrong.enumerated() { _ = try hall.attempt(index + 1, code) }
    #expect(try hall.attempt(6, code)["outcome"] == "lockedOut")
    let (again, locked) = try pad("hall")
    #expect(locked["failures"] == 5)
    let (yard, welcome) = try pad("yard")
    #expect(welcome["failures"] == 0)
    #expect(try yard.attempt(1, code)["outcome"] == "accepted")
    #expect(try owner.attempt(2, code)["outcome"] == "accepted")
    withExtendedLifetime(again) {}
    #expect(!yard.heard.contains { $0["type"] == "device" })
  }

  @Test("opens a lock to whoever has a token for it, by the token's name, and to nobody else")
  func locks() throws {
    let server = try server()
    let token = try mint("shop", "--room", "front", "--role", "controller", "--name", "Ana")
    let watch = try mint("shop", "--room", "front", "--role", "viewer")
    let (drawer, _) = try Client.join(
      server, "front", "controller", #","name":"Eve","token":"\#(token)""#)
    let members = try drawer.message("members")
    let controllers: [[String: String]]? = members["controllers"]
    // A stealth room names nobody.
    #expect(controllers == [["member": "m1"]])
    #expect(try drawer.attempt(1, [1, 4, 7, 8, 5, 2])["outcome"] == "accepted")
    for (room, role, token) in [
      ("front", "controller", ""), ("front", "viewer", token), ("front", "admin", token),
      ("front", "controller", watch), ("other", "controller", token),
      ("board:front", "controller", token), ("front", "controller", token + "A"),
      ("front", "controller", String(token.dropLast(43))),
    ] {
      let client = try Client(server)
      if token.isEmpty { client.hello(room, role) } else { hello(client, room, role, token) }
      let error = try client.message("error")
      #expect(error["code"] == "badToken")
      #expect(error["message"] == "a good token for this room and role is needed")
      #expect(try client.closeCode() == 4401, "\(room) \(role)")
    }
    #expect(server.process.logs("name=Ana"))
    #expect(!server.process.errors.contains("Eve"))
    #expect(!server.process.errors.contains(token.suffix(43)))
    #expect(server.process.logs("debug tokenRefused reason=\"the room needs a token\""))
  }

  @Test("opens boards as their rule says")
  func boards() throws {
    let server = try server("--boards", "[{ name: 'open-*', access: 'open' }, { name: '*' }]")
    _ = try Client.join(server, "board:open-1", "viewer")
    let closed = try Client(server)
    closed.hello("board:a", "viewer")
    #expect(try closed.closeCode() == 4401)
    let token = try mint("shop", "--room", "board:a", "--role", "viewer")
    _ = try Client.join(server, "board:a", "viewer", #","token":"\#(token)""#)
  }

  @Test("sends a member away when its token ends, and its stroke with it")
  func expiry() throws {
    let server = try server("--boards", "[{ name: '*', access: 'open' }]")
    // Whoever is held up for seconds between minting and joining must mint again.
    try Patience.threeTries {
      let (viewer, _) = try Client.join(server, "board:lesson", "viewer")
      let token = try mint("shop", "--room", "board:lesson", "--role", "controller", "--life", "4s")
      let end = Date().addingTimeInterval(5)
      let drawer = try Client(server)
      hello(drawer, "board:lesson", "controller", token)
      guard case .text(let welcome) = try drawer.next(), welcome.type == "welcome" else {
        return false
      }
      drawer.samples(1, "press", [0])
      try viewer.state("drawing")
      #expect(try drawer.message("error")["message"] == "the token has expired")
      #expect(try drawer.closeCode() == 4401)
      let isInTime = Date() < end
      try viewer.state("cancelled")
      let again = try Client(server)
      hello(again, "board:lesson", "controller", token)
      #expect(try again.closeCode() == 4401)
      return isInTime
    }
  }

  @Test(
    "sends a member away when its token is revoked, and knows it after a restart",
    arguments: [1, 3])
  func revocation(loops: Int) throws {
    let server = try server("--loops", "\(loops)")
    let token = try mint("shop", "--room", "front", "--role", "controller")
    let other = try mint("shop", "--room", "front", "--role", "viewer")
    let (drawer, _) = try Client.join(server, "front", "controller", #","token":"\#(token)""#)
    let (viewer, _) = try Client.join(server, "front", "viewer", #","token":"\#(other)""#)
    drawer.samples(1, "press", [0])
    let said = try drawbolt("token", "revoke", "--token-keys", world.keys, input: token)
    #expect(said.hasPrefix("Revoked \""))
    #expect(try drawer.message("error")["message"] == "the token was revoked")
    #expect(try drawer.closeCode() == 4401)
    try viewer.message("members") { ($0["controllers"] as [[String: String]]?)?.isEmpty == true }
    #expect(try server.stop() == .exited(0))
    let next = try self.server()
    for (token, role, isIn) in [(token, "controller", false), (other, "viewer", true)] {
      let client = try Client(next)
      hello(client, "front", role, token)
      if isIn {
        try client.message("welcome")
      } else {
        #expect(try client.closeCode() == 4401)
      }
    }
    // By its number alone, too, as the list shows it.
    let number = try #require(
      try drawbolt("token", "list", "--token-keys", world.keys).split(separator: "\"").dropFirst()
        .first)
    #expect(try drawbolt("token", "revoke", String(number)) == "Revoked \"\(number)\".\n")
  }

  @Test(
    "does not start on keys that it can't read, and says in one line why only this machine gets in")
  func start() throws {
    try FileManager.default.removeItem(atPath: world.scratch.path + "/shop.key")
    let refused = try ChildProcess(
      TestServer.flags(world.scratch.path + "/new", key: keyFile) + ["--token-keys", world.keys],
      scratch: world.scratch)
    #expect(try refused.end() == .exited(78))
    #expect(refused.errors.contains("shop.key\", which is not there"))
    #expect(!FileManager.default.fileExists(atPath: world.scratch.path + "/new"))
    let plain = try TestServer(world.scratch, data: data, key: keyFile)
    #expect(
      plain.process.printed.contains("open to this machine only: without tokenKeys the server is"))
  }

  @Test("listens beyond this machine, and warns that nothing is encrypted")
  func beyond() throws {
    let server = try server("--listen", "0.0.0.0:0", "--hosts", "pad.example")
    #expect(server.process.logs("warning unencrypted listen=0.0.0.0:0"))
    #expect(!server.process.printed.contains("this machine only"))
    let answer = try HTTPAnswer.get(server.port, "/healthz")
    #expect(answer.status == 403)
  }
}
