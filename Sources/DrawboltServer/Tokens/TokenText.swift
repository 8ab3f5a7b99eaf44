import Wire

/// A token taken apart, before anything of it is believed: three parts, each written in the one way
/// that there is.
struct TokenText: Equatable {
  /// What the header names; it has these three fields and no other, so no `crit`, no `jwk`, no `jku`.
  struct Header: Codable, Equatable {
    let alg: String
    let typ: String
    let kid: String

    /// The one type that there is.
    static let type = "JWT"
  }

  let header: Header
  let claims: [UInt8]
  let signature: [UInt8]
  /// What the signature covers: header and claims as they came, with the dot between them.
  let signed: [UInt8]

  /// Takes a token apart.
  init(_ text: String, limit: Int) throws(TokenError) {
    guard text.utf8.count <= limit else {
      throw .tooLong(byteCount: text.utf8.count, limit: limit)
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .parts(count: parts.count) }
    header = try Self.header(try Self.bytes(parts[0], .header))
    claims = try Self.bytes(parts[1], .claims)
    signature = try Self.bytes(parts[2], .signature)
    signed = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
  }

  private static func bytes(_ part: Substring, _ name: TokenPart) throws(TokenError) -> [UInt8] {
    guard let bytes = Base64URL.decode(String(part)) else { throw .encoding(name) }
    return bytes
  }

  private static func header(_ bytes: [UInt8]) throws(TokenError) -> Header {
    let fields: [String: String] = try TokenJSON.decode(bytes, depth: 1, otherwise: .header)
    guard fields.count == 3, let alg = fields["alg"], let kid = fields["kid"],
      let typ = fields["typ"], typ == Header.type
    else { throw .header }
    return Header(alg: alg, typ: typ, kid: kid)
  }

  /// The text that is signed for these claims.
  static func toSign(_ claims: TokenClaims, by key: TokenKey) -> String {
    let header = Header(alg: key.algorithm.rawValue, typ: Header.type, kid: key.id)
    return Base64URL.encode(TokenJSON.encode(header)) + "."
      + Base64URL.encode(claims.encoded())
  }
}
