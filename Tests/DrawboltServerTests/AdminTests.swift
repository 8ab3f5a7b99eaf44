import DrawboltServer
import Foundation
import PadModel
import TestSupport
import Testing
import Transport

/// The HTTP interface of administrators at the real server.
@Suite("An administrator", .waiting)
struct AdminTests {
  private let scratch: Scratch
  private var data: String { scratch.path + "/data" }

  init() throws { scratch = try Scratch() }

  private func drawbolt(_ words: String...) throws -> String {
    let places = ["--dev", "--data-directory", data]
    let child = try ChildProcess(words + places, scratch: scratch)
    guard try child.end() == .exited(0) else { throw Failed("\(words): \(child.errors)") }
    return String(child.printed.dropLast())
  }

  /// A server with the interface, and a way to ask it as `ana`.
  private func serve(loops: Int = 1, _ flags: String...) throws -> (TestServer, Asking) {
    let all = ["--admin-api", "on", "--loops", "\(loops)"] + flags
    let server = try TestServer(scratch, all)
    let token = try drawbolt("admin", "add", "ana")
    return (
      server, { try HTTPAnswer.ask(server.adminPort, $0, "/api/v1" + $1, token: token, body: $2) }
    )
  }

  private typealias Asking = (_ method: String, _ path: String, _ body: String?) throws ->
    HTTPAnswer

  @Test("adds locks and codes, lists and removes them, and the audit knows who it was")
  func locks() throws {
    let (server, ask) = try serve()
    let added = try ask("POST", "/locks", #"{"id":"front","mirror":"open"}"#)
    #expect(added.status == 201)
    #expect(try added.object["mirror"] == "open" && added.object["secrets"] == 0)
    #expect(try ask("POST", "/locks", #"{"id":"front"}"#).status == 409)
    let secret = try ask("POST", "/locks/front/secrets", #"{"code":"2-5-8-9-6-3","owner":"Ana"}"#)
    #expect(try secret.status == 201 && secret.object["number"] == 1)
    let (drawer, _) = try Client.join(server, "demo", "controller")
    withExtendedLifetime(drawer) {}
    let secrets: [[String: Any]] = try #require(
      try ask("GET", "/locks/front/secrets", nil).object["secrets"])
    #expect(secrets.count == 1 && secrets[0]["owner"] as? String == "Ana")
    #expect(try ask("POST", "/locks/front/reset", "").status == 204)
    #expect(try ask("POST", "/locks/front/secrets/1/distrust", "").status == 204)
    #expect(try ask("POST", "/locks/front/secrets/2/distrust", "").status == 404)
    #expect(try ask("DELETE", "/locks/front/secrets/1", nil).status == 204)
    #expect(try ask("DELETE", "/locks/front/secrets/1", nil).status == 404)
    #expect(try ask("DELETE", "/locks/front", nil).status == 204)
    #expect(try ask("GET", "/locks/front", nil).status == 404)
    let entries: [[String: Any]] = try #require(
      try ask("GET", "/locks/front/attempts?limit=3", nil).object["entries"])
    #expect(
      entries.map { $0["what"] as? String } == ["lock removed", "secret revoked", "trust ended"])
    #expect(entries.allSatisfy { $0["actor"] as? String == "admin:ana" })
    #expect(!server.process.errors.contains("2-5-8"))
  }

  @Test("is told what is wrong with a body, and nothing is done")
  func mistakes() throws {
    let (_, ask) = try serve()
    for (path, body, wanted) in [
      ("/locks", "", "no JSON"), ("/locks", "[]", "no JSON object"),
      ("/locks", #"{"id":"a","id":"b"}"#, "stands twice"), ("/locks", "{}", "id is missing"),
      ("/locks", #"{"id":7}"#, "id is of another kind"),
      ("/locks", #"{"id":"Ä"}"#, "id has 1 to 64"),
      ("/locks", #"{"id":"a","preset":"x"}"#, "preset is android"),
      ("/locks", #"{"id":"a","columns":11}"#, "columns and rows are 2 to 10"),
      ("/locks", #"{"id":"a","minimumNodes":2}"#, "toy"),
      ("/locks/demo/secrets", #"{"code":"2-5"}"#, "code"),
      ("/locks/demo/secrets", #"{"code":"1-2-3-6-9"}"#, "guessed first"),
      ("/locks/demo/secrets", #"{"code":"2-5-8-9-6-3","uses":0}"#, "uses is 1 to"),
      ("/tokens/revoke", #"{"id":""}"#, "token's number"),
    ] {
      let answer = try ask("POST", path, body)
      #expect(answer.status == 400, "\(path) \(body)")
      #expect(answer.body.contains(wanted), "\(answer.body)")
      #expect(!answer.body.contains("2-5-8"))
    }
    #expect(try ask("PUT", "/locks/demo/mirror", #"{"mirror":"x"}"#).status == 400)
    for query in ["limit=0", "limit=1001", "before=x", "before", "x=1", "before=-1"] {
      #expect(try ask("GET", "/attempts?" + query, nil).status == 400, "\(query)")
    }
    #expect(try ask("GET", "/attempts?limit=1000&before=9", nil).status == 200)
    let locks: [[String: Any]] = try #require(try ask("GET", "/locks", nil).object["locks"])
    #expect(locks.count == 1)
    #expect(try ask("PATCH", "/locks", nil).head.contains("Allow: GET, POST\r\n"))
    #expect(try ask("GET", "/locks/", nil).status == 404)
    #expect(try ask("GET", "/", nil).status == 404)
  }

  @Test("sees the rooms of all loops, closes one, and takes its pen", arguments: [1, 3])
  func rooms(loops: Int) throws {
    let (server, ask) = try serve(loops: loops)
    let boards = (0..<4).map { "board:b\($0)" }
    let members = try boards.map { try Client.join(server, $0, "controller").client }
    let rooms: [[String: Any]] = try #require(try ask("GET", "/rooms", nil).object["rooms"])
    #expect(rooms.map { $0["name"] as? String } == boards)
    #expect(rooms.allSatisfy { $0["members"] as? Int == 1 })
    members[1].samples(1, "press", [0])
    try members[1].state("drawing")
    #expect(try ask("POST", "/rooms/board:b1/take-pen", "").status == 204)
    try members[1].state("cancelled")
    for (index, member) in members.enumerated() {
      #expect(try ask("POST", "/rooms/board:b\(index)/close", "").status == 204)
      #expect(try member.closeCode() == 4012)
    }
    #expect(try ask("POST", "/rooms/board:none/close", "").status == 404)
    #expect(try ask("POST", "/rooms/B%20ard/close", "").status == 404)
    #expect(
      server.process.logs("roomChanged room=board:b1 action=\"pen taken\" actor=ana"))
    let rows = try Rows(data)
    #expect(
      try rows.settles("SELECT count(*) FROM audit WHERE outcome = 'room closed'", "4"))
  }

  @Test("who changes a lock's mirror closes its room", arguments: [1, 3])
  func mirror(loops: Int) throws {
    let (server, ask) = try serve(loops: loops)
    let (viewer, _) = try Client.join(server, "demo", "viewer")
    #expect(try ask("PUT", "/locks/demo/mirror", #"{"mirror":"stealth"}"#).status == 204)
    #expect(try viewer.closeCode() == 4012)
    let (drawer, _) = try Client.join(server, "demo", "controller")
    #expect(try drawer.attempt(1, Codes.demo)["outcome"] == "accepted")
    #expect(try drawbolt("lock", "mirror", "demo", "open") == "demo shows strokes as open.")
    #expect(try drawer.closeCode() == 4012)
  }

  @Test("is asked for a token, and after five wrong ones of a minute not even for a right one")
  func tokens() throws {
    let (server, ask) = try serve()
    func status(_ token: String?) throws -> Int {
      try HTTPAnswer.ask(server.adminPort, "GET", "/api/v1/locks", token: token).status
    }
    for _ in 0..<10 { #expect(try status(nil) == 401) }
    for token in ["", "x", String(repeating: "0", count: 64), "a b"] {
      #expect(try status(token) == 401)
      #expect(try ask("GET", "/locks", nil).status == 200)
    }
    let last = try HTTPAnswer.ask(server.adminPort, "GET", "/api/v1/locks", token: "y")
    #expect(last.status == 401 && last.head.contains("WWW-Authenticate: Bearer"))
    let locked = try ask("GET", "/locks", nil)
    #expect(locked.status == 429 && locked.head.contains("Retry-After: "))
  }

  @Test("whose token was revoked, or whose row was forged, is nobody")
  func revoked() throws {
    let (server, ask) = try serve()
    #expect(try ask("GET", "/locks", nil).status == 200)
    #expect(try drawbolt("admin", "list").contains("ana"))
    #expect(try drawbolt("admin", "revoke", "ana") == "Revoked ana.")
    #expect(try ask("GET", "/locks", nil).status == 401)
    #expect(try drawbolt("admin", "list") == "There is no administrator.")
    #expect(server.process.logs("action=\"admin revoked\""))
    #expect(!server.process.errors.contains("lock=ana"))
  }

  @Test("finds the interface where it was turned on, and not at the public listener")
  func elsewhere() throws {
    let (server, _) = try serve()
    for path in ["/api/v1/locks", "/api/v1/openapi.json"] {
      #expect(try HTTPAnswer.get(server.port, path).status == 404)
      #expect(try HTTPAnswer.ask(server.port, "POST", path, body: "{}").status == 405)
    }
    let document = try HTTPAnswer.get(server.adminPort, "/api/v1/openapi.json")
    #expect(try document.status == 200 && document.object["openapi"] == "3.1.0")
    let scratch = try Scratch()
    let off = try TestServer(scratch)
    #expect(try HTTPAnswer.get(off.adminPort, "/api/v1/locks").status == 404)
    #expect(try HTTPAnswer.ask(off.adminPort, "POST", "/api/v1/locks", body: "{}").status == 405)
  }
}

/// How often an address may be wrong.
@Suite struct WrongTokenTests {
  private let here = ListenAddress(host: "127.0.0.1", port: 1)
  private let there = ListenAddress(host: "192.0.2.1", port: 1)

  @Test("the fifth wrong token of a minute is one too many, until the first is a minute old")
  func minute() throws {
    let (here, there) = (try #require(here).limitKey, try #require(there).limitKey)
    var wrong = WrongTokens()
    let start = Instant(nanoseconds: 1_000_000_000)
    for second in 0..<5 {
      let now = start + .seconds(second)
      let wait = wrong.wait(of: here, at: now)
      #expect(wait == nil)
      wrong.note(here, at: now)
    }
    let (own, other) = (
      wrong.wait(of: here, at: start + .seconds(5)), wrong.wait(of: there, at: start + .seconds(5))
    )
    #expect(own == .seconds(55) && other == nil)
    let late = wrong.wait(of: here, at: start + .seconds(60))
    #expect(late == nil)
  }

  @Test("no more addresses are remembered than may be")
  func many() {
    var wrong = WrongTokens()
    for number in 0..<3000 {
      let host = "10.0.\(number / 256).\(number % 256)"
      guard let address = ListenAddress(host: host, port: 1) else {
        Issue.record("\(host)")
        return
      }
      wrong.note(address.limitKey, at: Instant(nanoseconds: Int64(number)))
    }
    #expect(wrong.count == 1000)
  }
}
