package import PadModel

/// How a key signs tokens; each key has exactly one way, whatever a token says.
package enum TokenAlgorithm: String, CaseIterable, Sendable {
  /// HMAC with SHA-256: who checks tokens can make them too.
  case hs256 = "HS256"
  /// Ed25519: the server has only the public half.
  case edDSA = "EdDSA"
}

/// A key that tokens may be signed with, and what they may give, as the configuration says.
package struct TokenKey: Equatable, Sendable {
  /// The longest id, in bytes.
  static let longestID = 64
  /// The lives that a key may allow at most.
  static let allowedLives = Duration.seconds(1) ... .seconds(366 * 86_400)
  /// Roles that a token can give: an admin's is none of them.
  static let allowedRoles: [Role] = [.controller, .viewer, .actuator]

  /// Names the key in a token's header.
  package var id: String
  /// The one way in which it signs.
  package var algorithm: TokenAlgorithm
  /// The file of its secret: what signs and checks `HS256`, or the seed that signs `EdDSA`, which a
  /// server needs to mint only.
  package var secretFile: String?
  /// The 32 bytes that check `EdDSA`.
  package var publicKey: [UInt8]?
  /// The roles that it may give.
  package var roles: [Role]
  /// The rooms that it may give: names, or beginnings and `*`.
  package var rooms: [RoomPattern]
  /// How long its tokens may live.
  package var longestLife: Duration

  /// Makes a value.
  package init(
    id: String, algorithm: TokenAlgorithm, secretFile: String? = nil, publicKey: [UInt8]? = nil,
    roles: [Role], rooms: [RoomPattern], longestLife: Duration
  ) {
    self.id = id
    self.algorithm = algorithm
    self.secretFile = secretFile
    self.publicKey = publicKey
    self.roles = roles
    self.rooms = rooms
    self.longestLife = longestLife
  }

  /// Whether the text can name a key: it stands in a message and a log.
  static func isID(_ text: String) -> Bool {
    (1...longestID).contains(text.utf8.count) && text.utf8.allSatisfy(isPlain)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_.".utf8.contains(byte)
    }
  }
}

/// Some rooms: one by its name, or all whose names begin alike and end in `*` here.
///
/// `*` is every lock and `board:*` every board; no pattern is both.
package struct RoomPattern: Equatable, Sendable {
  /// The pattern as it is written.
  package let text: String
  private let isBoard: Bool
  private let name: Substring

  /// Reads a pattern; nil if no room could fit it.
  package init?(_ text: String) {
    isBoard = text.hasPrefix(RoomName.boardPrefix)
    name = isBoard ? text.dropFirst(RoomName.boardPrefix.count) : text[...]
    let stem = name.hasSuffix("*") ? name.dropLast() : name
    guard name == "*" || (try? LockID(String(stem))) != nil else { return nil }
    self.text = text
  }

  /// Whether the room is one of these.
  package func fits(_ room: RoomName) -> Bool {
    switch room {
    case .board(let board): isBoard && BoardRule.pattern(name, fits: board)
    case .lock(let lock): !isBoard && BoardRule.pattern(name, fits: lock.text)
    }
  }
}
