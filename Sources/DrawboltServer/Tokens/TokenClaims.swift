import Foundation
package import PadModel
import Wire

/// What a token says, each claim in its range; whether that counts is the key's to say.
package struct TokenClaims: Equatable, Sendable {
  /// The longest subject, audience and token id, in bytes.
  static let longestText = 128
  /// The last second that a date can have: the end of the year 9999.
  private static let lastSecond: Int64 = 253_402_300_799
  /// An object of plain values is not nested.
  private static let depth = 4

  /// Whom it was made for, in the issuer's words; the server keeps it nowhere.
  package var subject: String
  /// The one room that it gives.
  package var room: RoomName
  /// The role that it gives.
  package var role: Role
  /// The first second since 1970 in which it is not valid any more.
  package var expires: Int64
  /// The first second in which it is valid.
  package var validFrom: Int64
  /// Whom it is meant for.
  package var audience: String
  /// Its own number, by which it can be revoked.
  package var id: String
  /// What its member is called, whatever the member says.
  package var name: MemberName?
  /// Whether the pad is one that many use, such as a kiosk.
  package var isShared = false

  /// Makes claims to be signed.
  package init(
    subject: String, room: RoomName, role: Role, validFrom: Int64, expires: Int64,
    audience: String, id: String, name: MemberName? = nil, isShared: Bool = false
  ) {
    self.subject = subject
    self.room = room
    self.role = role
    self.validFrom = validFrom
    self.expires = expires
    self.audience = audience
    self.id = id
    self.name = name
    self.isShared = isShared
  }

  /// Reads the bytes that were signed; claims with other names are left aside.
  init(_ bytes: [UInt8], nameLimit: Int) throws(TokenError) {
    let raw: Raw = try TokenJSON.decode(bytes, depth: Self.depth, otherwise: .claims)
    subject = try Self.text(raw.sub, .sub)
    room = try Self.made(.room) { try RoomName(raw.room) }
    role = try Self.made(.role) { Role(rawValue: raw.role) }
    audience = try Self.text(raw.aud, .aud)
    id = try Self.text(raw.jti, .jti)
    name = try raw.name.map { name throws(TokenError) in
      try Self.made(.name) { try MemberName(name, limit: nameLimit) }
    }
    isShared = raw.shared ?? false
    guard (0...Self.lastSecond).contains(raw.nbf) else { throw .claimMalformed(.nbf) }
    guard (0...Self.lastSecond).contains(raw.exp), raw.exp > raw.nbf else {
      throw .claimMalformed(.exp)
    }
    (validFrom, expires) = (raw.nbf, raw.exp)
  }

  /// Text that can stand in a list or a log: no control characters, and some of it.
  static func isText(_ text: String) -> Bool {
    (try? MemberName(text, limit: longestText)) != nil
  }

  private static func text(_ text: String, _ claim: TokenClaim) throws(TokenError) -> String {
    guard isText(text) else { throw .claimMalformed(claim) }
    return text
  }

  private static func made<Made>(_ claim: TokenClaim, _ make: () throws -> Made?)
    throws(TokenError) -> Made
  {
    guard let made = try? make() else { throw .claimMalformed(claim) }
    return made
  }

  /// The claims as JSON, for signing.
  func encoded() -> [UInt8] {
    let raw = Raw(
      sub: subject, room: room.description, role: role.rawValue, exp: expires, nbf: validFrom,
      aud: audience, jti: id, name: name?.text, shared: isShared ? true : nil)
    return TokenJSON.encode(raw)
  }

  /// The claims with their wire types.
  private struct Raw: Codable {
    let sub, room, role: String
    let exp, nbf: Int64
    let aud, jti: String
    let name: String?
    let shared: Bool?

    typealias CodingKeys = TokenClaim
  }
}

/// JSON of tokens: an object without doubled or escaped names.
enum TokenJSON {
  /// Reads an object that is bounded and unambiguous.
  ///
  /// - Throws: `failure`, or which claim is missing or of the wrong kind.
  static func decode<Value: Decodable>(
    _ bytes: [UInt8], depth: Int, otherwise failure: TokenError
  ) throws(TokenError) -> Value {
    guard (try? JSONShape.check(bytes.span, depthLimit: depth)) != nil else { throw failure }
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw fault(error) ?? failure
    } catch {
      throw failure
    }
  }

  private static func fault(_ error: DecodingError) -> TokenError? {
    switch error {
    case .keyNotFound(let key, _): (key as? TokenClaim).map { .claimMissing($0) }
    case .valueNotFound(_, let context), .typeMismatch(_, let context),
      .dataCorrupted(let context):
      (context.codingPath.last as? TokenClaim).map { .claimMalformed($0) }
    @unknown default: nil
    }
  }

  /// Writes an object, names in the order of the alphabet.
  static func encode(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("texts and numbers can be written")
    }
    return [UInt8](data)
  }
}
