/// A request that the border has let through.
///
/// Dumped or interpolated it shows nothing: a body may hold what must not get about.
public struct HTTPRequest: Sendable, Equatable {
  /// The methods that there are; all but the first two are for the paths that take bodies.
  public enum Method: String, Sendable, CaseIterable {
    /// Asks for head and body.
    case get = "GET"
    /// Asks for the head alone; the transport leaves the body out by itself.
    case head = "HEAD"
    /// Does something with its body.
    case post = "POST"
    /// Puts its body in the place of what is there.
    case put = "PUT"
    /// Removes what is there.
    case delete = "DELETE"
    /// Anything else, which is served nowhere.
    case other = ""

    /// Whether it only asks.
    var isSafe: Bool { self == .get || self == .head }
  }

  /// Names it for ``EventLoop/respond(to:_:)``.
  public let id: ConnectionID
  /// The door it came through.
  public let listener: ListenerKind
  /// What it asks for.
  public let method: Method
  /// The path, percent-decoded, starting with `/`, without dot segments.
  public let path: String
  /// What follows the question mark, as it came; `nil` without one.
  public let query: String?
  /// Who asks.
  public let peer: ListenAddress
  /// The value of `Authorization`, as it came.
  public var authorization: String?
  /// The whole body; empty on paths that take none.
  public var body: [UInt8] = []
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
  /// The type's name and nothing of its content.
  public var description: String { "HTTPRequest" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// What a handler has to say to a request.
public enum HTTPReply: Sendable, Equatable {
  /// This.
  case now(HTTPResponse)
  /// Nothing yet: ``EventLoop/respond(to:_:)`` will be called with the request's id, from a later
  /// turn. If it is not within ``TransportConfiguration/answerWithin``, the answer is 503.
  case later
  /// There is nothing at this path.
  case notFound
}

/// An answer with its whole body.
public struct HTTPResponse: Sendable, Equatable {
  /// What pages of other origins may do with an answer.
  public enum Embedding: Sendable, Equatable, CaseIterable {
    /// Nothing.
    case none
    /// Load and read it.
    case load
    /// Show it in a frame, if they are among ``TransportConfiguration/frameAncestors``.
    case frame
  }

  /// The status, 200 … 599.
  public var status: Int
  /// The `Content-Type`.
  public var contentType: String
  /// The body's bytes.
  public var body: [UInt8]
  /// Further header lines.
  ///
  /// The security headers, the length and `Connection: close` come by themselves.
  public var headers: [(name: String, value: String)]
  /// What pages of other origins may do with it.
  public var embedding = Embedding.none

  /// An answer of this status and content.
  public init(
    status: Int, contentType: String, body: [UInt8],
    headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.headers = headers
  }

  /// A short text, `text/plain`.
  public static func text(_ text: String, status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8),
      headers: [("Cache-Control", "no-store")])
  }

  /// JSON that is already encoded.
  public static func json(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
    HTTPResponse(
      status: status, contentType: "application/json", body: body,
      headers: [("Cache-Control", "no-store")])
  }

  /// An error as JSON, `{"error":{"code":…,"message":…}}`.
  public static func error(_ status: Int, code: String, message: String) -> HTTPResponse {
    let body = "{\"error\":{\"code\":\(quoted(code)),\"message\":\(quoted(message))}}\n"
    return json(Array(body.utf8), status: status)
  }

  /// Whether status, content and headers are the same.
  public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
    left.status == right.status && left.contentType == right.contentType
      && left.body == right.body && left.embedding == right.embedding
      && left.headers.elementsEqual(right.headers) { $0.name == $1.name && $0.value == $1.value }
  }
}

/// A JSON string; what is not printable ASCII becomes a question mark.
func quoted(_ text: String) -> String {
  let inner = text.unicodeScalars.map { scalar -> String in
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case " "..."~": String(scalar)
    default: "?"
    }
  }
  return "\"" + inner.joined() + "\""
}
