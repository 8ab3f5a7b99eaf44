/// The rules that every request must pass before anything is done with it.
///
/// It is pure: a head goes in, a ruling comes out. Where the head's bytes came from does not matter,
/// so the same border stands behind TLS.
package struct Border: Sendable {
  /// The one path that becomes a WebSocket.
  package static let webSocketPath = "/ws"

  /// What is to be done with a request.
  package enum Ruling: Equatable {
    /// Make it a WebSocket with this subprotocol; the key is checked.
    case upgrade(subprotocol: Int, key: [UInt8])
    /// Answer it, after a body of this length.
    case serve(path: String, query: String?, body: Int = 0)
    /// Answer it with this.
    case refuse(Refusal)
  }

  private let kind: ListenerKind
  private let hosts: [[UInt8]]
  private let origins: [[UInt8]]
  private let subprotocols: [[UInt8]]
  private let sharedFiles: Set<String>
  private let bodies: BodyRule?

  /// The border of one listener.
  package init(
    kind: ListenerKind, names: BorderNames, subprotocols: [String],
    sharedFiles: Set<String> = [], bodies: BodyRule? = nil
  ) {
    self.kind = kind
    hosts = names.hosts.map { Array($0.utf8) }
    origins = names.origins.map { Array($0.utf8) }
    self.subprotocols = subprotocols.map { Array($0.utf8) }
    self.sharedFiles = sharedFiles
    self.bodies = bodies
  }

  /// Rules on a request whose head is well-formed.
  ///
  /// - Parameters:
  ///   - head: the request.
  ///   - isByProxy: whether one of our proxies sent it.
  ///   - isWelcome: whether an origin that is not among the listener's own may open a WebSocket.
  /// - Returns: what is to be done with it.
  package func judge(
    _ head: RequestHead, isByProxy: Bool = false, isWelcome: (String) -> Bool = { _ in false }
  ) -> Ruling {
    do throws(Refusal) {
      guard let host = head.value("host"), hosts.contains(host) else { throw .host }
      let (path, query) = try Self.location(head.target)
      let isWebSocket = kind == .site && path == Self.webSocketPath
      if let origin = head.value("origin"), !origins.contains(origin) {
        // Nothing is told to a page by what everybody may load.
        let isShared = kind == .site && sharedFiles.contains(path)
        guard isShared || isWebSocket && Self.text(origin).map(isWelcome) == true else {
          throw .origin
        }
      }
      if !isByProxy, head.namesProxy { throw .proxy }
      if let bodies, path.hasPrefix(bodies.prefix), head.value("upgrade") == nil {
        let length = try head.bodyLength(upTo: bodies.maximumBytes)
        return .serve(path: path, query: query, body: length)
      }
      guard head.method.isSafe else { throw .method }
      if head.hasBody { throw .body }
      guard isWebSocket else {
        if head.value("upgrade") != nil { throw .upgrade("not on this path") }
        return .serve(path: path, query: query)
      }
      // Addresses are written down in many places, so what is secret must not be in one.
      if query != nil { throw .query }
      return .upgrade(subprotocol: try chosenSubprotocol(head), key: try checkedKey(head))
    } catch {
      return .refuse(error)
    }
  }

  private static func text(_ bytes: [UInt8]) -> String? {
    String(validating: bytes, as: UTF8.self)
  }

  /// RFC 6455 §4.2.1, without its leniencies.
  private func checkedKey(_ head: RequestHead) throws(Refusal) -> [UInt8] {
    guard head.method == .get else { throw .method }
    guard let upgrade = head.value("upgrade") else { throw .upgradeRequired }
    guard upgrade.map(lowercased) == Array("websocket".utf8) else {
      throw .upgrade("not WebSocket")
    }
    guard
      head.elements("connection").contains(where: { $0.map(lowercased) == Array("upgrade".utf8) })
    else { throw .upgrade("Connection does not say Upgrade") }
    guard head.value("sec-websocket-version") == Array("13".utf8) else { throw .webSocketVersion }
    guard let key = head.value("sec-websocket-key"), isKey(key) else {
      throw .upgrade("the key is not 16 bytes in Base64")
    }
    return key
  }

  /// The first of the client's list that is spoken here; having none at all is refused too.
  private func chosenSubprotocol(_ head: RequestHead) throws(Refusal) -> Int {
    guard head.value("upgrade") != nil else { throw .upgradeRequired }
    for offer in head.elements("sec-websocket-protocol") {
      if let index = subprotocols.firstIndex(of: offer) { return index }
    }
    throw .subprotocol
  }

  private func isKey(_ key: [UInt8]) -> Bool {
    guard key.count == 24, key.hasSuffix("==") else { return false }
    return key.dropLast(2).allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "+"), UInt8(ascii: "/"): true
      default: false
      }
    }
  }
}

/// Where requests may have bodies, and all methods are let through.
public struct BodyRule: Sendable, Equatable {
  /// What such a path begins with.
  public var prefix: String
  /// The longest body.
  public var maximumBytes: Int
  /// Milliseconds from its head until a body must have come.
  public var time: Int

  /// Makes a rule.
  public init(prefix: String, maximumBytes: Int = 16_384, time: Int = 5000) {
    self.prefix = prefix
    self.maximumBytes = maximumBytes
    self.time = time
  }
}

extension Border {
  /// Path and query of a target; the path decoded, with no dot segment and no control byte in it.
  static func location(_ target: [UInt8]) throws(Refusal) -> (path: String, query: String?) {
    let mark = target.firstIndex(of: UInt8(ascii: "?"))
    let query = mark.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }
    let bytes = try percentDecoded(target[..<(mark ?? target.endIndex)])
    guard let path = String(validating: bytes, as: UTF8.self) else { throw .malformed("target") }
    let segments = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !segments.contains("."), !segments.contains("..") else { throw .malformed("target") }
    return (path, query)
  }

  private static func percentDecoded(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(hexValue),
        let low = rest.popFirst().flatMap(hexValue)
      else { throw .malformed("target") }
      let value = high << 4 | low
      guard value >= 0x20, value != 0x7f else { throw .malformed("control byte in the target") }
      decoded.append(value)
    }
    return decoded
  }

  private static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ text: StaticString) -> Bool {
    let tail = Array(String(describing: text).utf8)
    return count >= tail.count && suffix(tail.count).elementsEqual(tail)
  }
}
