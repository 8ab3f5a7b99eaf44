import Glibc

/// Turns an answer into the bytes of its head.
///
/// One per listener, since the policy names its hosts.
package struct ResponseWriter: Sendable {
  private let common: [HTTPResponse.Embedding: String]

  /// The writer for a listener with these names.
  ///
  /// - Parameters:
  ///   - hosts: The names, whose WebSockets the pages may use.
  ///   - frameAncestors: Origins whose pages may show framed pages.
  ///   - isSecure: Whether the listener speaks TLS.
  ///   - strictSeconds: For how long browsers are to insist on TLS; 0 tells them nothing.
  package init(
    hosts: [String], frameAncestors: [String] = [], isSecure: Bool = false, strictSeconds: Int = 0
  ) {
    // 'self' covers the WebSocket of the page's own host in current browsers; older ones want it
    // spelled out. The grammar of a source has no IPv6 literal, so those are left to 'self'.
    let scheme = isSecure ? "wss" : "ws"
    let sockets = hosts.filter { !$0.hasPrefix("[") }.map { " \(scheme)://\($0)" }.joined()
    let strict = isSecure && strictSeconds > 0 ? strictSeconds : 0
    let isolation = HTTPResponse.Embedding.allCases.map { embedding in
      (embedding, Self.common(embedding, sockets, frameAncestors, strict: strict))
    }
    common = Dictionary(uniqueKeysWithValues: isolation)
  }

  private static func common(
    _ embedding: HTTPResponse.Embedding, _ sockets: String, _ frameAncestors: [String], strict: Int
  ) -> String {
    let frames = embedding == .frame ? frameAncestors.joined(separator: " ") : "'none'"
    let policy = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
      "connect-src 'self'\(sockets)", "manifest-src 'self'", "frame-ancestors \(frames)",
      "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
    ]
    let insisting = strict > 0 ? ["Strict-Transport-Security: max-age=\(strict)"] : []
    let everybody = ["Access-Control-Allow-Origin: *"]
    let lines = [
      "Content-Security-Policy: " + policy.joined(separator: "; "),
      "X-Content-Type-Options: nosniff",
      "Referrer-Policy: no-referrer",
      "Cross-Origin-Opener-Policy: same-origin",
      "Cross-Origin-Resource-Policy: \(embedding == .load ? "cross-origin" : "same-origin")",
      "Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()",
      "Connection: close",
    ]
    return (insisting + lines + (embedding == .load ? everybody : [])).map { $0 + "\r\n" }.joined()
  }

  /// The head of an answer, its empty line included.
  package func head(of response: HTTPResponse, at date: String) -> [UInt8] {
    precondition((200..<600).contains(response.status))
    var text = "HTTP/1.1 \(response.status) \(Self.reason(response.status))\r\nDate: \(date)\r\n"
    for header in response.headers {
      precondition(!header.value.utf8.contains { $0 < 0x20 || $0 == 0x7f })
      text += "\(header.name): \(header.value)\r\n"
    }
    if response.status != 304 {
      text += "Content-Type: \(response.contentType)\r\nContent-Length: \(response.body.count)\r\n"
    }
    return Array((text + (common[response.embedding] ?? "") + "\r\n").utf8)
  }

  /// The wall clock as HTTP writes it, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func date() -> String {
    var seconds = time(nil)
    var parts = unsafe tm()
    _ = unsafe gmtime_r(&seconds, &parts)
    let (weekday, month) = unsafe (Int(parts.tm_wday), Int(parts.tm_mon))
    let (year, dayOfMonth) = unsafe (parts.tm_year + 1900, parts.tm_mday)
    let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let day = "\(days[weekday]), \(two(dayOfMonth)) \(months[month]) \(year)"
    return "\(day) \(two(hour)):\(two(minute)):\(two(second)) GMT"
  }

  private static func reason(_ status: Int) -> String {
    let reasons = [
      200: "OK", 204: "No Content", 304: "Not Modified", 308: "Permanent Redirect",
      400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
      405: "Method Not Allowed", 408: "Request Timeout", 414: "URI Too Long",
      426: "Upgrade Required", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
      500: "Internal Server Error", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
    ]
    return reasons[status] ?? "Status"
  }
}
