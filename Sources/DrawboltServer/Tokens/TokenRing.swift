import PadModel
import Vault
import Wire

/// The keys that tokens are checked with, their secrets read.
///
/// Nothing that a token says changes how it is checked: its `kid` chooses a key, and the key knows its
/// one algorithm, the roles and rooms that it may give, and how long.
package struct TokenRing: Sendable {
  /// A key with what checks and signs by it.
  struct Entry: Sendable {
    let key: TokenKey
    let material: KeyMaterial
  }

  private var entries: [String: Entry] = [:]
  private let audience: String
  private let limits: Limits

  /// A ring without keys.
  package init() {
    audience = ""
    limits = .standard
  }

  /// Reads the secrets of the configured keys.
  ///
  /// - Throws: ``ConfigurationError`` if a secret can't be had, is too short or stands under two ids.
  package init(_ configuration: Configuration) throws(ConfigurationError) {
    audience = configuration.tokenAudience
    limits = configuration.limits
    var known: Set<[UInt8]> = []
    for key in configuration.tokenKeys {
      let material = try KeyMaterial.read(key)
      guard known.insert(material.checkingBytes).inserted else {
        throw .badValue(
          place: "tokenKeys, \(quoted(key.id))", found: "a secret that another key has too",
          wanted: "one of its own, so that each gives only what it may")
      }
      entries[key.id] = Entry(key: key, material: material)
    }
  }

  /// Whether there is no key, so that nobody has a token.
  package var isEmpty: Bool { entries.isEmpty }

  /// Checks a token in this order: form, key, algorithm, signature, claims, audience, time, life, and
  /// what the key may give.
  ///
  /// - Parameters:
  ///   - text: the token.
  ///   - wall: the second since 1970.
  /// - Returns: what the token says.
  /// - Throws: why it does not count.
  package func verify(_ text: String, at wall: Int64) throws(TokenError) -> TokenClaims {
    let token = try TokenText(text, limit: limits.tokenBytes)
    guard let entry = entries[token.header.kid] else { throw .unknownKey }
    guard token.header.alg == entry.key.algorithm.rawValue else { throw .algorithm }
    guard entry.material.accepts(token.signature, of: token.signed) else { throw .signature }
    let claims = try TokenClaims(token.claims, nameLimit: limits.nameBytes)
    guard claims.audience == audience else { throw .audience }
    guard wall < claims.expires else { throw .expired(at: claims.expires) }
    guard wall >= claims.validFrom else { throw .notYetValid(from: claims.validFrom) }
    try entry.key.allow(claims)
    return claims
  }

  /// Makes a token that this ring would take.
  ///
  /// - Throws: a usage or configuration failure.
  func mint(_ claims: TokenClaims, by id: String) throws(CommandFailure) -> String {
    guard let entry = entries[id] else {
      let known = entries.keys.sorted().joined(separator: ", ")
      throw CommandFailure(
        .usage, "--kid is \(id), but tokenKeys has \(known.isEmpty ? "no key" : known)")
    }
    do throws(TokenError) { try entry.key.allow(claims) } catch {
      throw CommandFailure(.usage, "no server would take the token: \(error.message)")
    }
    let text = TokenText.toSign(claims, by: entry.key)
    guard let signature = try entry.material.signature(of: Array(text.utf8)) else {
      throw CommandFailure(
        .configuration, "\(id) can only check: name its seed by secretFile to mint with it")
    }
    return text + "." + Base64URL.encode(signature)
  }

  /// The audience that this ring's tokens have.
  var ownAudience: String { audience }
}

extension TokenKey {
  /// Whether the key may give what the claims say.
  func allow(_ claims: TokenClaims) throws(TokenError) {
    let life = claims.expires - claims.validFrom
    let limit = longestLife.components.seconds
    guard life <= limit else { throw .livesTooLong(seconds: life, limit: limit) }
    guard roles.contains(claims.role) else { throw .roleNotAllowed }
    guard rooms.contains(where: { $0.fits(claims.room) }) else { throw .roomNotAllowed }
  }
}
