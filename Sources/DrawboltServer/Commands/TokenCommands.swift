import Foundation
import PadModel
import Vault
import Wire

extension Command {
  static let tokenKey = Command(
    name: "token key", operands: "FILE",
    summary: "Make a key that signs tokens, in a file readable by its owner only.",
    details: """
      An HS256 secret is for an issuer that the server trusts wholly: who has it can do all that the key
      may give. The seed of an EdDSA pair signs elsewhere; the server needs only the public half, which
      is printed.
      """,
    options: [
      Option(name: "algorithm", value: "NAME", help: "HS256 (default) or EdDSA.")
    ]
  ) { arguments, console throws(CommandFailure) in
    let file = try arguments.onlyWord("FILE")
    let algorithm = try arguments.choice("algorithm", default: TokenAlgorithm.hs256)
    try startSodium()
    let secret = Sodium.random(KeyMaterial.fewestBytes)
    if let reason = PrivateFile.create(file, Array((Base64URL.encode(secret) + "\n").utf8)) {
      throw CommandFailure(.cannotCreate, "cannot make \(file): \(systemText(reason))")
    }
    console.print("Made \(file).\n")
    if algorithm == .edDSA {
      let key = Base64URL.encode(Sodium.signingPair(seed: secret).publicKey)
      console.print("publicKey: \"\(key)\"\n")
    }
  }

  static let tokenMint = Command(
    name: "token mint", summary: "Make a token and print it.",
    options: ConfigurationOptions.forTokens + [
      Option(
        name: "kid", value: "ID", help: "The key of tokenKeys that signs; the only one if left out."
      ),
      Option(name: "room", value: "ROOM", help: "The room that it gives: LOCK or board:NAME."),
      Option(name: "role", value: "ROLE", help: "controller, viewer or actuator."),
      Option(
        name: "life", value: "TIME", help: "How long it lives, like 30m; default is the key's most."
      ),
      Option(
        name: "subject", value: "TEXT", help: "Whom it is for; default is the token's number."),
      Option(name: "name", value: "NAME", help: "What its member is called."),
      Option(name: "shared", value: nil, help: "It is for a pad that many use."),
    ]
  ) { arguments, console throws(CommandFailure) in
    let configuration = try ConfigurationOptions.configuration(arguments)
    let ring = try tokenRing(configuration)
    let key = try mintingKey(arguments, configuration)
    let claims = try newClaims(arguments, configuration, key)
    console.print(try ring.mint(claims, by: key.id) + "\n")
  }

  static let tokenCheck = Command(
    name: "token check",
    summary: "Say what a token gives, or why it is refused; it comes on standard input.",
    options: ConfigurationOptions.forTokens
  ) { arguments, console throws(CommandFailure) in
    let configuration = try ConfigurationOptions.configuration(arguments)
    let claims = try readToken(console, configuration)
    let revoked = try store(arguments).administer { vault throws(VaultError) in
      try vault.revocations()
    }
    guard !revoked.contains(where: { $0.token == claims.id }) else {
      throw CommandFailure(.badData, "the token is refused: \(TokenError.revoked.message)")
    }
    let rows = [
      ["room", "\(claims.room)"], ["role", claims.role.rawValue], ["subject", claims.subject],
      ["name", claims.name?.text ?? "-"], ["shared", claims.isShared ? "yes" : "no"],
      ["expires", date(claims.expires)], ["number", claims.id],
    ]
    console.print(table(["CLAIM", "VALUE"], rows))
  }

  static let tokenRevoke = Command(
    name: "token revoke", operands: "NUMBER",
    summary: "Let a token not count any more: the one on standard input, or that of a number.",
    details: """
      A running server sends its member away within a second. A number alone does not say when its token
      ends, so it is remembered for as long as a token may live at most.
      """,
    options: ConfigurationOptions.forTokens
  ) { arguments, console throws(CommandFailure) in
    let configuration = try ConfigurationOptions.configuration(arguments)
    let number: String
    let expires: Int64
    if let word = arguments.words.first {
      guard TokenClaims.isText(word) else {
        throw CommandFailure(.usage, "\(quoted(word)) is no token's number")
      }
      let life = TokenKey.allowedLives.upperBound.components.seconds
      (number, expires) = (word, Int64(time(nil)) + life)
    } else {
      let claims = try readToken(console, configuration)
      (number, expires) = (claims.id, claims.expires)
    }
    try store(arguments).administer { vault throws(VaultError) in
      try vault.revokeToken(number, expires: expires)
    }
    console.print("Revoked \(quoted(number)).\n")
  }

  static let tokenList = Command(
    name: "token list", summary: "List the keys and what they may give, and the revoked tokens.",
    options: ConfigurationOptions.forTokens
  ) { arguments, console throws(CommandFailure) in
    let keys = try ConfigurationOptions.configuration(arguments).tokenKeys
    let revoked = try store(arguments).administer { vault throws(VaultError) in
      try vault.revocations()
    }
    let keyRows = keys.map { key in
      [
        key.id, key.algorithm.rawValue, key.roles.map(\.rawValue).joined(separator: ","),
        DurationText.format(key.longestLife), key.rooms.map(\.text).joined(separator: ","),
      ]
    }
    console.print(
      keyRows.isEmpty
        ? "There is no key: nobody needs a token.\n"
        : table(["KEY", "ALGORITHM", "ROLES", "LIFE", "ROOMS"], keyRows))
    console.print(
      revoked.isEmpty
        ? "No token is revoked.\n"
        : table(["REVOKED", "UNTIL"], revoked.map { [quoted($0.token), date($0.expires)] }))
  }

  /// The configured keys, their secrets read.
  static func tokenRing(_ configuration: Configuration) throws(CommandFailure) -> TokenRing {
    try startSodium()
    do throws(ConfigurationError) {
      try configuration.checkTokens()
      return try TokenRing(configuration)
    } catch {
      throw CommandFailure(.configuration, error.message)
    }
  }
}

extension Command {
  private static func startSodium() throws(CommandFailure) {
    do throws(VaultError) { try Sodium.start() } catch {
      throw CommandFailure(error.exitStatus, error.message)
    }
  }

  /// The key that is named, or the only one.
  private static func mintingKey(_ arguments: Arguments, _ configuration: Configuration)
    throws(CommandFailure) -> TokenKey
  {
    let keys = configuration.tokenKeys
    let known = keys.map(\.id).joined(separator: ", ")
    guard let id = arguments["kid"] ?? (keys.count == 1 ? keys[0].id : nil) else {
      throw CommandFailure(
        .usage, keys.isEmpty ? "tokenKeys has no key" : "--kid is missing; it is one of \(known)")
    }
    guard let key = keys.first(where: { $0.id == id }) else {
      throw CommandFailure(.usage, "--kid is \(quoted(id)), but must be one of \(known)")
    }
    return key
  }

  private static func newClaims(
    _ arguments: Arguments, _ configuration: Configuration, _ key: TokenKey
  ) throws(CommandFailure) -> TokenClaims {
    let number = Sodium.random(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let subject = arguments["subject"] ?? number
    guard TokenClaims.isText(subject) else {
      throw CommandFailure(
        .usage, "--subject must be 1 to \(TokenClaims.longestText) bytes without control characters"
      )
    }
    let now = Int64(time(nil))
    return TokenClaims(
      subject: subject, room: try room(arguments), role: try role(arguments), validFrom: now,
      expires: now + (try life(arguments, key)), audience: configuration.tokenAudience, id: number,
      name: try memberName(arguments, limit: configuration.limits.nameBytes),
      isShared: arguments.has("shared"))
  }

  private static func room(_ arguments: Arguments) throws(CommandFailure) -> RoomName {
    guard let text = arguments["room"] else { throw CommandFailure(.usage, "--room is missing") }
    guard let room = try? RoomName(text) else {
      throw CommandFailure(.usage, "--room is \(quoted(text)), but must be LOCK or board:NAME")
    }
    return room
  }

  private static func role(_ arguments: Arguments) throws(CommandFailure) -> Role {
    guard let text = arguments["role"] else { throw CommandFailure(.usage, "--role is missing") }
    guard let role = TokenKey.allowedRoles.first(where: { $0.rawValue == text }) else {
      let names = TokenKey.allowedRoles.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.usage, "--role is \(quoted(text)), but must be one of \(names)")
    }
    return role
  }

  private static func life(_ arguments: Arguments, _ key: TokenKey)
    throws(CommandFailure) -> Int64
  {
    guard let text = arguments["life"] else { return key.longestLife.components.seconds }
    guard let life = DurationText.parse(text), life >= .seconds(1) else {
      throw CommandFailure(.usage, "--life is \(quoted(text)), but must be like 90s or 30m")
    }
    return life.components.seconds
  }

  private static func memberName(_ arguments: Arguments, limit: Int)
    throws(CommandFailure) -> MemberName?
  {
    guard let text = arguments["name"] else { return nil }
    guard let name = try? MemberName(text, limit: limit) else {
      throw CommandFailure(
        .usage, "--name must be 1 to \(limit) bytes without control characters")
    }
    return name
  }

  /// What the token on standard input says, if the configured keys vouch for it.
  private static func readToken(_ console: Console, _ configuration: Configuration)
    throws(CommandFailure) -> TokenClaims
  {
    let ring = try tokenRing(configuration)
    if console.isInteractive { console.print("Token (it is not shown): ") }
    guard let input = console.readInput() else {
      throw CommandFailure(.noInput, "no token came on standard input")
    }
    let token = input.filter { !$0.isWhitespace }
    do throws(TokenError) { return try ring.verify(token, at: Int64(time(nil))) } catch {
      throw CommandFailure(.badData, "the token is refused: \(error.message)")
    }
  }

  /// A second since 1970 for people, in UTC.
  private static func date(_ second: Int64) -> String {
    Date(timeIntervalSince1970: Double(second)).formatted(.iso8601)
  }
}
