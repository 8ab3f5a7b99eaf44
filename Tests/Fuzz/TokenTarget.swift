import DrawboltServer
import Foundation
import PadModel
import Vault
import Wire

/// Tokens as they come, and tokens that are signed whatever they say.
enum TokenTarget {
  private static let wall: Int64 = 1_800_000_000
  private static let secret = [UInt8](1...40)
  private static let ring = makeRing()

  /// A text is a token; a text of two lines is a header and claims, which get their signature here.
  @Sendable static func check(_ bytes: [UInt8]) {
    let ring = ring
    let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1).map(Array.init)
    guard parts.count == 2 else {
      return expect(String(decoding: bytes, as: UTF8.self), by: ring)
    }
    let signed = parts.map(Base64URL.encode).joined(separator: ".")
    expect(signed + "." + signature(of: signed), by: ring)
  }

  /// What counts is what the key signed, in the one way to write it, and gives what it may give.
  private static func expect(_ token: String, by ring: TokenRing) {
    let claims: TokenClaims
    do throws(TokenError) { claims = try ring.verify(token, at: wall) } catch {
      precondition(!error.message.isEmpty, "a refusal says something")
      return
    }
    let signed = token.split(separator: ".").dropLast().joined(separator: ".")
    precondition(token == signed + "." + signature(of: signed), "only the key's signature counts")
    precondition(claims.validFrom <= wall && wall < claims.expires, "it is its time")
    precondition(claims.expires - claims.validFrom <= 3600, "it lives no longer than it may")
    precondition(claims.audience == "drawbolt", "it is meant for us")
    precondition([.controller, .viewer].contains(claims.role), "its key may give the role")
    precondition(claims.room != .lock(VaultAdministration.demoLock), "its key may give the room")
  }

  private static func signature(of signed: String) -> String {
    Base64URL.encode(Sodium.authenticator(of: Array(signed.utf8), key: secret))
  }

  private static func makeRing() -> TokenRing {
    let path = NSTemporaryDirectory() + "drawbolt-fuzz-\(getpid()).key"
    defer { unlink(path) }
    let keys = """
      [{ kid: "shop", algorithm: "HS256", secretFile: "\(path)",
         roles: ["controller", "viewer"], rooms: ["front", "floor-*", "board:*"],
         longestLife: "1h" }]
      """
    do {
      try Sodium.start()
      let reason = PrivateFile.create(path, Array(Base64URL.encode(secret).utf8))
      precondition(reason == nil, "\(path) can't be written")
      var configuration = Configuration()
      try ConfigurationReader.apply(
        flag: ConfigurationReader.tokenKeysFlag, text: keys, to: &configuration)
      return try TokenRing(configuration)
    } catch {
      fatalError("\(error)")
    }
  }
}
