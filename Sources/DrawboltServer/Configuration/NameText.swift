import PadModel

/// Hosts and origins as they are configured.
///
/// They stand in headers, where a line end or a semicolon would say more than a name.
enum NameText {
  /// What is wrong with a host, `HOST:PORT`; nil if it is one.
  static func mistake(inHost text: String) -> String? {
    if text.isEmpty { return "there is no host" }
    if text.contains("://") { return "leave out what stands before the host" }
    if text.hasSuffix("/") { return "leave out the slash at its end" }
    let longest = WebOrigin.longestHost
    if text.utf8.count > longest { return "it has more than \(longest) bytes" }
    if text.contains(where: \.isUppercase) { return "write it in lower case" }
    return WebOrigin.isHost(text) ? nil : "a host has letters a to z, digits, dots and hyphens only"
  }

  /// What is wrong with an origin, `SCHEME://HOST:PORT`; nil if it is one.
  static func mistake(inOrigin text: String) -> String? {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].hasPrefix("//"), !parts[0].isEmpty else {
      return "it begins with no scheme, such as https://"
    }
    if text.contains(where: \.isUppercase) { return "write it in lower case" }
    guard parts[0].utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }) else {
      return "a scheme has letters only"
    }
    return mistake(inHost: String(parts[1].dropFirst(2)))
  }
}
