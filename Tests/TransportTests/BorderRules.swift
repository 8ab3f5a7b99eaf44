import Testing
import Transport

/// The requests of the border's tests, with the status that each must get.
enum BorderRules {
  /// A request that the test describes, and the status that must come.
  struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let request: @Sendable (ListenAddress) -> [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ status: Int, _ request: @escaping @Sendable (ListenAddress) -> [UInt8]) {
      self.name = name
      self.status = status
      self.request = request
    }

    /// `@` stands for the server's own host and port.
    init(_ name: String, _ status: Int, get text: String) {
      self.init(name, status) { site in
        Array(text.replacing("@", with: site.description).utf8)
      }
    }

    /// An upgrade with some lines other than usual.
    static func upgrade(
      _ name: String, _ status: Int, _ changes: [String: String?], path: String = "/ws",
      extra: String = ""
    ) -> Rule {
      Rule(name, status) { site in
        Array(upgradeHead(site, changes, path: path, extra: extra).utf8)
      }
    }
  }

  static func upgradeHead(
    _ site: ListenAddress, _ changes: [String: String?], path: String, extra: String
  ) -> String {
    var lines: [(String, String)] = [
      ("Host", site.description), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
      ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
      ("Sec-WebSocket-Protocol", "drawbolt.v1"),
    ]
    for (name, value) in changes {
      lines.removeAll { $0.0 == name }
      if let value { lines.append((name, value)) }
    }
    return "GET \(path) HTTP/1.1\r\n" + lines.map { "\($0.0): \($0.1)\r\n" }.joined() + extra
      + "\r\n"
  }

  static let names: [Rule] = [
    .init("a foreign Host", 403, get: "GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
    .init("a foreign Host with the port", 403) {
      Array("GET /healthz HTTP/1.1\r\nHost: evil.example:\($0.port)\r\n\r\n".utf8)
    },
    .init("Host with a dot at its end", 403, get: "GET / HTTP/1.1\r\nHost: @.\r\n\r\n"),
    .init("the right Host, longer", 403, get: "GET / HTTP/1.1\r\nHost: @0\r\n\r\n"),
    .init("Host without the port", 403, get: "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
    .init("an empty Host", 403, get: "GET / HTTP/1.1\r\nHost:\r\n\r\n"),
    .init("no Host", 400, get: "GET / HTTP/1.1\r\nAccept: x\r\n\r\n"),
    .init(
      "a foreign Origin", 403,
      get: "GET /healthz HTTP/1.1\r\nHost: @\r\nOrigin: http://evil.example\r\n\r\n"),
    .init(
      "Host and Origin both evil.example:8080", 403,
      get: "GET / HTTP/1.1\r\nHost: evil.example:8080\r\nOrigin: http://evil.example:8080\r\n\r\n"),
    .init(
      "the null Origin", 403, get: "GET /healthz HTTP/1.1\r\nHost: @\r\nOrigin: null\r\n\r\n"),
    .init(
      "an https Origin", 403, get: "GET /healthz HTTP/1.1\r\nHost: @\r\nOrigin: https://@\r\n\r\n"),
    .init(
      "an Origin with a NUL", 400,
      get: "GET /healthz HTTP/1.1\r\nHost: @\r\nOrigin: http://@\0.evil.example\r\n\r\n"),
    .init(
      "the own Origin", 200, get: "GET /healthz HTTP/1.1\r\nHost: @\r\nOrigin: http://@\r\n\r\n"),
    .init("localhost", 200) {
      Array("GET /healthz HTTP/1.1\r\nHost: localhost:\($0.port)\r\n\r\n".utf8)
    },
    .upgrade("an upgrade with a foreign Host", 403, ["Host": "evil.example:8080"]),
    .upgrade(
      "an upgrade, Host and Origin both evil", 403,
      ["Host": "evil.example:8080", "Origin": "http://evil.example:8080"]),
    .upgrade("an upgrade with a foreign Origin", 403, ["Origin": "http://evil.example:8080"]),
    .upgrade("an upgrade with the null Origin", 403, ["Origin": "null"]),
    .upgrade("an upgrade, Origin with a NUL", 400, ["Origin": "http://127.0.0.1\0.evil"]),
  ]

  static let grammar: [Rule] = [
    .init("a second Host", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nHost: @\r\n\r\n"),
    .init(
      "a second Host in other letters", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nhOST: evil\r\n\r\n"),
    .init(
      "a second Origin", 400,
      get: "GET / HTTP/1.1\r\nHost: @\r\nOrigin: http://@\r\nOrigin: http://evil\r\n\r\n"),
    .init(
      "a second Content-Length", 400,
      get: "GET / HTTP/1.1\r\nHost: @\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n"),
    .upgrade("a second Upgrade", 400, [:], extra: "Upgrade: websocket\r\n"),
    .upgrade("a second key", 400, [:], extra: "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"),
    .upgrade("a second version", 400, [:], extra: "Sec-WebSocket-Version: 13\r\n"),
    .init("a tab in a value", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nX: a\tb\r\n\r\n"),
    .init("a bell in a value", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nX: a\u{7}b\r\n\r\n"),
    .init("DEL in a value", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nX: a\u{7f}b\r\n\r\n"),
    .init("a lone CR", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nX: a\rb\r\n\r\n"),
    .init("a lone LF", 400, get: "GET / HTTP/1.1\r\nHost: @\nX: ab\r\n\r\n"),
    .init("a folded line", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nX: a\r\n b\r\n\r\n"),
    .init("a blank before the colon", 400, get: "GET / HTTP/1.1\r\nHost : @\r\n\r\n"),
    .init("a header without a colon", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nX\r\n\r\n"),
    .init("a header without a name", 400, get: "GET / HTTP/1.1\r\nHost: @\r\n: x\r\n\r\n"),
    .init("two blanks in the line", 400, get: "GET  / HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("a whole URL as target", 400, get: "GET http://@/ HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("a fragment in the target", 400, get: "GET /#x HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("a NUL in the target", 400, get: "GET /%00 HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("half an escape", 400, get: "GET /%4 HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("bad UTF-8 in the target", 400, get: "GET /%ff HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("HTTP/1.0", 505, get: "GET / HTTP/1.0\r\nHost: @\r\n\r\n"),
    .init("HTTP/2 by heart", 505, get: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    .init("a TLS hello", 400) { _ in [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] },
    .init("65 headers", 431) {
      let lines = (0..<64).map { "X\($0): 1\r\n" }.joined()
      return Array("GET /healthz HTTP/1.1\r\nHost: \($0)\r\n\(lines)\r\n".utf8)
    },
    .init("64 headers", 200) {
      let lines = (0..<63).map { "X\($0): 1\r\n" }.joined()
      return Array("GET /healthz HTTP/1.1\r\nHost: \($0)\r\n\(lines)\r\n".utf8)
    },
    .init("a head over 8 KiB", 431) {
      let long = String(repeating: "x", count: 8192)
      return Array("GET / HTTP/1.1\r\nHost: \($0)\r\nX: \(long)\r\n\r\n".utf8)
    },
    .init("a target over 2 KiB", 414) {
      let long = String(repeating: "x", count: 2048)
      return Array("GET /\(long) HTTP/1.1\r\nHost: \($0)\r\n\r\n".utf8)
    },
  ]

  static let requests: [Rule] = [
    .init("POST", 405, get: "POST / HTTP/1.1\r\nHost: @\r\nContent-Length: 0\r\n\r\n"),
    .init("OPTIONS", 405, get: "OPTIONS / HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("CONNECT", 405, get: "CONNECT a:1 HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("get in small letters", 400, get: "get / HTTP/1.1\r\nHost: @\r\n\r\n"),
    .init("a body", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nContent-Length: 3\r\n\r\nabc"),
    .init("a negative length", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nContent-Length: -1\r\n\r\n"),
    .init(
      "no body, said", 200, get: "GET /healthz HTTP/1.1\r\nHost: @\r\nContent-Length: 0\r\n\r\n"),
    .init(
      "chunks", 400, get: "GET / HTTP/1.1\r\nHost: @\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ),
    .init("Forwarded", 403, get: "GET / HTTP/1.1\r\nHost: @\r\nForwarded: for=1.2.3.4\r\n\r\n"),
    .init(
      "X-Forwarded-For", 403, get: "GET / HTTP/1.1\r\nHost: @\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n"),
    .init(
      "x-forwarded-host", 403, get: "GET / HTTP/1.1\r\nHost: @\r\nx-forwarded-host: a\r\n\r\n"),
    .init("X-Real-IP", 403, get: "GET / HTTP/1.1\r\nHost: @\r\nX-Real-IP: 1.2.3.4\r\n\r\n"),
    .init("Via", 403, get: "GET / HTTP/1.1\r\nHost: @\r\nVia: 1.1 p\r\n\r\n"),
    .upgrade("an upgrade through a proxy", 403, [:], extra: "Via: 1.1 p\r\n"),
    .init(
      "h2c", 400,
      get: "GET / HTTP/1.1\r\nHost: @\r\nConnection: Upgrade, HTTP2-Settings\r\n"
        + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"),
    .upgrade("h2c on the WebSocket's path", 400, ["Upgrade": "h2c"]),
    .upgrade("an upgrade elsewhere", 400, [:], path: "/other"),
    .upgrade("an upgrade to something unknown", 400, ["Upgrade": "foo"]),
    .upgrade("no Upgrade", 426, ["Upgrade": nil]),
    .upgrade("no Connection", 400, ["Connection": nil]),
    .upgrade("Connection: close", 400, ["Connection": "close"]),
    .upgrade("Connection among others", 101, ["Connection": "keep-alive, Upgrade"]),
    .upgrade("version 12", 426, ["Sec-WebSocket-Version": "12"]),
    .upgrade("version 13 and more", 426, ["Sec-WebSocket-Version": "13, 8"]),
    .upgrade("no version", 426, ["Sec-WebSocket-Version": nil]),
    .upgrade("no key", 400, ["Sec-WebSocket-Key": nil]),
    .upgrade("a short key", 400, ["Sec-WebSocket-Key": "dGhlIHNhbXBsZQ=="]),
    .upgrade("a key that is not Base64", 400, ["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25j-Q=="]),
    .upgrade("an unknown subprotocol", 400, ["Sec-WebSocket-Protocol": "graphql-ws"]),
    .upgrade("no subprotocol", 400, ["Sec-WebSocket-Protocol": nil]),
    .upgrade("an empty subprotocol", 400, ["Sec-WebSocket-Protocol": ""]),
    .upgrade("the library's own protocol", 400, ["Sec-WebSocket-Protocol": "http"]),
    .upgrade("WebSocket in capitals", 101, ["Upgrade": "WebSocket"]),
    .upgrade("a query", 400, [:], path: "/ws?x=1"),
    .upgrade("a token in the address", 400, [:], path: "/ws?token=x"),
    .upgrade("an empty query", 400, [:], path: "/ws?"),
    .upgrade("compression offered", 101, [:], extra: "Sec-WebSocket-Extensions: x\r\n"),
  ]
}
