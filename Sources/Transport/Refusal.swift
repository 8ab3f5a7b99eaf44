/// Why a request goes no further.
///
/// Every case is one rule of the border.
package enum Refusal: Error, Equatable, Sendable {
  /// The head breaks the grammar, or stretches it: what, in a word or two.
  case malformed(String)
  /// One of the headers that must be single came twice.
  case doubled(String)
  /// The head is larger than it may be, or has too many lines.
  case headTooLarge
  /// The target is longer than it may be.
  case targetTooLong
  /// A method that is not served there.
  case method
  /// Not HTTP/1.1.
  case version
  /// Not encrypted, where TLS is spoken.
  case plain
  /// The head did not come in time.
  case slow
  /// `Host` is none of this server's names.
  case host
  /// `Origin` is none of this server's names.
  case origin
  /// A header shows that a proxy is in between.
  case proxy
  /// The WebSocket's path with a query.
  case query
  /// A request with a body.
  case body
  /// A body without its length.
  case lengthRequired
  /// A body that is longer than it may be.
  case bodyTooLarge(limit: Int)
  /// An upgrade to something that is no WebSocket, or a broken one.
  case upgrade(String)
  /// `/ws` without an upgrade to a WebSocket.
  case upgradeRequired
  /// Another version of the WebSocket protocol than 13.
  case webSocketVersion
  /// No subprotocol that this server speaks.
  case subprotocol
  /// Nothing is there.
  case notFound
  /// An address has too many connections or opens them too fast.
  case tooManyRequests(retryAfter: Int)
  /// The server has as many connections as it may, or is shutting down.
  case unavailable(retryAfter: Int)
  /// The answer was not found in time.
  case unanswered

  var status: Int {
    switch self {
    case .malformed, .doubled, .plain, .query, .body, .upgrade, .subprotocol: 400
    case .host, .origin, .proxy: 403
    case .notFound: 404
    case .method: 405
    case .slow: 408
    case .lengthRequired: 411
    case .bodyTooLarge: 413
    case .targetTooLong: 414
    case .upgradeRequired, .webSocketVersion: 426
    case .tooManyRequests: 429
    case .headTooLarge: 431
    case .unavailable, .unanswered: 503
    case .version: 505
    }
  }

  private var text: (code: String, message: String) {
    switch self {
    case .malformed(let what): ("malformed", "The request is malformed: \(what).")
    case .doubled(let name): ("doubled", "The header \(name) came twice.")
    case .headTooLarge: ("headTooLarge", "The request's head is too large.")
    case .targetTooLong: ("targetTooLong", "The request's target is too long.")
    case .method: ("method", "Only GET and HEAD are served here.")
    case .version: ("version", "Only HTTP/1.1 is spoken here.")
    case .plain: ("plain", "This port speaks HTTPS only.")
    case .slow: ("slow", "The request took too long.")
    case .host: ("host", "This server does not go by that name.")
    case .origin: ("origin", "Pages of that origin may not use this server.")
    case .proxy: ("proxy", "Requests through a proxy are not accepted.")
    case .query:
      ("query", "This address takes no query: a token belongs into the first message.")
    case .body: ("body", "A request here has no body.")
    case .lengthRequired: ("lengthRequired", "A body needs its Content-Length.")
    case .bodyTooLarge(let limit):
      ("bodyTooLarge", "The body is longer than \(limit) bytes.")
    case .upgrade(let what): ("upgrade", "The upgrade is not possible: \(what).")
    case .upgradeRequired: ("upgradeRequired", "This address speaks WebSocket only.")
    case .webSocketVersion: ("webSocketVersion", "Only version 13 of WebSocket is spoken here.")
    case .subprotocol: ("subprotocol", "None of the subprotocols is spoken here.")
    case .notFound: ("notFound", "There is nothing here.")
    case .tooManyRequests: ("tooManyRequests", "Too many connections from this address.")
    case .unavailable: ("unavailable", "The server takes no connections now.")
    case .unanswered: ("unanswered", "The answer took too long.")
    }
  }

  private var headers: [(name: String, value: String)] {
    switch self {
    case .method: [("Allow", "GET, HEAD")]
    case .upgradeRequired: [("Upgrade", "websocket")]
    case .webSocketVersion: [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
    case .tooManyRequests(let seconds), .unavailable(let seconds):
      [("Retry-After", String(seconds))]
    default: []
    }
  }

  /// The answer that says so.
  var response: HTTPResponse {
    var response = HTTPResponse.error(status, code: text.code, message: text.message)
    response.headers += headers
    return response
  }
}
