import Glibc

/// An address that can be listened on or that a peer has: an IPv4 or IPv6 literal and a port.
///
/// There are no names here: looking one up could block the loop, and a name is no promise.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address in network order: 4 bytes for IPv4, 16 for IPv6.
  package let octets: [UInt8]
  /// The port; 0 lets the system choose one.
  public let port: UInt16

  /// Reads an IPv4 or IPv6 literal such as `127.0.0.1`, `::1` or `[::1]`; `nil` if it is none.
  public init?(host: String, port: UInt16) {
    let bracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let inner = bracketed ? String(host.dropFirst().dropLast()) : host
    var four = in_addr()
    var six = in6_addr()
    if unsafe inet_pton(AF_INET, inner, &four) == 1 {
      octets = unsafe withUnsafeBytes(of: &four) { unsafe Array($0) }
    } else if unsafe inet_pton(AF_INET6, inner, &six) == 1 {
      octets = unsafe withUnsafeBytes(of: &six) { unsafe Array($0) }
    } else {
      return nil
    }
    self.port = port
  }

  package init(octets: [UInt8], port: UInt16) {
    precondition(octets.count == 4 || octets.count == 16)
    self.octets = octets
    self.port = port
  }

  /// Whether it is an IPv6 address.
  public var isIPv6: Bool { octets.count == 16 }

  /// Whether only this machine can reach it: 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    isIPv6 ? octets.dropLast().allSatisfy { $0 == 0 } && octets[15] == 1 : octets[0] == 127
  }

  /// The same address with another port.
  public func with(port: UInt16) -> ListenAddress { ListenAddress(octets: octets, port: port) }

  /// The literal without the port and without brackets.
  public var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = isIPv6 ? AF_INET6 : AF_INET
    let length = socklen_t(text.count)
    guard unsafe inet_ntop(family, octets, &text, length) != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The form used in a URL: `127.0.0.1:8080` or `[::1]:8080`.
  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// What limits count by: the whole IPv4 address, or the /64 of an IPv6 one.
  ///
  /// A single subscriber usually gets a whole /64. Loopback is one: whoever is on this machine may
  /// take any address of 127.0.0.0/8.
  public var limitKey: AddressKey { AddressKey(self) }
}

/// The part of an address that limits are counted by: IPv4 /32, IPv6 /64, this machine.
public struct AddressKey: Hashable, Sendable {
  /// Never 0.
  ///
  /// IPv4 stands behind the prefix of IPv6 multicast, which no peer can have.
  public let number: UInt64

  init(_ address: ListenAddress) {
    let octets = address.isLoopback ? [127, 0, 0, 1] : address.octets.prefix(8)
    let prefix: UInt64 = octets.count == 8 ? 0 : 0xff00_0000
    number = max(1, octets.reduce(prefix) { $0 << 8 | UInt64($1) })
  }
}
