import TestSupport
import Testing
import Transport

/// Every rule of the border, as bytes over a real socket.
@Suite(.waiting) struct BorderTests {
  @Test("a request by a name", arguments: BorderRules.names)
  func names(_ rule: BorderRules.Rule) throws { try check(rule) }

  @Test("a request's grammar", arguments: BorderRules.grammar)
  func grammar(_ rule: BorderRules.Rule) throws { try check(rule) }

  @Test("a request's kind", arguments: BorderRules.requests)
  func requests(_ rule: BorderRules.Rule) throws { try check(rule) }

  private func check(_ rule: BorderRules.Rule) throws {
    let server = try TestServer()
    let client = try RawClient(server.site)
    client.send(rule.request(server.site))
    let answer = try #require(try client.answer())
    #expect(answer.status == rule.status)
    guard rule.status >= 400 else { return }
    #expect(answer.header("Content-Type") == "application/json")
    #expect(answer.header("Connection") == "close")
    #expect(answer.header("Content-Length") == String(answer.body.count))
    #expect(answer.text.hasPrefix("{\"error\":{\"code\":\""))
    if rule.status == 405 { #expect(answer.header("Allow") == "GET, HEAD") }
  }

  @Test("another version is told which one is spoken")
  func versionHeader() throws {
    let server = try TestServer()
    let answer = try RawClient(server.site).upgrade(["Sec-WebSocket-Version": "8"])
    #expect(answer?.header("Sec-WebSocket-Version") == "13")
  }

  @Test("the first subprotocol of the client's list that is spoken is agreed")
  func subprotocol() throws {
    let server = try TestServer()
    let answer = try RawClient(server.site).upgrade([
      "Sec-WebSocket-Protocol": "x, drawbolt.v1.json ,drawbolt.v1"
    ])
    #expect(answer?.header("Sec-WebSocket-Protocol") == "drawbolt.v1.json")
    #expect(answer?.header("Sec-WebSocket-Accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(answer?.header("Sec-WebSocket-Extensions") == nil)
    #expect(server.journal.firstOpening()?.subprotocol == 1)
  }

  @Test("the handler is told the origin that passed")
  func origin() throws {
    let server = try TestServer()
    let origin = "http://localhost:\(server.site.port)"
    #expect(try RawClient(server.site).upgrade(["Origin": origin])?.status == 101)
    #expect(server.journal.firstOpening()?.origin == origin)
  }

  @Test("a second request on one connection is never answered")
  func oneRequest() throws {
    let server = try TestServer()
    let client = try RawClient(server.site)
    let request = "GET /healthz HTTP/1.1\r\nHost: \(server.site)\r\n\r\n"
    client.send(request + request)
    let answer = try #require(try client.answer())
    #expect(answer.status == 200)
    #expect(answer.text == "ok\n")
    #expect(server.statistics.responses[200] == 1)
  }

  @Test("names are configured, not derived, when they are given")
  func ownNames() throws {
    let server = try TestServer {
      $0.siteNames = BorderNames(hosts: ["pad.example"], origins: ["https://pad.example"])
    }
    func status(_ host: String) throws -> Int? {
      let client = try RawClient(server.site)
      client.send("GET /healthz HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      return try client.answer()?.status
    }
    #expect(try status("pad.example") == 200)
    #expect(try status(server.site.description) == 403)
  }

  @Test("origins can be set without the hosts, and are the only ones then")
  func ownOrigins() throws {
    let server = try TestServer { $0.siteOrigins = ["https://pad.example"] }
    func status(_ origin: String) throws -> Int? {
      try RawClient(server.site).upgrade(["Origin": origin])?.status
    }
    #expect(try status("https://pad.example") == 101)
    #expect(try status("http://\(server.site)") == 403)
  }

  @Test("the admin listener has names and paths of its own, and no WebSocket")
  func adminListener() throws {
    let server = try TestServer { $0.adminListeners = $0.siteListeners }
    let admin = server.handle.configuration.adminListeners[0]
    func get(_ path: String, at place: ListenAddress, host: ListenAddress) throws -> String? {
      let client = try RawClient(place)
      client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      return try client.answer().map { "\($0.status) \($0.status == 200 ? $0.text : "")" }
    }
    #expect(try get("/which?a=b", at: admin, host: admin) == "200 admin a=b")
    #expect(try get("/which", at: server.site, host: server.site) == "200 site -")
    #expect(try get("/which", at: admin, host: server.site) == "403 ")
    #expect(try get("/ws", at: admin, host: admin) == "404 ")
    #expect(try RawClient(admin).upgrade()?.status == 400)
  }
}
