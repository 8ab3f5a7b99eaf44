import PadModel
import Wire

/// Reading of the list `tokenKeys`.
extension ConfigurationReader {
  private static let tokenKeyKeys = [
    "kid", "algorithm", "secretFile", "publicKey", "roles", "rooms", "longestLife",
  ]

  /// What the list has for a name in the environment and among the flags: JSON5 text.
  package static let (tokenKeysVariable, tokenKeysFlag) = ("DRAWBOLT_TOKEN_KEYS", "token-keys")

  static func tokenKeys(json5 text: String, in place: String)
    throws(ConfigurationError) -> [TokenKey]
  {
    try tokenKeys(try ConfigurationValue(json5: text, file: place), in: place)
  }

  static func tokenKeys(_ value: ConfigurationValue, in file: String)
    throws(ConfigurationError) -> [TokenKey]
  {
    guard case .list(let items) = value else {
      throw .badValue(place: "tokenKeys in \(file)", found: value.kind, wanted: "a list of tables")
    }
    var keys: [TokenKey] = []
    var mistakes = Mistakes()
    for (index, item) in items.enumerated() {
      mistakes.gather { () throws(ConfigurationError) in
        let place = "tokenKeys[\(index)] in \(file)"
        let key = try tokenKey(item, place: place)
        guard !keys.contains(where: { $0.id == key.id }) else {
          throw .badValue(
            place: "kid of \(place)", found: quoted(key.id), wanted: "one that no other key has")
        }
        keys.append(key)
      }
    }
    try mistakes.report()
    return keys
  }

  private static func tokenKey(_ value: ConfigurationValue, place: String)
    throws(ConfigurationError) -> TokenKey
  {
    guard case .table(let table) = value else {
      throw .badValue(place: place, found: value.kind, wanted: "a table")
    }
    for entry in table.entries where !tokenKeyKeys.contains(entry.name) {
      throw .unknownKey(
        place: "\(entry.name) of \(place)",
        nearest: nearestName(to: entry.name, among: tokenKeyKeys))
    }
    let algorithm = try made(
      table["algorithm"], "algorithm of \(place)",
      wanted: "one of \(TokenAlgorithm.allCases.map(\.rawValue).joined(separator: ", "))",
      TokenAlgorithm.init(rawValue:))
    let key = TokenKey(
      id: try made(
        table["kid"], "kid of \(place)",
        wanted: "1 to \(TokenKey.longestID) letters, digits, dashes, dots and underscores"
      ) { TokenKey.isID($0) ? $0 : nil },
      algorithm: algorithm, secretFile: try secretFile(table["secretFile"], algorithm, place),
      publicKey: try publicKey(table["publicKey"], algorithm, place),
      roles: try list(
        table["roles"], "roles of \(place)",
        wanted: "some of \(TokenKey.allowedRoles.map(\.rawValue).joined(separator: ", "))"
      ) { name in TokenKey.allowedRoles.first { $0.rawValue == name } },
      rooms: try list(
        table["rooms"], "rooms of \(place)",
        wanted: "rooms, such as \"front-door\", \"floor-2-*\" or \"board:*\"", RoomPattern.init),
      longestLife: try life(table["longestLife"], "longestLife of \(place)"))
    return key
  }

  /// The secret of HMAC must be there; the seed of a pair need not.
  private static func secretFile(
    _ value: ConfigurationValue?, _ algorithm: TokenAlgorithm, _ place: String
  ) throws(ConfigurationError) -> String? {
    if value == nil, algorithm == .edDSA { return nil }
    return try made(value, "secretFile of \(place)", wanted: "a file's path") {
      $0.isEmpty ? nil : $0
    }
  }

  /// Only a pair has a public half.
  private static func publicKey(
    _ value: ConfigurationValue?, _ algorithm: TokenAlgorithm, _ place: String
  ) throws(ConfigurationError) -> [UInt8]? {
    if value == nil, algorithm == .hs256 { return nil }
    let wanted =
      algorithm == .edDSA ? "32 bytes in base64url without =" : "left out: HS256 has no public half"
    return try made(value, "publicKey of \(place)", wanted: wanted) { text in
      guard algorithm == .edDSA, let bytes = Base64URL.decode(text), bytes.count == 32 else {
        return nil
      }
      return bytes
    }
  }

  private static func life(_ value: ConfigurationValue?, _ place: String)
    throws(ConfigurationError) -> Duration
  {
    let range = TokenKey.allowedLives
    let bounds = [range.lowerBound, range.upperBound].map { "\"\(DurationText.format($0))\"" }
    return try made(value, place, wanted: "a duration, \(bounds[0]) to \(bounds[1])") { text in
      DurationText.parse(text).flatMap { life in
        range.contains(life) && life.components.attoseconds == 0 ? life : nil
      }
    }
  }

  /// Text that `make` turns into a value.
  static func made<Made>(
    _ value: ConfigurationValue?, _ place: String, wanted: String, _ make: (String) -> Made?
  ) throws(ConfigurationError) -> Made {
    guard case .text(let text) = value ?? .nothing, let made = make(text) else {
      throw .badValue(place: place, found: (value ?? .nothing).shown, wanted: wanted)
    }
    return made
  }

  /// A list with something in it, of texts that `make` turns into values.
  static func list<Made>(
    _ value: ConfigurationValue?, _ place: String, wanted: String, _ make: (String) -> Made?
  ) throws(ConfigurationError) -> [Made] {
    guard case .list(let items) = value ?? .nothing, !items.isEmpty else {
      throw .badValue(place: place, found: (value ?? .nothing).shown, wanted: "a list of \(wanted)")
    }
    var list: [Made] = []
    for item in items { list.append(try made(item, place, wanted: wanted, make)) }
    return list
  }
}
