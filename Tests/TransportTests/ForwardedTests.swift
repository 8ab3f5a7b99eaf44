import TestSupport
import Testing
import Transport

/// Whom limits by address count behind proxies.
@Suite(.waiting) struct ForwardedTests {
  private static func ranges(_ texts: String...) throws -> [AddressRange] {
    try texts.map { try #require(AddressRange($0)) }
  }

  /// What is found for hops as a header has them; nil if they are refused.
  private func find(_ hops: String, from peer: String, _ proxies: [AddressRange]) throws -> String?
  {
    let list = hops.split(separator: ",").map { Array($0.utf8) }
    do throws(Refusal) {
      return try ForwardedAddress.find(list, from: try peerAddress(peer), proxies: proxies).host
    } catch {
      #expect(error == .malformed("X-Forwarded-For"))
      return nil
    }
  }

  private func peerAddress(_ text: String) throws(Refusal) -> ListenAddress {
    guard let address = ListenAddress(host: text, port: 9) else { throw .malformed(text) }
    return address
  }

  @Test("a range holds the addresses with its prefix, of its own kind, and no others")
  func range() throws {
    for (text, inside, outside) in [
      ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0", "::a00:1"]),
      ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]),
      ("192.0.2.6/31", ["192.0.2.6", "192.0.2.7"], ["192.0.2.5", "192.0.2.8"]),
      ("0.0.0.0/0", ["0.0.0.0", "255.255.255.255"], ["::", "::1"]),
      ("fd00::/8", ["fd00::", "fdff::1"], ["fc00::1", "fe00::"]),
      ("2001:db8::/33", ["2001:db8:7fff::1"], ["2001:db8:8000::1"]),
    ] {
      let range = try #require(AddressRange(text))
      for host in inside { #expect(range.contains(try peerAddress(host)), "\(text) \(host)") }
      for host in outside { #expect(!range.contains(try peerAddress(host)), "\(text) \(host)") }
    }
  }

  @Test(
    "what is no range, or could mean two, is none",
    arguments: [
      "", "/", "10.0.0.0/", "/8", "10.0.0.0/33", "::/129", "10.0.0.1/8", "10.0.0.0/-1",
      "10.0.0.0/+8",
      "10.0.0.0/8/8", "localhost", "[::1]", "10.0.0.0/ 8", "10.0.0.0/0008", "10.0/8", "fd00::1/8",
    ])
  func noRange(text: String) { #expect(AddressRange(text) == nil) }

  @Test("the right-most hop that is no proxy counts, whatever stands before it")
  func rightMost() throws {
    let proxies = try Self.ranges("10.0.0.0/8", "fd00::/8")
    for (hops, found) in [
      ("203.0.113.9", "203.0.113.9"), ("1.1.1.1,203.0.113.9", "203.0.113.9"),
      ("evil,203.0.113.9,10.1.1.1", "203.0.113.9"), ("203.0.113.9,10.1.1.1,fd00::1", "203.0.113.9"),
      ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::1]:4711", "2001:db8::1"),
      ("2001:db8::1", "2001:db8::1"), ("::ffff:203.0.113.9", "203.0.113.9"),
      ("10.2.2.2,10.3.3.3", "10.2.2.2"), ("", "10.0.0.1"),
    ] {
      #expect(try find(hops, from: "10.0.0.1", proxies) == found, "\(hops)")
    }
  }

  @Test("a peer that is no proxy is who it is")
  func noProxy() throws {
    let proxies = try Self.ranges("10.0.0.0/8")
    #expect(try find("203.0.113.9", from: "192.0.2.1", proxies) == "192.0.2.1")
    #expect(try find("10.0.0.1", from: "192.0.2.1", proxies) == "192.0.2.1")
    #expect(try find("203.0.113.9", from: "10.0.0.1", []) == "10.0.0.1")
  }

  @Test(
    "a hop that is no address is refused, if it would count",
    arguments: ["unknown", "_hidden", "1.2.3", "1.2.3.4.5", "[::1", "::1]", "1.2.3.4:5:6:7", "a b"])
  func malformed(hop: String) throws {
    let proxies = try Self.ranges("10.0.0.0/8")
    #expect(try find("203.0.113.9,\(hop)", from: "10.0.0.1", proxies) == nil)
    #expect(try find("\(hop),203.0.113.9", from: "10.0.0.1", proxies) == "203.0.113.9")
  }

  @Test("as many hops as a path may have are read, one more is refused")
  func hops() throws {
    let proxies = try Self.ranges("10.0.0.0/8")
    let most = ForwardedAddress.mostHops
    let path = Array(repeating: "10.1.1.1", count: most - 1)
    func find(_ path: [String]) throws -> String? {
      try self.find(path.joined(separator: ","), from: "10.0.0.1", proxies)
    }
    #expect(try find(["203.0.113.9"] + path) == "203.0.113.9")
    #expect(try find(["203.0.113.9", "10.1.1.1"] + path) == nil)
  }

  @Test("behind a proxy each address has its own limit, and its place back when it leaves")
  func limits() throws {
    let server = try TestServer {
      $0.proxies = [AddressRange("127.0.0.0/8")].compactMap(\.self)
      $0.maximumConnectionsPerAddress = 2
    }
    func connect(_ address: String) throws -> (RawClient, Int?) {
      let client = try RawClient(server.site)
      return (client, try client.upgrade(["X-Forwarded-For": "7.7.7.7, \(address)"])?.status)
    }
    var open: [RawClient] = []
    for address in ["203.0.113.9", "198.51.100.7"] {
      for _ in 0..<2 {
        let (client, status) = try connect(address)
        #expect(status == 101)
        open.append(client)
      }
      #expect(try connect(address).1 == 429)
    }
    #expect(server.statistics.refusedByAddress == 2)
    let peers = server.journal.wait { events in
      let peers = events.compactMap {
        if case .opened(let opening) = $0 { opening.peer.host } else { nil }
      }
      return peers.count == 4 ? peers : nil
    }
    #expect(peers == ["203.0.113.9", "203.0.113.9", "198.51.100.7", "198.51.100.7"])
    open.removeFirst()
    #expect(server.journal.firstClosing() == .lost)
    #expect(try connect("203.0.113.9").1 == 101)
    #expect(try connect("nobody").1 == 400)
  }
}
