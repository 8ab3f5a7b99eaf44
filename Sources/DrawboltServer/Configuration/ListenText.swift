import Transport

/// `ADDRESS:PORT` of a listener: `127.0.0.1:8080` or `[::1]:8080`.
struct ListenText: Equatable, Sendable {
  let address: String
  let port: UInt16

  /// Reads it; nil if it has another form.
  static func parse(_ text: String) -> ListenText? {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      let address = String(host.dropFirst().dropLast())
      return address.contains(":") ? ListenText(address: address, port: port) : nil
    }
    return host.isEmpty || host.contains(":")
      ? nil : ListenText(address: String(host), port: port)
  }

  /// As the transport takes it; nil if it is no address, such as `127.0.0.01` or a name.
  var socket: ListenAddress? { ListenAddress(host: address, port: port) }

  /// Whether only this machine can reach it.
  var isLoopback: Bool {
    address == "::1"
      || address.split(separator: ".", omittingEmptySubsequences: false).count == 4
        && address.hasPrefix("127.")
        && address.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
  }
}
