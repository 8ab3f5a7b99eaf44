/// Where a page comes from, as browsers write it: `https://shop.example` or `http://127.0.0.1:9000`.
///
/// It stands in headers and is compared as bytes, so it has small letters and nothing that would end a
/// header's value or begin another.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The longest host with its port, in bytes.
  public static let longestHost = 255

  /// The origin's text.
  public let text: String

  /// Reads `SCHEME://HOST` or `SCHEME://HOST:PORT`; nil for anything else, such as `null`.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(isSmallLetter),
      parts[1].hasPrefix("//"), Self.isHost(String(parts[1].dropFirst(2)))
    else { return nil }
    self.text = text
  }

  /// Whether the text can be a host with or without a port.
  public static func isHost(_ text: String) -> Bool {
    (1...longestHost).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        isSmallLetter($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
          || ".:[]-".utf8.contains($0)
      }
  }

  /// The origin's text.
  public var description: String { text }
}

private func isSmallLetter(_ byte: UInt8) -> Bool {
  UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
}
