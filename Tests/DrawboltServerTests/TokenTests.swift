import DrawboltServer
import PadModel
import Testing
import Vault
import Wire

/// Every way in which a token is known to be forged, each at the one place that decides.
@Suite("A token")
struct TokenTests {
  private let world: TokenWorld
  private let now = TokenWorld.now

  init() throws { world = try TokenWorld() }

  @Test("gives what it says, by either algorithm")
  func good() throws {
    let claims = try world.ring.verify(
      world.token(TokenWorld.claims(["name": #""Ana""#, "shared": "true"])), at: now)
    #expect(claims.room == .lock(try LockID("front")) && claims.role == .controller)
    #expect(claims.subject == "ana" && claims.id == "t1" && claims.isShared)
    #expect(claims.name?.text == "Ana" && claims.expires == now + 600)
    let door = world.signedToken(TokenWorld.claims(["role": #""actuator""#]))
    #expect(try world.ring.verify(door, at: now).role == .actuator)
  }

  @Test("may have claims of its issuer's own, which count for nothing")
  func others() throws {
    let token = world.token(TokenWorld.claims(["iss": #""me""#, "admin": "true", "x": "[1,{}]"]))
    #expect(try world.refusal(of: token) == nil)
  }

  @Test("without a signature, or by an algorithm that its key does not have, is refused")
  func algorithms() throws {
    for name in ["none", "None", "NONE", "", "HS512", "hs256", "RS256", "EdDSA", "HS256 "] {
      let header = #"{"alg":"\#(name)","typ":"JWT","kid":"shop"}"#
      #expect(try world.refusal(of: world.token(header: header)) == .algorithm, "\(name)")
      let bare = TokenWorld.part(header) + "." + TokenWorld.part(TokenWorld.claims()) + "."
      #expect(try world.refusal(of: bare) == .algorithm, "\(name)")
    }
    let bare = TokenWorld.part(TokenWorld.header) + "." + TokenWorld.part(TokenWorld.claims()) + "."
    #expect(try world.refusal(of: bare) == .signature)
  }

  @Test("signed with a public key as if it were a secret is refused")
  func keyConfusion() throws {
    let claims = TokenWorld.claims(["role": #""viewer""#])
    for key in [world.pair.publicKey, Array(Base64URL.encode(world.pair.publicKey).utf8)] {
      let swapped = world.token(
        claims, header: #"{"alg":"HS256","typ":"JWT","kid":"door"}"#, key: key)
      #expect(try world.refusal(of: swapped) == .algorithm)
      let named = world.token(claims, header: TokenWorld.doorHeader, key: key)
      #expect(try world.refusal(of: named) == .signature)
    }
    // Another key's good signature does not count either.
    let other = world.signedToken(claims, header: TokenWorld.header)
    #expect(try world.refusal(of: other) == .signature)
  }

  @Test("of an unknown key is refused")
  func unknownKey() throws {
    for kid in ["other", "", "Shop", "shop ", "../shop.key", "/dev/null", "shop\\u0000"] {
      let header = #"{"alg":"HS256","typ":"JWT","kid":"\#(kid)"}"#
      #expect(try world.refusal(of: world.token(header: header)) == .unknownKey, "\(kid)")
    }
  }

  @Test("has a header of exactly three fields, each once")
  func header() throws {
    for header in [
      "", "{}", "[]", #""x""#, "null", #"{"alg":"HS256","typ":"JWT"}"#,
      #"{"alg":"HS256","kid":"shop"}"#,
      #"{"alg":"HS256","typ":"at+jwt","kid":"shop"}"#,
      #"{"alg":"HS256","typ":"jwt","kid":"shop"}"#,
      #"{"alg":"HS256","typ":"JWT","kid":"shop","crit":["exp"]}"#,
      #"{"alg":"HS256","typ":"JWT","kid":"shop","b64":false}"#,
      #"{"alg":"HS256","typ":"JWT","kid":"shop","jku":"https://evil.example"}"#,
      #"{"alg":"HS256","typ":"JWT","kid":"shop","jwk":{"k":"AA"}}"#,
      #"{"alg":"none","typ":"JWT","kid":"shop","alg":"HS256"}"#,
      #"{"alg":"HS256","typ":"JWT","kid":"shop","kid":"door"}"#,
      #"{"alg":"HS256","typ":"JWT","\u006bid":"shop"}"#,
      #"{"alg":"HS256","typ":"JWT","kid":1}"#, #"{"alg":null,"typ":"JWT","kid":"shop"}"#,
      TokenWorld.header + " x", TokenWorld.header + TokenWorld.header,
    ] {
      #expect(try world.refusal(of: world.token(header: header)) == .header, "\(header)")
    }
    #expect(try world.refusal(of: world.token(header: " " + TokenWorld.header + "\n")) == nil)
  }

  @Test("has three parts in the one way in which base64url can write them")
  func form() throws {
    let token = world.token()
    let parts = token.split(separator: ".").map(String.init)
    #expect(try world.refusal(of: "") == .parts(count: 1))
    #expect(try world.refusal(of: parts[0] + "." + parts[1]) == .parts(count: 2))
    #expect(try world.refusal(of: token + ".") == .parts(count: 4))
    #expect(try world.refusal(of: token + ".x.y") == .parts(count: 5))
    for (index, name) in [TokenPart.header, .claims, .signature].enumerated() {
      for change in ["=", "==", " ", "\n", "+", "/", "%3D", "\0", "ä"] {
        var parts = parts
        parts[index] += change
        #expect(
          try world.refusal(of: parts.joined(separator: ".")) == .encoding(name), "\(change)")
      }
    }
    // 32 bytes are 43 characters, of whose last one two bits are left over.
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    let last = try #require(token.last.flatMap { digits.firstIndex(of: $0) })
    #expect(last % 4 == 0)
    for extra in 1...3 {
      let other = String(token.dropLast()) + String(digits[last + extra])
      #expect(try world.refusal(of: other) == .encoding(.signature))
    }
  }

  @Test("of which any byte was changed is refused")
  func changed() throws {
    for token in [world.token(), world.signedToken(TokenWorld.claims(["role": #""viewer""#]))] {
      #expect(try world.refusal(of: token) == nil)
      for index in token.utf8.indices {
        var bytes = Array(token.utf8)
        let offset = token.utf8.distance(from: token.utf8.startIndex, to: index)
        bytes[offset] = bytes[offset] == UInt8(ascii: "B") ? UInt8(ascii: "C") : UInt8(ascii: "B")
        #expect(try world.refusal(of: String(decoding: bytes, as: UTF8.self)) != nil)
      }
      #expect(try world.refusal(of: String(token.dropLast(4))) != nil)
      #expect(try world.refusal(of: token + "AAAA") != nil)
    }
  }

  @Test("has up to 2048 bytes, or as many as configured")
  func length() throws {
    func token(_ length: Int) -> String {
      // Each character more in the claims is a third of one more in the token.
      for padding in 0... {
        let text = world.token(
          TokenWorld.claims(["x": "\"\(String(repeating: "x", count: padding))\""]))
        if text.utf8.count >= length { return text }
      }
      return ""
    }
    let long = token(2047)
    #expect(long.utf8.count <= 2048)
    #expect(try world.refusal(of: long) == nil)
    let count = long.utf8.count
    try world.configure { $0.limits.tokenBytes = count - 1 }
    #expect(try world.refusal(of: long) == .tooLong(byteCount: count, limit: count - 1))
    try world.configure { $0.limits.tokenBytes = 2048 }
    let longer = token(2049)
    #expect(
      try world.refusal(of: longer) == .tooLong(byteCount: longer.utf8.count, limit: 2048))
    let huge = String(repeating: "A.", count: 1_000_000)
    #expect(try world.refusal(of: huge) == .tooLong(byteCount: 2_000_000, limit: 2048))
  }
}
