import TestSupport
import Testing
import Transport

/// Bodies of requests: at the admin listener, where they are taken, and nowhere else.
@Suite(.waiting) struct BodyTests {
  private static func server(time: Int = 5000) throws -> TestServer {
    let door = try address("127.0.0.1")
    return try TestServer {
      $0.adminListeners = [door]
      $0.adminBodies = BodyRule(prefix: "/api/", maximumBytes: 100, time: time)
    }
  }

  private func admin(_ server: TestServer) -> ListenAddress {
    server.handle.configuration.adminListeners[0]
  }

  private func ask(
    _ server: TestServer, _ method: String = "POST", _ path: String = "/api/echo",
    lines: [String] = [],
    body: String = "", at place: ListenAddress? = nil
  ) throws -> RawClient.Answer? {
    let place = place ?? admin(server)
    let client = try RawClient(place)
    let head = ["\(method) \(path) HTTP/1.1", "Host: \(place.description)"] + lines
    client.send(head.map { $0 + "\r\n" }.joined() + "\r\n" + body)
    return try client.answer()
  }

  private func length(_ count: Int) -> [String] { ["Content-Length: \(count)"] }

  @Test("as long a body as may be is taken, one byte more is not", arguments: ["POST", "PUT"])
  func sizes(method: String) throws {
    let server = try Self.server()
    for count in [0, 1, 99, 100] {
      let body = String(repeating: "b", count: count)
      let answer = try ask(server, method, lines: length(count), body: body)
      #expect(answer?.status == 200)
      // Interpolated, a request shows nothing of itself.
      let wanted = "HTTPRequest \(method.lowercased()) - \(body)"
      #expect(String(decoding: answer?.body ?? [], as: UTF8.self) == wanted)
    }
    #expect(try ask(server, method, lines: length(101), body: "b")?.status == 413)
    #expect(try ask(server, method, lines: ["Content-Length: 99999999999999999999"])?.status == 413)
  }

  @Test("a body that comes in pieces is one, and what stands behind it is left alone")
  func pieces() throws {
    let server = try Self.server()
    let client = try RawClient(admin(server))
    client.send(
      "POST /api/echo HTTP/1.1\r\nHost: \(admin(server).description)\r\nContent-Length: 6\r\n\r\n")
    for piece in ["ab", "c", "def"] { client.send(piece) }
    client.send("POST /api/y HTTP/1.1\r\n\r\n")
    #expect(try client.answer()?.body == Array("HTTPRequest post - abcdef".utf8))
  }

  @Test(
    "a length that is missing, doubled, no number or not alone is refused",
    arguments: [
      ([], 411), (["Content-Length: 1", "Content-Length: 1"], 400), (["Content-Length: +1"], 400),
      (["Content-Length: 0x1"], 400), (["Content-Length: 1, 1"], 400), (["Content-Length:"], 400),
      (["Content-Length: 01"], 413), (["Transfer-Encoding: chunked"], 400),
      (["Content-Length: 1", "Transfer-Encoding: chunked"], 400),
    ] as [([String], Int)])
  func lengths(lines: [String], status: Int) throws {
    #expect(try ask(try Self.server(), lines: lines, body: "b")?.status == status)
  }

  @Test(
    "any other method may go without a length, and bring a body",
    arguments: ["GET", "DELETE", "OPTIONS"])
  func others(method: String) throws {
    let server = try Self.server()
    for (lines, body) in [([], ""), (length(0), ""), (length(1), "b")] {
      #expect(try ask(server, method, lines: lines, body: body)?.status == 200)
    }
  }

  @Test("a body that does not come in time is answered by 408")
  func slow() throws {
    let answer = try ask(try Self.server(time: 50), lines: length(2), body: "b")
    #expect(answer?.status == 408)
  }

  @Test("a peer that hangs up in the middle of its body is forgotten")
  func leaves() throws {
    let server = try Self.server()
    do {
      let client = try RawClient(admin(server))
      client.send(
        "POST /api/echo HTTP/1.1\r\nHost: \(admin(server).description)\r\nContent-Length: 6\r\n\r\nab"
      )
    }
    #expect(server.eventually { $0.openSockets == 0 && $0.abandonedRequests == 1 })
    #expect(server.statistics.responses.isEmpty)
  }

  @Test(
    "elsewhere, and at the public listener, there are no bodies and no such methods",
    arguments: ["POST", "PUT", "DELETE", "PATCH", "BREW"])
  func elsewhere(method: String) throws {
    let server = try Self.server()
    #expect(try ask(server, method, "/metrics", lines: length(0))?.status == 405)
    #expect(try ask(server, method, lines: length(0), at: server.site)?.status == 405)
    let answer = try ask(server, "GET", lines: length(1), body: "b", at: server.site)
    #expect(answer?.status == 400)
  }

  @Test("the token that came with a request is handed on, and one that came twice is refused")
  func authorization() throws {
    let server = try Self.server()
    let lines = ["Authorization: Bearer x"]
    let answer = try ask(server, "GET", lines: lines)
    #expect(answer?.body == Array("HTTPRequest get Bearer x ".utf8))
    #expect(try ask(server, "GET", lines: lines + lines)?.status == 400)
  }
}
