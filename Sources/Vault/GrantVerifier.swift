package import PadModel

extension Grant {
  /// Whether `key` signed exactly this grant; its age, audience and nonce are the taker's to check.
  package func isSigned(by key: GrantKey) -> Bool {
    keyID == key.id && Sodium.isSigned(signedBytes, by: key.publicKey, signature)
  }
}
