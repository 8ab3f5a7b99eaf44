import Foundation

/// A TCP connection whose reads end after a time that only a failing test reaches.
final class Socket {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects to 127.0.0.1.
  init(_ port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Failed("connect \(errno)") }
  }

  deinit { close(descriptor) }

  /// Makes the end of the connection a reset.
  func resetOnClose() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return }
      rest = rest.dropFirst(sent)
    }
  }

  private func fill() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EAGAIN { throw Failed("nothing came in 30 s") }
    if count > 0 { buffer += chunk[..<count] }
    return count > 0
  }

  /// So many bytes, or nil at the end of the stream.
  func take(_ count: Int) throws -> [UInt8]? {
    while buffer.count < count { if try !fill() { return nil } }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  /// The head of an HTTP answer.
  func head() throws -> String? {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let byte = try take(1) else { return nil }
      head += byte
    }
    return String(decoding: head, as: UTF8.self)
  }

  /// All until the end of the stream.
  func rest() throws -> [UInt8] {
    while try fill() {}
    defer { buffer = [] }
    return buffer
  }
}

/// One JSON message of the server.
struct Message: CustomStringConvertible {
  let text: String
  private let fields: [String: Any]

  init(_ bytes: [UInt8]) throws {
    text = String(decoding: bytes, as: UTF8.self)
    guard let fields = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
      throw Failed("no object: \(text)")
    }
    self.fields = fields
  }

  var type: String { self["type"] ?? "" }
  var path: [Int] { self["path"] ?? [] }
  var description: String { text }

  subscript<Value>(_ name: String) -> Value? { fields[name] as? Value }
}

/// A WebSocket client that says exactly what a test wants.
final class Client {
  enum Received {
    case text(Message)
    case binary([UInt8])
    case close(Int)
    case end
  }

  let socket: Socket
  /// All JSON messages that came, in order.
  private(set) var heard: [Message] = []

  init(
    _ server: TestServer, _ subprotocol: String = "drawbolt.v1.json", origin: String? = nil
  ) throws {
    socket = try Self.upgrading(server, subprotocol, origin: origin)
    guard let head = try socket.head(), head.hasPrefix("HTTP/1.1 101 ") else {
      throw Failed("no upgrade")
    }
  }

  /// A connection that has asked for the upgrade.
  static func upgrading(
    _ server: TestServer, _ subprotocol: String = "drawbolt.v1.json", origin: String? = nil
  ) throws -> Socket {
    let socket = try Socket(server.port)
    let lines =
      [
        "GET /ws HTTP/1.1", "Host: 127.0.0.1:\(server.port)", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: \(subprotocol)",
      ] + (origin.map { ["Origin: \($0)"] } ?? []) + ["", ""]
    socket.send(Array(lines.joined(separator: "\r\n").utf8))
    return socket
  }

  private func send(_ opcode: UInt8, _ payload: [UInt8]) { socket.send(frame(opcode, payload)) }

  private func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let mask: [UInt8] = [0x5a, 0x12, 0xc3, 0x77]
    var bytes: [UInt8] = [0x80 | opcode]
    if payload.count < 126 {
      bytes.append(0x80 | UInt8(payload.count))
    } else {
      bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    }
    bytes += mask
    for index in payload.indices { bytes.append(payload[index] ^ mask[index % 4]) }
    return bytes
  }

  func say(_ text: String) { send(1, Array(text.utf8)) }
  func say(_ bytes: [UInt8]) { send(2, bytes) }
  /// All at once, so that the server reads them before anything else happens.
  func say(_ texts: [String]) { socket.send(texts.flatMap { frame(1, Array($0.utf8)) }) }

  /// The next that is no ping; a close frame is answered.
  func next() throws -> Received {
    while true {
      guard let head = try socket.take(2) else { return .end }
      var length = Int(head[1])
      if length >= 126 {
        guard let more = try socket.take(length == 126 ? 2 : 8) else { return .end }
        length = more.reduce(0) { $0 << 8 | Int($1) }
      }
      guard let payload = try socket.take(length) else { return .end }
      switch head[0] & 0x0f {
      case 1:
        let message = try Message(payload)
        heard.append(message)
        return .text(message)
      case 2: return .binary(payload)
      case 8:
        send(8, payload)
        return .close(payload.count < 2 ? 0 : Int(payload[0]) << 8 | Int(payload[1]))
      case 9: send(10, payload)
      default: break
      }
    }
  }

  /// The next message of this type that fits; what comes before it is passed over.
  @discardableResult
  func message(_ type: String, where fits: (Message) -> Bool = { _ in true }) throws -> Message {
    let end = Patience.end
    while true {
      switch try next() {
      case .text(let message) where message.type == type && fits(message): return message
      case .text, .binary: try Patience.check(end, type)
      case .close(let code): throw Failed("closed with \(code), not \(type)")
      case .end: throw Failed("the end, not \(type)")
      }
    }
  }

  /// The next state with this phase.
  @discardableResult
  func state(_ phase: String, where fits: (Message) -> Bool = { _ in true }) throws -> Message {
    try message("state") { $0["phase"] == phase && fits($0) }
  }

  /// The next binary frame that fits.
  func binary(where fits: ([UInt8]) -> Bool) throws -> [UInt8] {
    let end = Patience.end
    while true {
      switch try next() {
      case .binary(let bytes) where fits(bytes): return bytes
      case .text, .binary: try Patience.check(end, "binary frame")
      case .close(let code): throw Failed("closed with \(code)")
      case .end: throw Failed("the end")
      }
    }
  }

  /// The code that the server closes with.
  func closeCode() throws -> Int {
    let end = Patience.end
    while true {
      switch try next() {
      case .text, .binary: try Patience.check(end, "close frame")
      case .close(let code): return code
      case .end: throw Failed("the end without a close frame")
      }
    }
  }

  // MARK: What clients say

  func hello(_ room: String, _ role: String, _ more: String = "") {
    say(#"{"type":"hello","room":"\#(room)","role":"\#(role)"\#(more)}"#)
  }

  /// A member of the room.
  static func join(
    _ server: TestServer, _ room: String, _ role: String, _ more: String = "",
    subprotocol: String = "drawbolt.v1.json"
  ) throws -> (client: Client, welcome: Message) {
    let client = try Client(server, subprotocol)
    client.hello(room, role, more)
    return (client, try client.message("welcome"))
  }

  func samples(_ stroke: Int, _ action: String, _ nodes: [Int]) {
    let points = nodes.map { node in
      let (x, y) = (Double(node % 3 * 2 + 1) / 6, Double(node / 3 * 2 + 1) / 6)
      return "[8,\(String(format: "%.4f,%.4f", x, y))]"
    }
    say(
      #"{"type":"samples","stroke":\#(stroke),"action":"\#(action)","points":[\#(points.joined(separator: ","))]}"#
    )
  }

  /// A whole stroke through these nodes of a 3×3 pad.
  func draw(_ stroke: Int, _ nodes: [Int]) {
    samples(stroke, "press", Array(nodes.prefix(1)))
    if nodes.count > 1 { samples(stroke, "move", Array(nodes.dropFirst())) }
    samples(stroke, "release", Array(nodes.suffix(1)))
  }

  /// Draws, and waits for what the drawer is told.
  func attempt(_ stroke: Int, _ nodes: [Int]) throws -> Message {
    draw(stroke, nodes)
    return try message("verdict") { $0["stroke"] == stroke }
  }
}

/// Codes of the demo lock and others.
enum Codes {
  static let demo = [1, 4, 7, 8, 5]
  /// Five wrong ones, all different, since the same wrong code again is not counted.
  static let wrong = [[0, 1, 2, 5], [0, 1, 2, 4], [0, 1, 4, 3], [0, 3, 6, 7], [0, 3, 4, 5]]
}
