/// Addresses with the same beginning: `10.0.0.0/8`, `fd00::/8`, or a single one.
public struct AddressRange: Sendable, Equatable {
  private let network: [UInt8]
  private let prefix: Int

  /// Reads a literal with or without the length of its prefix; nil if it is none, or if bits are set
  /// behind the prefix, since then it is not clear what was meant.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let address = ListenAddress(host: String(parts[0]), port: 0),
      !parts[0].hasPrefix("[")
    else { return nil }
    let most = address.octets.count * 8
    let prefix = parts.count == 2 ? Self.number(parts[1]) : most
    guard let prefix, prefix <= most else { return nil }
    guard (prefix..<most).allSatisfy({ !address.octets.bit($0) }) else { return nil }
    network = address.octets
    self.prefix = prefix
  }

  private static func number(_ text: Substring) -> Int? {
    guard (1...3).contains(text.utf8.count),
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// Whether an address is one of them.
  public func contains(_ address: ListenAddress) -> Bool {
    address.octets.count == network.count
      && (0..<prefix).allSatisfy { address.octets.bit($0) == network.bit($0) }
  }
}

extension [UInt8] {
  /// The bit at an index, counted from the first byte's highest.
  fileprivate func bit(_ index: Int) -> Bool { self[index / 8] >> (7 - index % 8) & 1 == 1 }
}
