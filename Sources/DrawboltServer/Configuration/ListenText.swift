import Transport

/// `ADDRESS:PORT` of a listener: `127.0.0.1:8080` or `[::1]:8080`.
struct ListenText: Equatable, Sendable {
  let address: String
  let port: UInt16

  /// Reads it; nil if it has another form.
  static func parse(_ text: String) -> ListenText? { try? read(text) }

  /// What is wrong with its form; nil if nothing is.
  static func mistake(in text: String) -> String? {
    do throws(Misread) { _ = try read(text) } catch { return error.reason }
    return nil
  }

  /// What is wrong with addresses given as `10.0.0.0/8` or one by one; nil if nothing is.
  static func mistake(inRange text: String) -> String? {
    AddressRange(text) == nil
      ? "it takes an address, or one with the bits of its prefix and no others set" : nil
  }

  private struct Misread: Error { let reason: String }

  private static func read(_ text: String) throws(Misread) -> ListenText {
    if text.contains("://") { throw Misread(reason: "leave out what stands before the address") }
    if text.hasSuffix("/") { throw Misread(reason: "leave out the slash at its end") }
    guard let colon = text.lastIndex(of: ":") else {
      let isPort = !text.isEmpty && text.allSatisfy(\.isNumber)
      throw Misread(reason: isPort ? "there is no address" : "there is no port")
    }
    let digits = text[text.index(after: colon)...]
    guard let port = UInt16(digits) else {
      let isNumber = !digits.isEmpty && digits.allSatisfy(\.isNumber)
      throw Misread(reason: isNumber ? "a port is at most 65535" : "the port is no number")
    }
    return ListenText(address: try address(text[..<colon]), port: port)
  }

  private static func address(_ host: Substring) throws(Misread) -> String {
    if host.hasPrefix("["), host.hasSuffix("]"), host.contains(":") {
      return String(host.dropFirst().dropLast())
    }
    if host.isEmpty || host == "[]" { throw Misread(reason: "there is no address") }
    if host == "localhost" { throw Misread(reason: "write 127.0.0.1 for localhost") }
    if host.contains(":") { throw Misread(reason: "an IPv6 address stands in [ and ]") }
    if host.hasPrefix("[") { throw Misread(reason: "only an IPv6 address stands in [ and ]") }
    return String(host)
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
