import DrawboltServer
import Foundation
import TestSupport
import Testing

/// From which pages the server is used, at its own sockets.
@Suite("A page of another origin", .waiting)
struct OriginTests {
  private let scratch: Scratch
  private let shop = "https://shop.example"
  private let school = "https://school.example"

  init() throws { scratch = try Scratch() }

  private func drawbolt(_ words: String...) throws -> String {
    let child = try ChildProcess(
      words + ["--dev", "--data-directory", scratch.path + "/data"], scratch: scratch)
    let ending = try child.end()
    guard ending == .exited(0) else { throw Failed("\(words): \(child.errors)") }
    return child.printed
  }

  private func server(_ flags: String...) throws -> TestServer {
    try TestServer(
      scratch,
      [
        "--boards", "[{ name: 'lesson-*', origins: ['\(school)'] }, { name: '*' }]",
        "--limits-origins-per-room", "2",
      ] + flags)
  }

  private func status(_ server: TestServer, _ origin: String) throws -> Int {
    guard let head = try Client.upgrading(server, origin: origin).head() else {
      throw Failed("no answer")
    }
    return Int(head.split(separator: " ")[1]) ?? 0
  }

  /// What a hello from a page comes to: 0 for a welcome, or the close code.
  private func answer(_ server: TestServer, _ room: String, from origin: String?) throws -> Int {
    let client = try Client(server, origin: origin)
    client.hello(room, "viewer")
    switch try client.next() {
    case .text(let message) where message.type == "welcome": return 0
    default: return try client.closeCode()
    }
  }

  @Test("is answered 403 before the upgrade, unless some room lists it, byte for byte")
  func upgrade() throws {
    let server = try server()
    #expect(try status(server, school) == 101)
    #expect(try status(server, "http://127.0.0.1:\(server.port)") == 101)
    for origin in [
      "null", "", "https://evil.example", school + ":443", school + ":8443",
      school + ".evil.example",
      "https://evil." + "school.example", "https://evilschool.example", school + "/", school + "#",
      "http://school.example", "HTTPS://school.example", "https://School.example",
      "https://schoolxexample", "https://", "*", "\(school) \(school)", "https://school.exampl",
      "http://127.0.0.1:\(server.port).evil.example", "http://127.0.0.1",
    ] {
      #expect(try status(server, origin) == 403, "\(origin)")
    }
    for origin in [school + "\0", "\0" + school, school + "\0.evil.example", school + "\t"] {
      #expect(try status(server, origin) == 400)
    }
  }

  @Test("gets at hello into the rooms that list it, and no page into rooms that list others")
  func hello() throws {
    let server = try server()
    let own = "http://127.0.0.1:\(server.port)"
    for (origin, room, code) in [
      (school, "board:lesson-1", 0), (school, "board:a", 4403), (school, "demo", 4403),
      (own, "board:lesson-1", 4403), (own, "board:a", 0), (own, "demo", 0),
      (nil, "board:lesson-1", 0), (nil, "demo", 0),
    ] as [(String?, String, Int)] {
      #expect(try answer(server, room, from: origin) == code, "\(origin ?? "-") \(room)")
    }
  }

  @Test("gets into a lock that was added for it while the server runs, and into no other")
  func locks() throws {
    let server = try server()
    #expect(try status(server, shop) == 403)
    #expect(
      try drawbolt("lock", "add", "till", "--origins", "\(shop), http://a:1").contains("till"))
    #expect(try drawbolt("lock", "list").contains("\(shop),http://a:1"))
    let end = ContinuousClock.now + .seconds(30)
    while try status(server, shop) == 403, ContinuousClock.now < end { Patience.pause() }
    #expect(try answer(server, "till", from: shop) == 0)
    #expect(try answer(server, "till", from: "http://a:1") == 0)
    #expect(try answer(server, "till", from: "http://127.0.0.1:\(server.port)") == 4403)
    #expect(try answer(server, "till", from: nil) == 0)
    for room in ["demo", "board:a", "board:lesson-1", "none"] {
      #expect(try answer(server, room, from: shop) == 4403)
    }
    for list in ["null", "https://a/", ",", "https://A"] {
      #expect(throws: Failed.self) { try drawbolt("lock", "add", "other", "--origins", list) }
    }
  }

  @Test("may load the client library, which says so to all, and nothing else")
  func library() throws {
    let server = try server()
    func head(_ path: String, _ origin: String?) throws -> HTTPAnswer {
      let socket = try Socket(server.port)
      let line = origin.map { "Origin: \($0)\r\n" } ?? ""
      socket.send(
        Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(line)\r\n".utf8))
      return try HTTPAnswer(socket)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: TestServer.web)
    #expect(files.count > ClientLibrary.files.count)
    for path in files.map({ "/" + $0 }) + ["/", "/healthz", "/none"] {
      let isShared = ClientLibrary.files.contains(path)
      for origin in [nil, shop, "null"] {
        let answer = try head(path, origin)
        if origin != nil { #expect((answer.status == 200) == isShared, "\(path)") }
        if origin != nil, !isShared { #expect(answer.status == 403, "\(path)") }
        #expect(answer.head.contains("Access-Control-Allow-Origin: *\r\n") == isShared, "\(path)")
        #expect(!answer.head.contains("Access-Control-Allow-Credentials"))
        let policy =
          "Cross-Origin-Resource-Policy: \(isShared ? "cross-origin" : "same-origin")\r\n"
        #expect(answer.head.contains(policy), "\(path)")
      }
    }
  }

  @Test("may show the pad's page in a frame if the configuration says so, and no other page")
  func frames() throws {
    let closed = try server()
    let open = try TestServer(
      scratch, "--frame-ancestors", "\(shop) \(school)", data: scratch.path + "/other")
    for path in ["/", "/pad.html", "/mirror.html", "/lock.html", "/drawbolt.js", "/none"] {
      let none = "frame-ancestors 'none';"
      #expect(try HTTPAnswer.get(closed.port, path).head.contains(none), "\(path)")
      let wanted = path == "/pad.html" ? "frame-ancestors \(shop) \(school);" : none
      #expect(try HTTPAnswer.get(open.port, path).head.contains(wanted), "\(path)")
    }
  }

  @Test("and a request's Host shape no header of an answer")
  func host() throws {
    let server = try server()
    for path in ["/", "/pad.html", "/drawbolt.js", "/healthz", "/none", "/ws"] {
      let heads = try ["127.0.0.1", "localhost", "[::1]"].map { name in
        let socket = try Socket(server.port)
        socket.send(Array("GET \(path) HTTP/1.1\r\nHost: \(name):\(server.port)\r\n\r\n".utf8))
        return try HTTPAnswer(socket).head.split(separator: "\r\n").filter {
          !$0.hasPrefix("Date:")
        }
      }
      #expect(heads[0] == heads[1] && heads[0] == heads[2], "\(path)")
    }
  }

  @Test("needs all files that the library's modules load from it")
  func closure() throws {
    var found: Set<String> = []
    var open = ["/drawbolt.js", "/pad-element.js", "/grant.js", "/pad-element.css"]
    while let path = open.popLast() {
      guard found.insert(path).inserted else { continue }
      let text = try String(contentsOfFile: TestServer.web + path, encoding: .utf8)
      for match in text.matches(of: /from "\.(\/[^"]+)"/) { open.append(String(match.1)) }
    }
    #expect(found == ClientLibrary.files)
  }
}
