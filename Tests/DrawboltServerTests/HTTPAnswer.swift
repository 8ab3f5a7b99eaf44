/// A whole answer to one request.
struct HTTPAnswer {
  let status: Int
  let head: String
  let body: String

  init(_ socket: Socket) throws {
    guard let head = try socket.head() else { throw Failed("no answer") }
    self.head = head
    status = Int(head.split(separator: " ")[1]) ?? 0
    body = String(decoding: try socket.rest(), as: UTF8.self)
  }

  static func get(_ port: UInt16, _ path: String) throws -> HTTPAnswer {
    let socket = try Socket(port)
    socket.send(Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
    return try HTTPAnswer(socket)
  }

  /// Any request, with an administrator's token if there is one.
  static func ask(
    _ port: UInt16, _ method: String, _ path: String, token: String? = nil, body: String? = nil
  ) throws -> HTTPAnswer {
    let socket = try Socket(port)
    var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"]
    if let token { lines.append("Authorization: Bearer \(token)") }
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    socket.send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8))
    return try HTTPAnswer(socket)
  }

  /// The body as an object.
  var object: Message { get throws { try Message(Array(body.utf8)) } }
}
