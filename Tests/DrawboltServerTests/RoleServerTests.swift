import Foundation
import PadModel
import TestSupport
import Testing

/// The table of rights at the real server: what each role may say there, and what it hears.
@Suite("A role at the server", .waiting)
struct RoleServerTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// One message of each kind.
  private static let messages: [(kind: ClientMessage.Kind, text: String)] = [
    (.samples, #"{"type":"samples","stroke":9,"action":"tap","points":[[0,0.1,0.1]]}"#),
    (.acknowledge, #"{"type":"ack","version":1}"#),
    (.penRequest, #"{"type":"pen.request"}"#), (.penRelease, #"{"type":"pen.release"}"#),
    (.penGive, #"{"type":"pen.give","member":"m1"}"#), (.penTake, #"{"type":"pen.take"}"#),
    (.enrol, #"{"type":"enrol.begin"}"#),
    (
      .claimGrant,
      #"{"type":"grant.claim","id":"\#(String(repeating: "0", count: 32))","nonce":"\#(String(repeating: "1", count: 32))"}"#
    ),
  ]

  private static let kinds: [String: ServerMessage.Kind] = [
    "welcome": .welcome, "state": .state, "members": .members, "pen": .pen, "verdict": .verdict,
    "lockout": .lockout, "device": .device,
    "enrol": .enrol, "grant.offer": .offerGrant, "grant": .grant, "error": .error,
    "goaway": .goAway,
  ]

  @Test("is told that it may not, exactly where the table says so")
  func sending() throws {
    let server = try TestServer(scratch)
    let known = Set(Self.messages.map(\.kind)).union([.hello])
    #expect(known == Set(ClientMessage.Kind.allCases))
    for role in [Role.controller, .viewer, .actuator] {
      // What may not be acknowledged is no harm, so nothing is said of it.
      for (kind, text) in Self.messages where kind != .acknowledge {
        let room = "board:\(role)-\(kind)".lowercased()
        let (client, _) = try Client.join(server, room, role.rawValue)
        client.say(text)
        // A second hello ends the connection, after whatever came of the first message.
        client.hello(room, role.rawValue)
        #expect(try client.closeCode() == 4400)
        let denials = client.heard.filter { Self.denials.contains($0["message"] ?? "") }
        #expect(denials.count == (role.maySend(kind) ? 0 : 1), "\(role) \(kind)")
        #expect(denials.allSatisfy { $0["code"] == "denied" })
      }
    }
  }

  private static let denials: Set<String> = [
    "only controllers may draw", "your role may not do that with the pen",
    "only actuators may claim grants",
    "codes are enrolled by the command line: drawbolt secret add",
  ]

  @Test("hears in a whole session what its role may, and nothing else")
  func receiving() throws {
    let server = try TestServer(scratch)
    let roles = [Role.viewer, .actuator, .controller]
    let clients = try roles.map { try Client.join(server, "demo", $0.rawValue).client }
    let (viewer, actuator, drawer) = (clients[0], clients[1], clients[2])
    for client in clients {
      try client.message("members") { ($0["controllers"] as [[String: String]]?)?.count == 1 }
    }
    #expect(try drawer.attempt(1, Codes.wrong[0])["outcome"] == "rejected")
    drawer.draw(2, Codes.demo)
    let offer: String = try #require(try actuator.message("grant.offer")["id"])
    actuator.say(
      #"{"type":"grant.claim","id":"\#(offer)","nonce":"\#(String(repeating: "1", count: 32))"}"#)
    try actuator.message("grant")
    try drawer.message("verdict") { $0["opened"] == true }
    try viewer.state("accepted")
    for client in clients {
      client.say(#"{"type":"enrol.begin"}"#)
      try client.message("error")
    }
    server.process.signal(SIGTERM)
    for client in clients { #expect(try client.closeCode() == 1012) }
    let all: Set<String> = ["welcome", "members", "error", "goaway"]
    for (role, client, more) in [
      (Role.viewer, viewer, ["state", "pen"]), (.actuator, actuator, ["grant.offer", "grant"]),
      (.controller, drawer, ["state", "pen", "verdict", "device"]),
    ] {
      let heard = Set(client.heard.map(\.type))
      #expect(heard.isSuperset(of: all) && heard.isSubset(of: all.union(more)), "\(role) \(heard)")
      for type in heard {
        let kind = try #require(Self.kinds[type])
        #expect(role.mayReceive(kind), "\(role) \(type)")
      }
    }
    #expect(try server.process.end() == .exited(0))
  }
}
