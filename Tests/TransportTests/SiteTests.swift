import Glibc
import TestSupport
import Testing
import Transport

/// The web files and the other answers.
@Suite(.waiting) struct SiteTests {
  /// A folder that is removed with the value.
  final class Folder: Sendable {
    let path: String

    init() throws {
      var template = Array("/tmp/drawbolt-site-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw RawClient.Failed(what: "mkdtemp \(errno)") }
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      try write("index.html", "<!doctype html>")
      mkdir(path + "/pad", 0o755)
      try write("pad/index.html", "pad")
      for ending in SiteTests.endings.map(\.0) { try write("file.\(ending)", ending) }
      try write(".hidden", "secret")
      try write("plain", "bytes")
      symlink("/etc/passwd", path + "/link.txt")
    }

    func write(_ name: String, _ text: String) throws {
      let descriptor = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      guard descriptor >= 0 else { throw RawClient.Failed(what: "open \(errno)") }
      let bytes = Array(text.utf8)
      _ = Glibc.write(descriptor, bytes, bytes.count)
      close(descriptor)
    }

    deinit {
      for name in ["index.html", "pad/index.html", ".hidden", "plain", "link.txt"] {
        unlink(path + "/" + name)
      }
      for ending in SiteTests.endings.map(\.0) { unlink(path + "/file.\(ending)") }
      rmdir(path + "/pad")
      rmdir(path)
    }
  }

  static let endings = [
    ("html", "text/html; charset=utf-8"), ("css", "text/css; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"), ("mjs", "text/javascript; charset=utf-8"),
    ("wasm", "application/wasm"), ("map", "application/json"), ("json", "application/json"),
    ("svg", "image/svg+xml"), ("webmanifest", "application/manifest+json"),
    ("yaml", "application/yaml"), ("woff2", "font/woff2"), ("png", "image/png"),
    ("unknown", "application/octet-stream"),
  ]

  private func get(
    _ path: String, from server: TestServer, method: String = "GET", extra: String = ""
  ) throws -> RawClient.Answer {
    let client = try RawClient(server.site)
    client.send("\(method) \(path) HTTP/1.1\r\nHost: \(server.site)\r\n\(extra)\r\n")
    return try #require(try client.answer())
  }

  private func site(_ folder: Folder) throws -> TestServer {
    try TestServer { $0.siteRoot = folder.path }
  }

  @Test("each kind of file has its type")
  func types() throws {
    let folder = try Folder()
    let server = try site(folder)
    for (ending, type) in Self.endings {
      let answer = try get("/file.\(ending)", from: server)
      #expect(answer.status == 200)
      #expect(answer.text == ending)
      #expect(answer.header("Content-Type") == type)
    }
    #expect(try get("/plain", from: server).header("Content-Type") == "application/octet-stream")
  }

  @Test("a folder is its index, and is only served with a slash at its end")
  func folders() throws {
    let folder = try Folder()
    let server = try site(folder)
    #expect(try get("/", from: server).text == "<!doctype html>")
    #expect(try get("/pad/?x=1", from: server).text == "pad")
    let redirect = try get("/pad", from: server)
    #expect(redirect.status == 308)
    #expect(redirect.header("Location") == "/pad/")
  }

  @Test("a known entity tag gets 304 without a body; another one gets the file")
  func entityTags() throws {
    let folder = try Folder()
    let server = try site(folder)
    let first = try get("/file.js", from: server)
    let tag = try #require(first.header("ETag"))
    #expect(first.header("Cache-Control") == "no-cache")
    for value in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
      let again = try get("/file.js", from: server, extra: "If-None-Match: \(value)\r\n")
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
      #expect(again.header("ETag") == tag)
    }
    let other = try get("/file.js", from: server, extra: "If-None-Match: \"x\"\r\n")
    #expect(other.status == 200)
    #expect(try get("/file.css", from: server).header("ETag") != tag)
  }

  @Test("HEAD has the length and no body")
  func head() throws {
    let folder = try Folder()
    let answer = try get("/", from: try site(folder), method: "HEAD")
    #expect(answer.status == 200)
    #expect(answer.header("Content-Length") == "15")
    #expect(answer.body.isEmpty)
  }

  @Test(
    "no path leads out of the folder, to a link, or to a hidden file",
    arguments: [
      "/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
      "/pad/../../etc/passwd", "/link.txt", "/.hidden", "/pad/index.html/", "/..\\..\\etc",
      "/%252e%252e/etc/passwd", "/./index.html", "/index.html%00.js", "/nothing",
    ])
  func traversal(_ path: String) throws {
    let folder = try Folder()
    let answer = try get(path, from: try site(folder))
    #expect([400, 404].contains(answer.status))
    #expect(answer.header("Content-Type") == "application/json")
  }

  @Test("every answer has the policy and the other security headers, errors too")
  func security() throws {
    let folder = try Folder()
    let server = try site(folder)
    let port = server.site.port
    for path in ["/", "/healthz", "/nothing", "/ws"] {
      let answer = try get(path, from: server)
      let policy = try #require(answer.header("Content-Security-Policy"))
      let expected = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
        "connect-src 'self' ws://127.0.0.1:\(port) ws://localhost:\(port)", "manifest-src 'self'",
        "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        "require-trusted-types-for 'script'",
      ]
      #expect(policy == expected.joined(separator: "; "))
      #expect(answer.header("X-Content-Type-Options") == "nosniff")
      #expect(answer.header("Referrer-Policy") == "no-referrer")
      #expect(answer.header("Cross-Origin-Opener-Policy") == "same-origin")
      #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
      #expect(answer.header("Connection") == "close")
      #expect(answer.header("Date")?.hasSuffix(" GMT") == true)
    }
  }

  @Test("an answer that is larger than all buffers arrives whole")
  func large() throws {
    let server = try TestServer { $0.sendBufferBytes = 32_768 }
    let client = try RawClient(server.site, receiveBuffer: 32_768)
    client.send("GET /large HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    let answer = try #require(try client.answer())
    #expect(answer.body.count == 1 << 20)
    #expect(answer.body.allSatisfy { $0 == UInt8(ascii: "x") })
    #expect(server.eventually { $0.openSockets == 0 })
  }

  @Test("a reader that stops in the middle of an answer is dropped")
  func stalledReader() throws {
    let server = try TestServer {
      $0.sendBufferBytes = 32_768
      $0.acceptToHead = 100
    }
    let client = try RawClient(server.site, receiveBuffer: 32_768)
    client.send("GET /large HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    #expect(server.eventually { $0.responses[200] == 1 && $0.openSockets == 0 })
    withExtendedLifetime(client) {}
  }

  @Test("text in an error is quoted")
  func quoting() {
    let response = HTTPResponse.error(400, code: "a\"b", message: "c\\d\n\u{7f}é")
    let text = String(decoding: response.body, as: UTF8.self)
    #expect(text == "{\"error\":{\"code\":\"a\\\"b\",\"message\":\"c\\\\d???\"}}\n")
  }
}
