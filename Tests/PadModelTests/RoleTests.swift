import PadModel
import Testing

/// The table of rights, against one that was written apart from it.
struct RoleTests {
  /// What controllers, viewers, actuators and admins may send, in this order.
  private static let sending: [(ClientMessage.Kind, String)] = [
    (.hello, "yes yes yes yes"), (.samples, "yes no no yes"), (.acknowledge, "yes yes no yes"),
    (.penRequest, "yes no no yes"), (.penRelease, "yes no no yes"), (.penGive, "yes no no yes"),
    (.penTake, "no no no yes"), (.enrol, "no no no yes"), (.claimGrant, "no no yes no"),
  ]

  /// What they may ever be sent.
  private static let receiving: [(ServerMessage.Kind, String)] = [
    (.welcome, "yes yes yes yes"), (.state, "yes yes no yes"), (.members, "yes yes yes yes"),
    (.pen, "yes yes no yes"), (.verdict, "yes no no yes"), (.lockout, "yes no no yes"),
    (.device, "yes no no yes"),
    (.enrol, "no no no yes"),
    (.offerGrant, "no no yes no"), (.grant, "no no yes no"), (.error, "yes yes yes yes"),
    (.goAway, "yes yes yes yes"),
  ]

  private static let roles: [Role] = [.controller, .viewer, .actuator, .admin]

  private func row(_ isAllowed: (Role) -> Bool) -> String {
    Self.roles.map { isAllowed($0) ? "yes" : "no" }.joined(separator: " ")
  }

  @Test("what each role may send and receive is this and nothing else")
  func table() {
    #expect(Set(Self.roles) == Set(Role.allCases))
    #expect(Self.sending.map(\.0) == ClientMessage.Kind.allCases)
    #expect(Self.receiving.map(\.0) == ServerMessage.Kind.allCases)
    for (kind, wanted) in Self.sending {
      #expect(row { $0.maySend(kind) } == wanted, "\(kind)")
    }
    for (kind, wanted) in Self.receiving {
      #expect(row { $0.mayReceive(kind) } == wanted, "\(kind)")
    }
  }

  @Test("every message has its kind")
  func kinds() throws {
    let member = MemberID(1)
    let random = Random128(high: 0, low: 0)
    let said: [ClientMessage] = [
      .hello(Hello(room: .board("a"), role: .viewer)),
      .samples(SampleBatch(stroke: 1, action: .move)), .acknowledge(version: 0), .pen(.request),
      .pen(.release), .pen(.give(member)), .pen(.take), .enrol(.begin),
      .claimGrant(GrantClaim(id: random, nonce: random)),
    ]
    #expect(said.map(\.kind) == ClientMessage.Kind.allCases)
  }
}

struct WebOriginTests {
  @Test("an origin is a scheme and a host in small letters, and no more")
  func origins() {
    for text in ["https://a", "http://127.0.0.1:9000", "http://[::1]:80", "https://a-b.example"] {
      #expect(WebOrigin(text)?.text == text)
    }
    let long = String(repeating: "a", count: WebOrigin.longestHost)
    #expect(WebOrigin("https://" + long) != nil)
    for text in [
      "", "null", "*", "https:", "https://", "a.example", "https://a/", "https://a ", "https://A",
      "HTTPS://a", "https://a\0", "https://a\n", "https://a;b", "https://a,b", "https://ä",
      "://a", "https://a?b", "https://a#b", "https://u@a", "https://" + long + "a",
    ] {
      #expect(WebOrigin(text) == nil, "\(text)")
    }
  }
}
