/// Whom a request through proxies comes from.
package enum ForwardedAddress {
  /// More hops than any path has are not read.
  package static let mostHops = 32

  /// The right-most hop that is none of our proxies; what is left of it anybody may have written.
  ///
  /// A peer that is no proxy is whom the request comes from, whatever it says. So is a proxy that names
  /// nobody, as when it asks for the server's health; one that names only proxies is the first of them.
  ///
  /// - Throws: ``Refusal/malformed(_:)`` if a hop up to that one is no address: a proxy that lets such a
  ///   thing through would have all its clients counted as one.
  package static func find(
    _ hops: [[UInt8]], from peer: ListenAddress, proxies: [AddressRange]
  ) throws(Refusal) -> ListenAddress {
    func isProxy(_ address: ListenAddress) -> Bool { proxies.contains { $0.contains(address) } }
    var last = peer
    guard hops.count <= mostHops else { throw .malformed("X-Forwarded-For") }
    for hop in hops.reversed() {
      guard isProxy(last) else { return last }
      last = try address(hop)
    }
    return last
  }

  /// A literal, an IPv4 one with a port, or an IPv6 one in brackets with or without a port.
  private static func address(_ hop: [UInt8]) throws(Refusal) -> ListenAddress {
    var text = String(decoding: hop, as: UTF8.self)
    if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
      text = String(text[...end])
    } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
      text = String(text[..<colon])
    }
    guard let address = ListenAddress(host: text, port: 0) else {
      throw .malformed("X-Forwarded-For")
    }
    return address.withoutMapping
  }
}

extension ListenAddress {
  /// An IPv4 address in IPv6 clothes, `::ffff:192.0.2.1`, without them.
  fileprivate var withoutMapping: ListenAddress {
    let mapped = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
    guard isIPv6, octets.starts(with: mapped) else { return self }
    return ListenAddress(octets: Array(octets[12...]), port: port)
  }
}
