import DrawboltServer
import Foundation
import PadModel
import Testing
import Vault
import Wire

/// The list `tokenKeys`, and what it needs besides.
@Suite("A token's key")
struct TokenKeyTests {
  private let world: TokenWorld

  init() throws { world = try TokenWorld() }

  private static let good = [
    "kid": "'k'", "algorithm": "'HS256'", "secretFile": "'f'", "roles": "['viewer']",
    "rooms": "['front']", "longestLife": "'1h'",
  ]

  private func read(_ changes: [String: String?]) throws -> [TokenKey] {
    var fields = Self.good
    for (name, value) in changes { fields[name] = value }
    let text = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    var configuration = Configuration()
    try ConfigurationReader.apply(
      flag: "token-keys", text: "[{ \(text.joined(separator: ", ")) }]", to: &configuration)
    return configuration.tokenKeys
  }

  @Test("comes from the file, the environment and a flag alike")
  func places() throws {
    let text =
      "[{ kid: 'k', algorithm: 'HS256', secretFile: 'f', roles: ['viewer'],"
      + " rooms: ['front', 'board:*'], longestLife: '90s' }]"
    var configurations = [Configuration(), Configuration(), Configuration()]
    try ConfigurationReader.apply(
      json5: "{ tokenKeys: \(text) }", file: "f", to: &configurations[0])
    try ConfigurationReader.apply(
      environment: ["DRAWBOLT_TOKEN_KEYS": text], to: &configurations[1])
    try ConfigurationReader.apply(flag: "token-keys", text: text, to: &configurations[2])
    for configuration in configurations {
      let key = try #require(configuration.tokenKeys.first)
      #expect(key.id == "k" && key.algorithm == .hs256 && key.secretFile == "f")
      #expect(key.roles == [.viewer] && key.rooms.map(\.text) == ["front", "board:*"])
      #expect(key.longestLife == .seconds(90))
    }
  }

  @Test("is refused with the place of the mistake and what it should be")
  func mistakes() throws {
    let publicKey = "'" + String(repeating: "A", count: 43) + "'"
    #expect(try read([:]).count == 1)
    #expect(
      try read(["algorithm": "'EdDSA'", "publicKey": publicKey, "secretFile": nil]).count == 1)
    for (name, value) in [
      ("kid", nil), ("kid", "''"), ("kid", "'a b'"),
      ("kid", "'\(String(repeating: "k", count: 65))'"),
      ("algorithm", nil), ("algorithm", "'none'"), ("algorithm", "'hs256'"),
      ("algorithm", "'RS256'"), ("secretFile", nil), ("secretFile", "''"), ("roles", nil),
      ("roles", "[]"), ("roles", "['admin']"), ("roles", "['viewer', 'drawer']"),
      ("roles", "'viewer'"), ("rooms", nil), ("rooms", "[]"), ("rooms", "['Front']"),
      ("rooms", "['*x']"), ("rooms", "['a*b']"), ("rooms", "['board:']"), ("rooms", "['']"),
      ("longestLife", nil), ("longestLife", "'0s'"), ("longestLife", "'367d'"),
      ("longestLife", "60"), ("longestLife", "'1500ms'"), ("publicKey", publicKey),
    ] as [(String, String?)] {
      let error = #expect(throws: ConfigurationError.self, "\(name) \(value ?? "-")") {
        try read([name: value])
      }
      #expect(error?.message.contains("\(name) of tokenKeys[0] in --token-keys") == true)
    }
    for short in ["'AAAA'", publicKey.replacing("'", with: "\"").dropLast() + "=\"", nil] {
      #expect(throws: ConfigurationError.self) {
        try read(["algorithm": "'EdDSA'", "publicKey": short.map { String($0) }])
      }
    }
    #expect(
      throws: ConfigurationError.unknownKey(
        place: "role of tokenKeys[0] in --token-keys", nearest: "roles")
    ) { try read(["role": "'viewer'"]) }
  }

  @Test("has an id and a secret that no other key has")
  func doubled() throws {
    let one = world.keys.dropFirst().dropLast()
    var configuration = Configuration()
    #expect(throws: ConfigurationError.self) {
      try ConfigurationReader.apply(
        flag: "token-keys", text: "[\(one), \(one)]", to: &configuration)
    }
    let other = one.replacing("\"shop\"", with: "\"shop2\"").replacing(
      "\"door\"", with: "\"door2\"")
    try ConfigurationReader.apply(
      flag: "token-keys", text: "[\(one), \(other)]", to: &configuration)
    let error = #expect(throws: ConfigurationError.self) { try TokenRing(configuration) }
    #expect(error?.message.contains("a secret that another key has too") == true)
  }

  @Test("has a secret of 32 bytes or more, in a file that only its owner can read")
  func secrets() throws {
    func found(_ text: String?, mode: Int = 0o600) throws -> String {
      let path = world.scratch.path + "/shop.key"
      try? FileManager.default.removeItem(atPath: path)
      if let text { try world.write("shop.key", text, mode: mode) }
      do {
        _ = try world.ring
        return ""
      } catch let error as ConfigurationError {
        return error.message
      }
    }
    func bytes(_ count: Int) -> String { Base64URL.encode([UInt8](repeating: 1, count: count)) }
    #expect(try found(bytes(32)).isEmpty && found(bytes(256) + "\n").isEmpty)
    #expect(try found(bytes(31)).contains("31 bytes"))
    #expect(try found(bytes(257)).contains("257 bytes"))
    #expect(try found("").contains("0 bytes"))
    #expect(try found(nil).contains("which is not there"))
    for mode in [0o640, 0o604, 0o620, 0o601] {
      #expect(try found(bytes(32), mode: mode).contains("which others may read"))
    }
    for text in [bytes(32) + "=", "\n" + bytes(32), bytes(32) + "\n\n", "not base64url!", " "] {
      #expect(try found(text).contains("no base64url"), "\(text)")
    }
    #expect(try found(String(repeating: "A", count: 100_000)).isEmpty == false)
  }

  @Test("is one of 16 at most, or as many as configured")
  func count() throws {
    func check(_ keys: Int, _ limit: Int) throws {
      var configuration = Configuration()
      configuration.limits.tokenKeys = limit
      configuration.tokenKeys = (0..<keys).map {
        TokenKey(
          id: "k\($0)", algorithm: .hs256, roles: [.viewer], rooms: [], longestLife: .seconds(1))
      }
      try configuration.check()
    }
    let most = Limits.standard.tokenKeys
    #expect(most == 16)
    for limit in [most, 2] {
      try check(limit, limit)
      #expect(throws: ConfigurationError.self) { try check(limit + 1, limit) }
    }
  }

  @Test("opens the server beyond this machine, if it says by what name, and never under --dev")
  func reach() throws {
    func check(_ change: (inout Configuration) -> Void) throws -> String {
      var configuration = Configuration()
      configuration.listen = ["0.0.0.0:8080"]
      change(&configuration)
      do throws(ConfigurationError) { try configuration.check() } catch { return error.message }
      return ""
    }
    let keys = [
      TokenKey(id: "k", algorithm: .hs256, roles: [.viewer], rooms: [], longestLife: .seconds(1))
    ]
    #expect(try check { _ in }.contains("without tokenKeys"))
    #expect(try check { $0.tokenKeys = keys }.contains("hosts is empty"))
    #expect(try check { ($0.tokenKeys, $0.hosts) = (keys, ["pad.example:8080"]) } == "")
    let dev = try check { ($0.tokenKeys, $0.hosts, $0.dev) = (keys, ["pad.example:8080"], true) }
    #expect(dev.contains("--dev is for one machine"))
    let admin = try check {
      ($0.tokenKeys, $0.hosts) = (keys, ["pad.example:8080"])
      $0.admin = ["0.0.0.0:8081"]
    }
    #expect(admin.contains("admin is") && admin.contains("metrics need no token"))
    for audience in ["", "a\nb", String(repeating: "x", count: 129)] {
      let text = try check {
        ($0.tokenKeys, $0.hosts, $0.tokenAudience) = (keys, ["pad.example:8080"], audience)
      }
      #expect(text.contains("tokenAudience"))
    }
  }

  @Test("and the origins of a rule of boards are as many as may be, each one an origin")
  func origins() throws {
    func check(_ text: String, limit: Int = 2) throws {
      var configuration = Configuration()
      configuration.limits.originsPerRoom = limit
      try ConfigurationReader.apply(flag: "boards", text: text, to: &configuration)
      try configuration.check()
    }
    try check("[{ name: '*', access: 'open', origins: ['https://a', 'https://b:1'] }]")
    for text in [
      "[{ name: '*', origins: ['https://a', 'https://b', 'https://c'] }]",
      "[{ name: '*', origins: [] }]", "[{ name: '*', origins: ['null'] }]",
      "[{ name: '*', origins: ['https://a/'] }]", "[{ name: '*', origins: 'https://a' }]",
      "[{ name: '*', access: 'none' }]", "[{ name: '*', access: true }]",
    ] {
      #expect(throws: ConfigurationError.self, "\(text)") { try check(text) }
    }
  }
}
