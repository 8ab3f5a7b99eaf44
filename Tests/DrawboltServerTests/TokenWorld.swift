import DrawboltServer
import Foundation
import PadModel
import Vault
import Wire

/// Keys and tokens as an issuer makes them, good ones and bad ones.
///
/// It puts tokens together by hand, so that it can make those which no program would.
final class TokenWorld {
  static let now: Int64 = 1_800_000_000

  let scratch: Scratch
  let secret = Array(UInt8(1)...40)
  let pair = Sodium.signingPair(seed: [UInt8](repeating: 7, count: 32))
  private(set) var configuration = Configuration()

  init() throws {
    scratch = try Scratch()
    try write("shop.key", Base64URL.encode(secret) + "\n")
    try write("door.key", Base64URL.encode([UInt8](repeating: 7, count: 32)))
    try configure()
  }

  /// The list `tokenKeys`: `shop` signs by HMAC, `door` by Ed25519.
  var keys: String {
    """
    [{ kid: "shop", algorithm: "HS256", secretFile: "\(scratch.path)/shop.key",
       roles: ["controller", "viewer"], rooms: ["front", "floor-*", "board:*"], longestLife: "1h" },
     { kid: "door", algorithm: "EdDSA", publicKey: "\(Base64URL.encode(pair.publicKey))",
       secretFile: "\(scratch.path)/door.key",
       roles: ["actuator", "viewer"], rooms: ["*", "board:lesson"], longestLife: "30d" }]
    """
  }

  func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
    let path = scratch.path + "/" + name
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  func configure(_ change: (inout Configuration) throws -> Void = { _ in }) throws {
    try ConfigurationReader.apply(
      flag: ConfigurationReader.tokenKeysFlag, text: keys, to: &configuration)
    try change(&configuration)
  }

  var ring: TokenRing { get throws { try TokenRing(configuration) } }

  /// Why a token is refused at a second; nil if it isn't.
  func refusal(of token: String, at wall: Int64 = now) throws -> TokenError? {
    let ring = try ring
    do throws(TokenError) {
      _ = try ring.verify(token, at: wall)
      return nil
    } catch {
      return error
    }
  }

  static let header = #"{"alg":"HS256","typ":"JWT","kid":"shop"}"#
  static let doorHeader = #"{"alg":"EdDSA","typ":"JWT","kid":"door"}"#

  /// Claims as JSON; a value is JSON too, and nil leaves a claim out.
  static func claims(_ changes: [String: String?] = [:]) -> String {
    var claims: [String: String] = [
      "sub": #""ana""#, "room": #""front""#, "role": #""controller""#, "exp": "\(now + 600)",
      "nbf": "\(now)", "aud": #""drawbolt""#, "jti": #""t1""#,
    ]
    for (name, value) in changes { claims[name] = value }
    let fields = claims.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return "{" + fields.joined(separator: ",") + "}"
  }

  static func part(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

  /// A token of these two texts, signed by HMAC.
  func token(_ claims: String = claims(), header: String = header, key: [UInt8]? = nil) -> String {
    let signed = Self.part(header) + "." + Self.part(claims)
    return signed + "." + mac(signed, key ?? secret)
  }

  func mac(_ signed: String, _ key: [UInt8]) -> String {
    Base64URL.encode(Sodium.authenticator(of: Array(signed.utf8), key: key))
  }

  /// A token of these two texts, signed by Ed25519.
  func signedToken(_ claims: String, header: String = doorHeader) -> String {
    let signed = Self.part(header) + "." + Self.part(claims)
    let signature = Sodium.sign(Array(signed.utf8), secretKey: pair.secretKey)
    return signed + "." + Base64URL.encode(signature)
  }
}
