/// A request's line and headers, read strictly: what this accepts has one meaning only.
///
/// RFC 9112 lets a recipient forgive much. Each forgiveness is a way for two programs to read one
/// request differently, so there is none here: lines end in CR LF, names have no blank before the
/// colon, values have no control byte (not even a tab), nothing is folded.
package struct RequestHead: Sendable, Equatable {
  /// The most bytes of a head, its final empty line included.
  package static let maximumBytes = 8192
  /// The most bytes of a target.
  package static let maximumTargetBytes = 2048
  /// The most header lines.
  package static let maximumFields = 64

  /// Where reading has got to.
  package enum Progress: Equatable {
    /// It goes on.
    case incomplete
    /// It ends before the byte at `length`.
    case complete(RequestHead, length: Int)
    /// It can't become a good one.
    case refused(Refusal)
  }

  /// What it asks for.
  package let method: HTTPRequest.Method
  /// The target as it came: printable ASCII that starts with a slash.
  package let target: [UInt8]
  /// Values by lower-case name, in the order in which they came.
  private let fields: [String: [[UInt8]]]

  /// Headers of which a second one would leave open which counts.
  private static let single: Set<String> = [
    "host", "origin", "upgrade", "content-length", "transfer-encoding", "sec-websocket-key",
    "sec-websocket-version", "authorization",
  ]

  /// Reads what has come so far; bytes after the head are left alone.
  package static func read(_ bytes: Span<UInt8>) -> Progress {
    if let first = bytes.indices.first, !isUppercase(bytes[first]) {
      return .refused(.malformed("it is not HTTP"))
    }
    guard let length = endOfHead(bytes) else {
      return bytes.count < maximumBytes ? .incomplete : .refused(.headTooLarge)
    }
    guard length <= maximumBytes else { return .refused(.headTooLarge) }
    do throws(Refusal) {
      return .complete(try RequestHead(lines: lines(bytes, upTo: length - 2)), length: length)
    } catch {
      return .refused(error)
    }
  }

  private init(lines: [[UInt8]]) throws(Refusal) {
    guard lines.count <= Self.maximumFields + 1 else { throw .headTooLarge }
    (method, target) = try Self.requestLine(lines[0])
    var fields: [String: [[UInt8]]] = [:]
    for line in lines.dropFirst() {
      let (name, value) = try Self.field(line)
      if Self.single.contains(name), fields[name] != nil { throw .doubled(name) }
      fields[name, default: []].append(value)
    }
    guard fields["host"] != nil else { throw .malformed("no Host") }
    self.fields = fields
  }

  /// The value of a header that came once, or the first one.
  package func value(_ name: String) -> [UInt8]? { fields[name]?.first }

  /// The elements of a comma-separated header, over all its lines, without blanks.
  package func elements(_ name: String) -> [[UInt8]] {
    (fields[name] ?? []).flatMap { $0.split(separator: UInt8(ascii: ",")) }
      .map { trimmed($0) }.filter { !$0.isEmpty }
  }

  /// Whether a header tells of a proxy.
  package var namesProxy: Bool {
    fields.keys.contains {
      $0 == "forwarded" || $0 == "via" || $0 == "x-real-ip" || $0.hasPrefix("x-forwarded-")
    }
  }

  /// Whether a body would follow.
  package var hasBody: Bool {
    if let length = value("content-length"), length != [UInt8(ascii: "0")] { return true }
    return value("transfer-encoding") != nil
  }

  /// The length of the body, where there may be one with any method: told in digits, up to a limit.
  ///
  /// - Throws: ``Refusal/lengthRequired`` for a method that comes with one, ``Refusal/body`` for one that
  ///   comes in chunks, ``Refusal/malformed(_:)``, ``Refusal/bodyTooLarge(limit:)``.
  package func bodyLength(upTo limit: Int) throws(Refusal) -> Int {
    if value("transfer-encoding") != nil { throw .body }
    guard let digits = value("content-length") else {
      if method == .post || method == .put { throw .lengthRequired }
      return 0
    }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformed("Content-Length")
    }
    // Leading zeros would be one more way to write a number.
    guard digits.count <= 9, digits.count == 1 || digits[0] != 0x30,
      let length = Int(String(decoding: digits, as: UTF8.self)), length <= limit
    else { throw .bodyTooLarge(limit: limit) }
    return length
  }
}

// MARK: - Grammar

extension RequestHead {
  /// The length of the head, or `nil` if its empty line has not come.
  private static func endOfHead(_ bytes: Span<UInt8>) -> Int? {
    var index = 3
    while index < bytes.count {
      if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13
      {
        return index + 1
      }
      index += 1
    }
    return nil
  }

  /// The lines before `end`, each without the CR LF that ends it.
  private static func lines(_ bytes: Span<UInt8>, upTo end: Int) -> [[UInt8]] {
    var lines: [[UInt8]] = [[]]
    var index = 0
    while index < end {
      if bytes[index] == 13, bytes[index + 1] == 10 {
        lines.append([])
        index += 2
      } else {
        lines[lines.count - 1].append(bytes[index])
        index += 1
      }
    }
    return lines.dropLast()
  }

  private static func requestLine(
    _ line: [UInt8]
  ) throws(Refusal) -> (HTTPRequest.Method, [UInt8]) {
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed("request line") }
    guard !parts[0].isEmpty, parts[0].allSatisfy(isToken) else { throw .malformed("method") }
    guard parts[2].starts(with: "HTTP/".utf8) else { throw .malformed("request line") }
    guard parts[2].elementsEqual("HTTP/1.1".utf8) else { throw .version }
    let method = HTTPRequest.Method(rawValue: String(decoding: parts[0], as: UTF8.self)) ?? .other
    guard parts[1].count <= maximumTargetBytes else { throw .targetTooLong }
    guard parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      !parts[1].contains(UInt8(ascii: "#"))
    else { throw method == .other ? .method : .malformed("target") }
    return (method, Array(parts[1]))
  }

  private static func field(_ line: [UInt8]) throws(Refusal) -> (name: String, value: [UInt8]) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
      line[..<colon].allSatisfy(isToken)
    else { throw .malformed("header name") }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
      throw .malformed("control byte in a header")
    }
    return (String(decoding: line[..<colon].map(lowercased), as: UTF8.self), trimmed(value))
  }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  let blank = UInt8(ascii: " ")
  guard let first = bytes.firstIndex(where: { $0 != blank }),
    let last = bytes.lastIndex(where: { $0 != blank })
  else { return [] }
  return Array(bytes[first...last])
}

/// Lower case for ASCII letters, anything else as it is.
func lowercased(_ byte: UInt8) -> UInt8 { isUppercase(byte) ? byte | 0x20 : byte }

private func isUppercase(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5a }

/// `tchar` of RFC 9110 §5.6.2.
private func isToken(_ byte: UInt8) -> Bool {
  switch byte {
  case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
