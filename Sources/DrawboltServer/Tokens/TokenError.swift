/// Why a token is refused.
///
/// Clients are told that it is, never why; this is for the log and the command line, and holds
/// nothing of the token but times.
package enum TokenError: Error, Equatable, Sendable {
  /// The server has no keys, so a token can't count.
  case notTaken
  /// The room needs one and there is none.
  case missing
  /// It is longer than it may be.
  case tooLong(byteCount: Int, limit: Int)
  /// It has not three parts.
  case parts(count: Int)
  /// A part is no base64url, or one that could be written otherwise.
  case encoding(TokenPart)
  /// The header is not exactly `alg`, `typ` and `kid`.
  case header
  /// No key has this id.
  case unknownKey
  /// It names another algorithm than its key's.
  case algorithm
  /// The signature is not its key's.
  case signature
  /// The claims are no JSON object, or one that could be read in two ways or has a broken number.
  case claims
  /// A claim is missing.
  case claimMissing(TokenClaim)
  /// A claim is of the wrong kind or out of its range.
  case claimMalformed(TokenClaim)
  /// It is meant for somebody else.
  case audience
  /// It ended at this second since 1970.
  case expired(at: Int64)
  /// It begins at this second since 1970.
  case notYetValid(from: Int64)
  /// It lives for more seconds than its key allows.
  case livesTooLong(seconds: Int64, limit: Int64)
  /// Its key may not give this role.
  case roleNotAllowed
  /// Its key may not give this room.
  case roomNotAllowed
  /// It was revoked.
  case revoked
  /// It is for another room than the one asked for.
  case otherRoom
  /// It is for another role than the one asked for.
  case otherRole
}

/// The parts of a token.
package enum TokenPart: String, Sendable {
  case header, claims, signature
}

/// What a token says.
package enum TokenClaim: String, CaseIterable, CodingKey, Sendable {
  case sub, room, role, exp, nbf, aud, jti, name, shared
}

extension TokenError {
  /// One line for people.
  package var message: String {
    switch self {
    case .notTaken: "this server takes no tokens: it has no tokenKeys"
    case .missing: "the room needs a token"
    case .tooLong, .parts, .encoding, .header, .unknownKey, .algorithm, .signature: textMessage
    case .claims, .claimMissing, .claimMalformed, .audience: claimMessage
    case .expired(let second): "it expired at second \(second) since 1970"
    case .notYetValid(let second): "it is not valid before second \(second) since 1970"
    case .livesTooLong(let seconds, let limit):
      "it lives for \(seconds) s, and its key allows \(limit) s"
    case .roleNotAllowed: "its key may not give this role"
    case .roomNotAllowed: "its key may not give this room"
    case .revoked: "it was revoked"
    case .otherRoom: "it is for another room"
    case .otherRole: "it is for another role"
    }
  }

  private var textMessage: String {
    switch self {
    case .tooLong(let count, let limit): "it has \(count) bytes; at most \(limit) are allowed"
    case .parts(let count): "it has \(count) parts, not 3"
    case .encoding(let part):
      "its \(part.rawValue) is not base64url in the one way to write it"
    case .header: "its header is not exactly alg, typ (JWT) and kid"
    case .unknownKey: "no key of the configuration has its kid"
    case .algorithm: "its alg is not that of its key"
    default: "its signature is not that of its key"
    }
  }

  private var claimMessage: String {
    switch self {
    case .claimMissing(let claim): "it has no \(claim.rawValue)"
    case .claimMalformed(let claim): "its \(claim.rawValue) is of the wrong kind or out of range"
    case .audience: "its aud is not tokenAudience"
    default:
      "its claims are not one JSON object with whole numbers and without doubled or escaped names"
    }
  }
}
