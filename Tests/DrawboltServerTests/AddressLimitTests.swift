import DrawboltServer
import PadModel
import TestSupport
import Testing
import Transport

/// Limits on both of their sides, those by address without `--dev`.
@Suite("A limit", .waiting)
struct AddressLimitTests {
  private let scratch: Scratch
  private var keyFile: String { scratch.path + "/server.key" }

  init() throws { scratch = try Scratch() }

  private func drawbolt(_ words: String..., input: String = "") throws {
    let places = ["--data-directory", scratch.path + "/data", "--key-file", keyFile]
    let child = try ChildProcess(words + places, scratch: scratch, input: input)
    guard try child.end() == .exited(0) else { throw Failed("\(words): \(child.errors)") }
  }

  @Test("of boards holds for an address until one of its boards is gone")
  func boards() throws {
    try drawbolt("key", "create")
    let server = try TestServer(
      scratch, "--limits-boards-per-address", "2", "--limits-grace-time", "100ms", key: keyFile)
    let first = try ["board:a", "board:b"].map { try Client.join(server, $0, "viewer").client }
    let third = try Client(server)
    third.hello("board:c", "viewer")
    #expect(try third.message("error")["code"] == "busy")
    #expect(try third.closeCode() == 1013)
    // A board that is there costs nothing.
    _ = try Client.join(server, "board:a", "viewer")
    first[1].say("bye")
    #expect(try first[1].closeCode() == 4400)
    #expect(try server.settles(["rooms": 1]))
    _ = try Client.join(server, "board:d", "viewer")
    withExtendedLifetime(first) {}
  }

  @Test("of rooms refuses the one too many, whatever it is, and no member of another")
  func rooms() throws {
    let server = try TestServer(scratch, "--limits-rooms", "2", "--limits-grace-time", "100ms")
    let (first, _) = try Client.join(server, "board:a", "viewer")
    let (second, _) = try Client.join(server, "board:b", "viewer")
    for room in ["board:c", "demo"] {
      let client = try Client(server)
      client.hello(room, "viewer")
      #expect(try client.message("error")["code"] == "busy")
      #expect(try client.closeCode() == 1013)
    }
    _ = try Client.join(server, "board:a", "viewer")
    second.say("bye")
    #expect(try second.closeCode() == 4400)
    #expect(try server.settles(["rooms": 1]))
    _ = try Client.join(server, "demo", "viewer")
    withExtendedLifetime(first) {}
  }

  @Test("of messages that may come before the room is known lets two through and not three")
  func beforeHello() throws {
    let server = try TestServer(scratch)
    let hello = #"{"type":"hello","room":"demo","role":"viewer"}"#
    let ack = #"{"type":"ack","version":1}"#
    let patient = try Client(server)
    patient.say([hello, ack, ack])
    try patient.message("welcome")
    patient.say("bye")
    #expect(try patient.closeCode() == 4400)
    // Another hello is none of them: it was said already.
    let twice = try Client(server)
    twice.say([hello.replacing("demo", with: "nowhere"), hello])
    #expect(try twice.closeCode() == 4400)
    // Without the room, so that the vault is asked again.
    let hasty = try Client(server)
    hasty.say([hello.replacing("demo", with: "none"), ack, ack, ack])
    #expect(try hasty.closeCode() == 1008)
  }

  @Test("of wrong codes counts those of one address at all locks")
  func wrongCodes() throws {
    try drawbolt("key", "create")
    for lock in ["front", "back"] {
      try drawbolt("lock", "add", lock)
      try drawbolt("secret", "add", lock, input: "2-5-8-9-6-3\n")
    }
    let server = try TestServer(
      scratch, "--limits-wrong-codes-burst", "2", "--limits-wrong-codes-per-minute", "1",
      key: keyFile)
    let right = [1, 4, 7, 8, 5, 2]
    let (front, welcome) = try Client.join(server, "front", "controller")
    let limits: [String: Any] = try #require(welcome["limits"])
    #expect(limits["wrongCodesBurst"] as? Int == 2)
    let (back, _) = try Client.join(server, "back", "controller")
    #expect(try front.attempt(1, Codes.wrong[0])["outcome"] == "rejected")
    #expect(try back.attempt(1, Codes.wrong[1])["outcome"] == "rejected")
    let refused = try back.attempt(2, right)
    #expect(refused["outcome"] == "unavailable")
    #expect(try (1...60_000).contains(#require(refused["retryAfterMs"] as Int?)))
  }

  @Test("by address counts IPv4 whole and IPv6 by its first half, and takes none for another")
  func numbers() throws {
    func number(_ host: String) throws -> UInt64 {
      try #require(ListenAddress(host: host, port: 1)).limitKey.number
    }
    #expect(try number("192.0.2.1") != number("192.0.2.2"))
    #expect(try number("2001:db8:1:2::1") == number("2001:db8:1:2:ffff::9"))
    #expect(try number("2001:db8:1:2::1") != number("2001:db8:1:3::1"))
    #expect(try number("::c000:201") != number("192.0.2.1"))
    #expect(try number("0:0:c000:201::") != number("192.0.2.1"))
    #expect(try number("0.0.0.0") != 0)
  }
}
