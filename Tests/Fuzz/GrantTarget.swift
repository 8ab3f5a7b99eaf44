import PadModel
import Vault
import Wire

/// Grants as an actuator gets them, in text and signed by nobody, or by the right key.
enum GrantTarget {
  private static let pair = Sodium.signingPair(seed: [UInt8](repeating: 7, count: 32))

  @Sendable static func check(_ bytes: [UInt8]) {
    var decoder = ServerMessageDecoder()
    guard case .grant(var grant) = try? decoder.decode(bytes.span, isText: true, format: .json)
    else { return }
    precondition(fields(grant.signedBytes) == fields(of: grant), "each byte has one meaning")
    let key = GrantKey(id: grant.keyID, publicKey: pair.publicKey)
    precondition(!grant.isSigned(by: key), "nobody signs but the key")
    grant.signature = Sodium.sign(grant.signedBytes, secretKey: pair.secretKey)
    precondition(grant.isSigned(by: key), "the key signs")
    expectOnlyThis(grant, by: key)
  }

  /// No other grant has the signature of this one.
  private static func expectOnlyThis(_ grant: Grant, by key: GrantKey) {
    var others = Array(repeating: grant, count: 4)
    others[0].isDemo.toggle()
    others[1].keyID ^= 1
    others[2].audience = MemberID(grant.audience.number ^ 1)
    others[3].signature[0] ^= 1
    for other in others {
      let key = GrantKey(id: other.keyID, publicKey: key.publicKey)
      precondition(!other.isSigned(by: key), "the signature covers it")
    }
  }

  private struct Fields: Equatable {
    var keyID, audience: UInt32
    var isDemo: Bool
    var lock: String
    var id, nonce: [UInt8]
  }

  private static func fields(of grant: Grant) -> Fields {
    Fields(
      keyID: grant.keyID, audience: grant.audience.number, isDemo: grant.isDemo,
      lock: grant.lock.text, id: grant.id.bytes, nonce: grant.nonce.bytes)
  }

  /// Reads the signed bytes by the protocol's table; nil if they are not laid out so.
  private static func fields(_ bytes: [UInt8]) -> Fields? {
    let tag = Array("drawbolt-grant-v1".utf8) + [0]
    var rest = bytes[...]
    func take(_ count: Int) -> [UInt8] {
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func number() -> UInt32 { take(4).reduce(0) { $0 << 8 | UInt32($1) } }
    func text() -> String { String(decoding: take(Int(take(1)[0])), as: UTF8.self) }

    guard take(tag.count) == tag else { return nil }
    let (keyID, demo, lock, audience) = (number(), take(1)[0], text(), number())
    guard demo < 2, text() == "open" else { return nil }
    let (id, nonce) = (take(16), take(16))
    guard rest.isEmpty else { return nil }
    return Fields(
      keyID: keyID, audience: audience, isDemo: demo == 1, lock: lock, id: id, nonce: nonce)
  }
}
