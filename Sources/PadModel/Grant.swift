/// The signed, short-lived "open" that an actuator acts on.
public struct Grant: Equatable, Sendable, Redacted {
  /// The grant's number.
  public var id: GrantID
  /// The lock that it opens.
  public var lock: LockID
  /// The actuator that claimed it.
  public var audience: MemberID
  /// The number that the actuator chose for its claim.
  public var nonce: GrantNonce
  /// Whether it is for show: verifiers refuse it unless told otherwise.
  public var isDemo: Bool
  /// Which key signed it.
  public var keyID: UInt32
  /// The 64 bytes of the Ed25519 signature over ``signedBytes``.
  public var signature: [UInt8]

  /// What begins the signed bytes, so that no other signature of the key can be taken for a grant.
  public static let domainTag = "drawbolt-grant-v1"

  /// Makes a grant.
  public init(
    id: GrantID, lock: LockID, audience: MemberID, nonce: GrantNonce, isDemo: Bool, keyID: UInt32,
    signature: [UInt8] = []
  ) {
    self.id = id
    self.lock = lock
    self.audience = audience
    self.nonce = nonce
    self.isDemo = isDemo
    self.keyID = keyID
    self.signature = signature
  }

  /// The exact bytes that are signed.
  ///
  /// Tag, NUL, key id (u32), demo (u8), lock (u8 length, bytes), audience (u32), action (u8 length,
  /// `open`), id (16 bytes), nonce (16 bytes); numbers are big-endian.
  public var signedBytes: [UInt8] {
    var bytes = Array(Self.domainTag.utf8) + [0]
    bytes += bigEndian(keyID) + [isDemo ? 1 : 0]
    bytes += [UInt8(lock.text.utf8.count)] + Array(lock.text.utf8)
    bytes += bigEndian(audience.number)
    bytes += [4] + Array("open".utf8)
    return bytes + id.bytes + nonce.bytes
  }
}

private func bigEndian(_ value: UInt32) -> [UInt8] {
  stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
}

/// The public half of the key that signs grants.
public struct GrantKey: Equatable, Sendable {
  /// Its number.
  public var id: UInt32
  /// The 32 bytes of the Ed25519 public key.
  public var publicKey: [UInt8]

  /// Makes a value.
  public init(id: UInt32, publicKey: [UInt8]) {
    self.id = id
    self.publicKey = publicKey
  }
}
