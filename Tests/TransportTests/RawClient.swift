import Glibc
import Transport

/// A blocking TCP client, or one of TLS, that sends exactly the bytes that a test wants.
final class RawClient {
  struct Failed: Error { let what: String }

  struct Answer {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  struct Received: Equatable {
    let opcode: UInt8
    let payload: [UInt8]

    var closeCode: Int? {
      opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
    }
  }

  let descriptor: Int32
  let address: ListenAddress
  private(set) var tls: ClientTLS?
  private var buffer: [UInt8] = []
  /// How much of it is no longer to come.
  private var taken = 0
  private(set) var isAtEnd = false

  init(_ address: ListenAddress, receiveBuffer: Int32? = nil, secure: Bool = false) throws {
    self.address = address
    let family = address.isIPv6 ? AF_INET6 : AF_INET
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failed(what: "socket \(errno)") }
    self.descriptor = descriptor
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    }
    // A limit that only a failing test reaches.
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard connect() == 0 else { throw Failed(what: "connect \(errno)") }
    if secure { tls = try ClientTLS(descriptor) }
  }

  deinit { close(descriptor) }

  private func connect() -> Int32 {
    if address.isIPv6 {
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = address.port.bigEndian
      inet_pton(AF_INET6, address.host, &name.sin6_addr)
      return withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = address.port.bigEndian
    inet_pton(AF_INET, address.host, &name.sin_addr)
    return withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  // MARK: Bytes

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        tls?.send($0) ?? Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return }
      rest = rest.dropFirst(sent)
    }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Gets more bytes; `false` at the end of the stream.
  private func fill() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = tls?.receive(into: &chunk) ?? recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EAGAIN { throw Failed(what: "nothing came in 20 s") }
    // A reset is an end too.
    if count <= 0 { isAtEnd = true }
    if count > 0 {
      buffer.removeFirst(taken)
      taken = 0
      buffer += chunk[..<count]
    }
    return count > 0
  }

  func take(_ count: Int) throws -> [UInt8]? {
    while buffer.count - taken < count { if try !fill() { return nil } }
    defer { taken += count }
    return Array(buffer[taken..<taken + count])
  }

  /// All that comes until the end.
  func rest() throws -> [UInt8] {
    while try fill() {}
    defer { (buffer, taken) = ([], 0) }
    return Array(buffer[taken...])
  }

  // MARK: HTTP

  /// Reads a head, and unless it is 101 the body until the end of the stream.
  func answer() throws -> Answer? {
    let end = Array("\r\n\r\n".utf8)
    buffer.removeFirst(taken)
    taken = 0
    var found: Int?
    while found == nil {
      found = buffer.indices.first { buffer[$0...].starts(with: end) }
      if found == nil, try !fill() { return nil }
    }
    guard let found else { return nil }
    let head = String(decoding: buffer[..<found], as: UTF8.self)
    buffer.removeFirst(found + 4)
    let lines = head.split(separator: "\r\n")
    let status = Int(lines[0].split(separator: " ")[1]) ?? 0
    let headers = lines.dropFirst().map { line -> (name: String, value: String) in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (String(parts[0]), String(parts[1].drop { $0 == " " }))
    }
    return Answer(status: status, headers: headers, body: status == 101 ? [] : try rest())
  }

  // MARK: WebSocket

  /// The head of an upgrade, with lines changed, added, or taken out (`nil`).
  func upgradeHead(_ changes: [String: String?] = [:], path: String = "/ws", extra: String = "")
    -> String
  {
    var lines: [(String, String)] = [
      ("Host", address.description), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
      ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
      ("Sec-WebSocket-Protocol", "drawbolt.v1"),
    ]
    for (name, value) in changes {
      lines.removeAll { $0.0 == name }
      if let value { lines.append((name, value)) }
    }
    let text = lines.map { "\($0.0): \($0.1)\r\n" }.joined()
    return "GET \(path) HTTP/1.1\r\n" + text + extra + "\r\n"
  }

  func upgrade(_ changes: [String: String?] = [:]) throws -> Answer? {
    send(upgradeHead(changes))
    return try answer()
  }

  static func open(
    _ address: ListenAddress, receiveBuffer: Int32? = nil, secure: Bool = false
  ) throws -> RawClient {
    let client = try RawClient(address, receiveBuffer: receiveBuffer, secure: secure)
    guard try client.upgrade()?.status == 101 else { throw Failed(what: "no upgrade") }
    return client
  }

  static func frame(
    _ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, claimed: UInt64? = nil
  ) -> [UInt8] {
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    let length = claimed ?? UInt64(payload.count)
    var bytes = [(fin ? 0x80 : 0) | opcode]
    if length < 126 {
      bytes.append(0x80 | UInt8(length))
    } else {
      let size = length < 65_536 ? 2 : 8
      bytes.append(0x80 | (size == 2 ? 126 : 127))
      bytes += (0..<size).reversed().map { UInt8(truncatingIfNeeded: length >> UInt64($0 * 8)) }
    }
    bytes += mask
    for index in payload.indices { bytes.append(payload[index] ^ mask[index % 4]) }
    return bytes
  }

  func sendText(_ text: String) { send(Self.frame(1, Array(text.utf8))) }

  /// The next frame; `nil` at the end of the stream.
  func receive() throws -> Received? {
    guard let head = try take(2) else { return nil }
    if head[1] & 0x80 != 0 { throw Failed(what: "a masked frame") }
    var length = Int(head[1])
    if length >= 126 {
      guard let more = try take(length == 126 ? 2 : 8) else { return nil }
      length = more.reduce(0) { $0 << 8 | Int($1) }
    }
    guard let payload = try take(length) else { return nil }
    return Received(opcode: head[0] & 0x0f, payload: payload)
  }

  /// The next frame that is no ping.
  func receiveData() throws -> Received? {
    while let frame = try receive() { if frame.opcode != 9 { return frame } }
    return nil
  }

  /// Answers a close frame and waits for the end.
  func finishClosing(_ frame: Received) throws -> Bool {
    send(Self.frame(8, frame.payload))
    return try rest().isEmpty
  }
}
