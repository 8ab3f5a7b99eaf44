import DrawboltServer
import PadModel
import Testing
import Vault

/// What a token claims, and what its key lets it claim.
@Suite("A token's claim")
struct TokenClaimTests {
  private let world: TokenWorld
  private let now = TokenWorld.now

  init() throws { world = try TokenWorld() }

  private func refusal(_ changes: [String: String?], at wall: Int64? = nil) throws -> TokenError? {
    try world.refusal(of: world.token(TokenWorld.claims(changes)), at: wall ?? now)
  }

  @Test("is there, unless it is the name or whether the pad is shared")
  func missing() throws {
    for claim in TokenClaim.allCases where claim != .name && claim != .shared {
      #expect(try refusal([claim.rawValue: nil]) == .claimMissing(claim))
      #expect(try refusal([claim.rawValue: "null"]) == .claimMalformed(claim))
    }
    for claim in ["name", "shared"] { #expect(try refusal([claim: "null"]) == nil) }
  }

  @Test("is of its own kind and in its range")
  func malformed() throws {
    let long = String(repeating: "x", count: 129)
    for (claim, values) in [
      (TokenClaim.sub, ["1", "[]", #""""#, #""a\nb""#, "\"\(long)\""]),
      (.room, ["1", #""""#, #""*""#, #""board:""#, #""Front""#, #"["front"]"#]),
      (.role, ["1", #""""#, #""drawer""#, #""Controller""#, #"["viewer"]"#]),
      (.exp, [#""1800000600""#, "-1", "true", "\(now)"]),
      (.nbf, [#""1800000000""#, "-1", "false", "-9223372036854775808"]),
      (.aud, ["1", #""""#, #"["drawbolt"]"#]),
      (.jti, ["1", #""""#, #""a\u0000b""#, "\"\(long)\""]),
      (.name, ["1", #""""#, "\"\(String(long.dropLast(64)))\""]),
      (.shared, ["1", #""true""#]),
    ] {
      for value in values {
        let found = try refusal([claim.rawValue: value])
        #expect(found == .claimMalformed(claim), "\(claim.rawValue) \(value)")
      }
    }
    // Of a number that is not whole the reader does not say where it stands.
    for number in ["1800000600.5", "1e400", "99999999999999999999"] {
      #expect(try refusal(["exp": number]) == .claims)
      #expect(try refusal(["nbf": number]) == .claims)
    }
    let fits = "\"\(long.dropLast())\""
    #expect(try refusal(["sub": fits, "jti": fits, "name": "\"\(long.dropLast(65))\""]) == nil)
    #expect(try refusal(["exp": "253402300800"]) == .claimMalformed(.exp))
  }

  @Test("stands once, with its name written plainly, in one object")
  func shape() throws {
    let good = TokenWorld.claims()
    for text in [
      good.dropLast() + #","role":"viewer"}"#, good.dropLast() + #","\u0072ole":"viewer"}"#,
      good.dropLast() + #","x":{"y":1,"y":2}}"#, good + "{}", "[" + good + "]", "", "null",
      good.dropLast() + ",}", good.dropLast() + #","x":[[[[1]]]]}"#, "\u{feff}" + good,
    ] {
      #expect(try world.refusal(of: world.token(String(text))) == .claims, "\(text)")
    }
  }

  @Test("ends the token at its second, not one later, and begins it at its second, not one sooner")
  func times() throws {
    #expect(try refusal([:], at: now + 599) == nil)
    #expect(try refusal([:], at: now + 600) == .expired(at: now + 600))
    #expect(try refusal([:], at: now + 601) == .expired(at: now + 600))
    #expect(try refusal([:], at: now - 1) == .notYetValid(from: now))
    #expect(try refusal([:], at: .max) == .expired(at: now + 600))
    #expect(try refusal([:], at: .min) == .notYetValid(from: now))
    #expect(try refusal(["exp": "\(now + 1)"], at: now) == nil)
  }

  @Test("lets it live as long as its key allows, whatever the token says")
  func life() throws {
    #expect(try refusal(["exp": "\(now + 3600)"]) == nil)
    #expect(
      try refusal(["exp": "\(now + 3601)"]) == .livesTooLong(seconds: 3601, limit: 3600))
    #expect(
      try refusal(["nbf": "0", "exp": "253402300799"])
        == .livesTooLong(seconds: 253_402_300_799, limit: 3600))
  }

  @Test("names this server's audience, byte for byte")
  func audience() throws {
    for name in ["other", "Drawbolt", "drawbolt ", "drawbolt.evil", "drawbol"] {
      #expect(try refusal(["aud": "\"\(name)\""]) == .audience)
    }
    try world.configure { $0.tokenAudience = "other" }
    #expect(try refusal(["aud": #""other""#]) == nil)
    #expect(try refusal([:]) == .audience)
  }

  @Test("gives only roles that its key may give, and never an admin's")
  func roles() throws {
    for (role, isGiven) in [
      ("controller", true), ("viewer", true), ("actuator", false), ("admin", false),
    ] {
      #expect(try refusal(["role": "\"\(role)\""]) == (isGiven ? nil : .roleNotAllowed))
    }
  }

  @Test("gives only rooms that its key may give")
  func rooms() throws {
    for (room, isGiven) in [
      ("front", true), ("front-2", false), ("fron", false), ("floor-", true), ("floor-2", true),
      ("floor", false), ("board:a", true), ("board:front", true), ("other", false),
    ] {
      #expect(
        try refusal(["room": "\"\(room)\""]) == (isGiven ? nil : .roomNotAllowed), "\(room)")
    }
    for (room, isGiven) in [
      ("anything", true), ("board:lesson", true), ("board:lesson-2", false), ("board:a", false),
    ] {
      let claims = TokenWorld.claims(["room": "\"\(room)\"", "role": #""actuator""#])
      #expect(
        try world.refusal(of: world.signedToken(claims)) == (isGiven ? nil : .roomNotAllowed))
    }
  }
}

/// What a hello gets for its token.
@Suite("The door")
struct DoorTests {
  private let world: TokenWorld
  private let now = TokenWorld.now

  init() throws { world = try TokenWorld() }

  private func answer(
    _ room: String, _ role: Role = .controller, token: String? = nil, keys: Bool = true,
    rules: EntryRules = EntryRules(), _ change: (inout Configuration) -> Void = { _ in }
  ) throws -> TokenError? {
    try world.configure(change)
    let ring = keys ? try world.ring : TokenRing()
    let hello = Hello(room: try RoomName(room), role: role, token: token)
    do throws(TokenError) {
      _ = try Door(world.configuration, ring: ring).pass(for: hello, by: rules, at: now)
      return nil
    } catch {
      return error
    }
  }

  @Test("wants a token for every lock, and for every board that is not said to be open")
  func needed() throws {
    #expect(try answer("front") == .missing)
    #expect(try answer("demo") == .missing)
    #expect(try answer("board:a") == .missing)
    #expect(try answer("board:a") { $0.boards[0].access = .open } == nil)
    #expect(try answer("front") == .missing)
    #expect(try answer("board:none") { $0.boards[0].pattern = "a" } == .missing)
    #expect(try answer("demo") { $0.dev = true } == nil)
    #expect(try answer("front") == .missing)
  }

  @Test("wants none where there are no keys, and takes none")
  func noKeys() throws {
    #expect(try answer("front", keys: false) == nil)
    #expect(try answer("front", token: world.token(), keys: false) == .notTaken)
  }

  @Test("lets a token into its own room in its own role, and checks it where none is needed too")
  func own() throws {
    let token = world.token()
    #expect(try answer("front", token: token) == nil)
    #expect(try answer("floor-1", token: token) == .otherRoom)
    #expect(try answer("board:front", token: token) == .otherRoom)
    #expect(try answer("front", .viewer, token: token) == .otherRole)
    #expect(try answer("front", .admin, token: token) == .otherRole)
    #expect(try answer("board:a", token: token) { $0.boards[0].access = .open } == .otherRoom)
    #expect(try answer("board:a", token: "") == .parts(count: 1))
  }

  @Test("knows what is revoked, and the newest clock that was written down")
  func rules() throws {
    var rules = EntryRules()
    rules.revoked = ["t0", "T1"]
    #expect(try answer("front", token: world.token(), rules: rules) == nil)
    rules.revoked.insert("t1")
    #expect(try answer("front", token: world.token(), rules: rules) == .revoked)
    rules = EntryRules()
    rules.wall = now + 599
    #expect(try answer("front", token: world.token(), rules: rules) == nil)
    rules.wall = now + 600
    #expect(
      try answer("front", token: world.token(), rules: rules) == .expired(at: now + 600))
  }

  @Test("lets pages into rooms that list their origin, or that list none if it is the server's own")
  func origins() throws {
    let shop = try #require(WebOrigin("https://shop.example"))
    var rules = EntryRules()
    rules.origins = [try LockID("front"): [shop], try LockID("edited"): []]
    try world.configure {
      try ConfigurationReader.apply(
        flag: ConfigurationReader.boardsFlag,
        text: "[{ name: 'lesson-*', origins: ['https://school.example'] }, { name: '*' }]", to: &$0)
    }
    let door = Door(world.configuration, ring: try world.ring)
    let own = "http://127.0.0.1:8080"
    func admits(_ origin: String?, _ room: String) throws -> Bool {
      door.admits(origin: origin, to: try RoomName(room), by: rules, own: [own])
    }
    for (origin, rooms) in [
      (own, ["other", "board:a"]), (shop.text, ["front"]),
      ("https://school.example", ["board:lesson-1"]),
      (nil, ["front", "edited", "other", "board:lesson-1", "board:a"]),
    ] as [(String?, [String])] {
      for room in ["front", "edited", "other", "board:lesson-1", "board:a"] {
        #expect(try admits(origin, room) == rooms.contains(room), "\(origin ?? "-") \(room)")
      }
    }
    for origin in [shop.text, "https://school.example"] {
      #expect(door.knows(origin: origin, by: rules))
      for other in [
        "null", origin + ":443", origin + ".evil.example", "https://evil." + origin.dropFirst(8),
        origin.uppercased(), origin + "\0", "http" + origin.dropFirst(5), origin + "/",
        String(origin.dropLast()), "",
      ] {
        #expect(!door.knows(origin: other, by: rules), "\(other)")
        #expect(try !admits(other, "front") && !admits(other, "board:lesson-1"), "\(other)")
      }
    }
  }
}
