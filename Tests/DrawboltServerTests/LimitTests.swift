import Foundation
import Testing

@Suite("A limit")
struct LimitTests {
  private static let another: UInt32 = 0x7f00_0002

  private let scratch: Scratch
  private var data: String { scratch.path + "/data" }
  private var key: String { scratch.path + "/key" }

  init() throws { scratch = try Scratch() }

  private func drawbolt(_ words: String..., input: String = "") throws {
    let place = ["--data-directory", data, "--key-file", key]
    let ending = try ChildProcess(words + place, scratch: scratch, input: input).end()
    #expect(ending == .exited(0))
  }

  /// The refusal of a hello with 1013, and what it says.
  private func refusal(
    _ server: TestServer, _ room: String, from address: UInt32 = 0x7f00_0001
  ) throws -> String {
    let client = try Client(server, from: address)
    client.hello(room, "viewer")
    let error = try client.message("error")
    #expect(error["code"] == "busy")
    #expect(error["retryable"] == true)
    #expect(try client.closeCode() == 1013)
    return error["message"] ?? ""
  }

  @Test("of rooms is how many there may be, boards and locks together")
  func rooms() throws {
    let server = try TestServer(scratch, "--limits-rooms", "2", "--limits-grace-time", "100ms")
    let first = try Client.join(server, "board:a", "viewer").client
    let second = try Client.join(server, "demo", "viewer").client
    for room in ["board:b", "demo2"] {
      #expect(try refusal(server, room).contains("as many rooms as it may"))
    }
    // Those that are open take more.
    let guests = try ["board:a", "demo"].map { try Client.join(server, $0, "viewer").client }
    for client in [first] + guests.prefix(1) {
      client.say("bye")
      #expect(try client.closeCode() == 4400)
    }
    #expect(try server.settles(["rooms": 1]))
    let third = try Client.join(server, "board:b", "viewer").client
    withExtendedLifetime((second, third, guests)) {}
  }

  @Test("by address holds without --dev for this machine too, and for each address alone")
  func addresses() throws {
    try drawbolt("key", "create")
    let server = try TestServer(
      scratch, "--limits-boards-per-address", "2", "--limits-connections-per-address", "4",
      "--limits-grace-time", "100ms", key: key)
    let boards = try (1...2).map { try Client.join(server, "board:b\($0)", "viewer").client }
    #expect(try refusal(server, "board:b3").contains("your address"))
    // Not to join one, and not for somebody else.
    let guest = try Client.join(server, "board:b1", "viewer").client
    let other = try Client.join(server, "board:b3", "viewer", from: Self.another).client
    // A board that is gone makes room for another.
    boards[1].say("bye")
    #expect(try boards[1].closeCode() == 4400)
    #expect(try server.settles(["rooms": 2]))
    let next = try Client.join(server, "board:b4", "viewer").client
    let fourth = try Client.join(server, "board:b1", "viewer").client
    #expect(throws: Failed.self) { try Client(server) }
    let stranger = try Client.join(server, "board:b1", "viewer", from: Self.another).client
    withExtendedLifetime((boards, guest, other, next, fourth, stranger)) {}
    #expect(try server.stop() == .exited(0))
  }

  @Test("of wrong codes by address holds over all locks, for each address alone")
  func wrongCodes() throws {
    try drawbolt("key", "create")
    for lock in ["a", "b"] {
      try drawbolt("lock", "add", lock)
      try drawbolt("secret", "add", lock, input: "2-5-8-9-6-3")
    }
    let server = try TestServer(
      scratch, "--limits-address-wrong-burst", "1", "--limits-address-wrong-per-minute", "1",
      key: key)
    let first = try Client.join(server, "a", "controller").client
    #expect(try first.attempt(1, Codes.wrong[0])["outcome"] == "rejected")
    let second = try Client.join(server, "b", "controller").client
    let refused = try second.attempt(1, [1, 4, 7, 8, 5, 2])
    #expect(refused["outcome"] == "unavailable")
    let wait: Int = try #require(refused["retryAfterMs"])
    #expect(wait > 0 && wait <= 60_000)
    let other = try Client.join(server, "b", "controller", from: Self.another).client
    #expect(try other.attempt(1, [1, 4, 7, 8, 5, 2])["outcome"] == "accepted")
  }

  @Test("of messages before the welcome closes at the first that is too much")
  func beforeHello() throws {
    try drawbolt("key", "create")
    for lock in ["a", "b"] { try drawbolt("lock", "add", lock) }
    try drawbolt("secret", "add", "a", input: "2-5-8-9-6-3")
    let server = try TestServer(scratch, key: key)
    let (drawer, _) = try Client.join(server, "a", "controller")
    // The vault can't answer about the other lock while an attempt waits for its turn to write.
    let rows = try Rows(data)
    try rows.run("BEGIN IMMEDIATE")
    drawer.draw(1, Codes.wrong[0])
    try drawer.state("checking")
    let clients = try [2, 3].map { count in
      let client = try Client(server)
      client.hello("b", "viewer")
      for _ in 0..<count { client.say(#"{"type":"ack","version":1}"#) }
      return client
    }
    #expect(try clients[1].closeCode() == 1008)
    try rows.run("ROLLBACK")
    try clients[0].message("welcome")
  }
}
