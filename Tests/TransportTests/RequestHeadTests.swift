import TestSupport
import Testing
import Transport

/// The reader of request heads and the border behind it, without sockets.
@Suite(.waiting) struct RequestHeadTests {
  static let head =
    "GET /ws HTTP/1.1\r\nHost: localhost:8080\r\nUpgrade: websocket\r\n"
    + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: a, drawbolt.v1\r\n"
    + "Origin: http://localhost:8080\r\n\r\n"

  static let border = Border(
    kind: .site, names: .loopback(port: 8080), subprotocols: ["drawbolt.v1"])

  private func read(_ bytes: [UInt8]) -> RequestHead.Progress { RequestHead.read(bytes.span) }

  @Test("every prefix of a good head is incomplete, and what follows it is left alone")
  func prefixes() {
    let bytes = Array(Self.head.utf8)
    for count in 0..<bytes.count { #expect(read(Array(bytes[..<count])) == .incomplete) }
    for tail in [[], [0x82, 0x80, 1, 2, 3, 4], Array("GET / HTTP/1.1\r\n\r\n".utf8)] {
      guard case .complete(let head, let length) = read(bytes + tail) else {
        Issue.record("not complete")
        continue
      }
      #expect(length == bytes.count)
      #expect(head.method == .get)
      #expect(head.target == Array("/ws".utf8))
      let key = Array("dGhlIHNhbXBsZSBub25jZQ==".utf8)
      #expect(Self.border.judge(head) == .upgrade(subprotocol: 0, key: key))
    }
  }

  @Test("every change of one byte gives a ruling or a refusal, and no foreign name gets in")
  func mutations() {
    let bytes = Array(Self.head.utf8)
    var upgrades = 0
    for index in bytes.indices {
      for value in UInt8.min...UInt8.max where value != bytes[index] {
        var changed = bytes
        changed[index] = value
        guard case .complete(let head, _) = read(changed) else { continue }
        let ruling = Self.border.judge(head)
        guard case .upgrade = ruling else { continue }
        upgrades += 1
        #expect(head.value("host") == Array("localhost:8080".utf8))
        #expect([nil, Array("http://localhost:8080".utf8)].contains(head.value("origin")))
      }
    }
    #expect(upgrades > 0)
  }

  @Test("every byte left out, and every byte doubled, gives a ruling or a refusal")
  func editing() {
    let bytes = Array(Self.head.utf8)
    for index in bytes.indices {
      var less = bytes
      less.remove(at: index)
      var more = bytes
      more.insert(bytes[index], at: index)
      for changed in [less, more] {
        guard case .complete(let head, _) = read(changed) else { continue }
        if case .upgrade = Self.border.judge(head) {
          #expect(head.value("host") == Array("localhost:8080".utf8))
        }
      }
    }
  }

  @Test("a head of exactly the largest size is read, one byte more is not")
  func size() {
    func padded(to count: Int) -> [UInt8] {
      let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
      let filler = String(repeating: "x", count: count - start.utf8.count - 4)
      return Array((start + filler + "\r\n\r\n").utf8)
    }
    guard case .complete(_, let length) = read(padded(to: RequestHead.maximumBytes)) else {
      Issue.record("the largest head was refused")
      return
    }
    #expect(length == RequestHead.maximumBytes)
    #expect(read(padded(to: RequestHead.maximumBytes + 1)) == .refused(.headTooLarge))
    let endless = [UInt8](repeating: 0x41, count: RequestHead.maximumBytes)
    #expect(read(endless) == .refused(.headTooLarge))
  }

  @Test(
    "targets are decoded, and dot segments refused in every spelling",
    arguments: [
      ("/", "/"), ("/a%20b", "/a b"), ("/%C3%A9", "/é"), ("/a/%2e%2e/b", nil), ("/../x", nil),
      ("/%2E/x", nil), ("/..", nil), ("/a..b", "/a..b"), ("/%", nil), ("/%zz", nil),
      ("/%1f", nil), ("/%7F", nil), ("/%c3", nil), ("/a%2fb", "/a/b"),
      ("/%252e%252e/x", "/%2e%2e/x"),
    ] as [(String, String?)])
  func targets(_ target: String, _ path: String?) {
    let bytes = Array("GET \(target) HTTP/1.1\r\nHost: localhost:8080\r\n\r\n".utf8)
    guard case .complete(let head, _) = read(bytes) else {
      Issue.record("not complete")
      return
    }
    let ruling = Self.border.judge(head)
    if let path {
      #expect(ruling == .serve(path: path, query: nil))
    } else if case .refuse(let refusal) = ruling, case .malformed = refusal {
    } else {
      Issue.record("\(target) gave \(ruling)")
    }
  }

  @Test("the loopback names leave the port out only where browsers do")
  func loopbackNames() {
    #expect(
      BorderNames.loopback(port: 8080).hosts
        == ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"])
    #expect(BorderNames.loopback(port: 80).origins.contains("http://localhost"))
    #expect(BorderNames.loopback(port: 80).hosts.contains("localhost:80"))
  }
}

@Suite(.waiting) struct AdmissionTests {
  private let second: UInt64 = 1_000_000_000

  private func admission(_ change: (inout TransportConfiguration) -> Void) -> Admission {
    var configuration = TransportConfiguration()
    change(&configuration)
    return Admission(configuration)
  }

  @Test("a burst, then so many a second")
  func rate() throws {
    let admission = admission {
      $0.acceptBurst = 5
      $0.acceptsPerSecond = 2
    }
    let peer = try address("192.0.2.7", port: 1)
    let start = 100 * second
    for _ in 0..<5 { #expect(admission.admit(peer, at: start) == .admitted) }
    #expect(admission.admit(peer, at: start) == .tooMany)
    #expect(admission.admit(peer, at: start + second / 2 - 1) == .tooMany)
    #expect(admission.admit(peer, at: start + second / 2) == .admitted)
    #expect(admission.admit(peer, at: start + second / 2) == .tooMany)
    for _ in 0..<5 { #expect(admission.admit(peer, at: start + 10 * second) == .admitted) }
    #expect(admission.admit(try address("192.0.2.8"), at: start) == .admitted)
  }

  @Test("an IPv6 address counts with its /64, an IPv4 address alone")
  func keys() throws {
    let admission = admission { $0.maximumConnectionsPerAddress = 1 }
    #expect(admission.admit(try address("2001:db8:1:2::1"), at: 0) == .admitted)
    #expect(admission.admit(try address("2001:db8:1:2:ffff::9"), at: 0) == .tooMany)
    #expect(admission.admit(try address("2001:db8:1:3::1"), at: 0) == .admitted)
    #expect(admission.admit(try address("192.0.2.1"), at: 0) == .admitted)
    #expect(admission.admit(try address("192.0.2.1", port: 9), at: 0) == .tooMany)
    #expect(admission.admit(try address("192.0.2.2"), at: 0) == .admitted)
  }

  @Test("what is released may come again, and idle addresses are forgotten")
  func forgetting() throws {
    let admission = admission { $0.maximumConnections = 1 }
    for number in 0..<5000 {
      let peer = ListenAddress(octets: [10, 0, UInt8(number >> 8), UInt8(number & 0xff)], port: 1)
      let now = UInt64(number) * second
      #expect(admission.admit(peer, at: now) == .admitted)
      #expect(admission.admit(peer, at: now) == .full)
      admission.release(peer)
    }
    #expect(admission.counts.open == 0)
    #expect(admission.counts.addresses <= 1024)
  }
}
