import CSodium

/// What the vault and the tokens use of libsodium, as values.
package enum Sodium {
  static let keyBytes = 32
  static let hashBytes = 32
  static let saltBytes = 16
  static let nonceBytes = 24
  static let tagBytes = 16

  /// Must succeed once before anything else here is called; cheap to repeat.
  package static func start() throws(VaultError) {
    guard sodium_init() >= 0 else { throw .cryptography }
  }

  package static func random(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, count)
    return bytes
  }

  /// Argon2id, 32 bytes.
  static func hash(_ message: [UInt8], salt: [UInt8], cost: HashCost) throws(VaultError) -> [UInt8]
  {
    precondition(salt.count == saltBytes, "a salt has 16 bytes")
    var output = [UInt8](repeating: 0, count: hashBytes)
    var characters = message.map(CChar.init(bitPattern:))
    defer { sodium_memzero(&characters, characters.count) }
    let result = crypto_pwhash(
      &output, UInt64(hashBytes), characters, UInt64(characters.count), salt, UInt64(cost.passes),
      cost.memory, crypto_pwhash_alg_argon2id13())
    guard result == 0 else { throw .hashMemory(bytes: cost.memory) }
    return output
  }

  /// BLAKE2b, 32 bytes.
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: hashBytes)
    _ = crypto_generichash(&output, hashBytes, message, UInt64(message.count), nil, 0)
    return output
  }

  /// A key for one purpose, whose eight characters name it.
  static func subkey(of key: [UInt8], purpose: KeyPurpose) -> [UInt8] {
    let context = purpose.rawValue.utf8.map(CChar.init(bitPattern:))
    precondition(key.count == keyBytes && context.count == 8)
    var output = [UInt8](repeating: 0, count: keyBytes)
    _ = crypto_kdf_derive_from_key(&output, keyBytes, 1, context, key)
    return output
  }

  /// XChaCha20-Poly1305: the text and 16 bytes more.
  static func seal(_ text: [UInt8], bound: [UInt8], nonce: [UInt8], key: [UInt8]) -> [UInt8] {
    precondition(nonce.count == nonceBytes && key.count == keyBytes)
    var output = [UInt8](repeating: 0, count: text.count + tagBytes)
    _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
      &output, nil, text, UInt64(text.count), bound, UInt64(bound.count), nil, nonce, key)
    return output
  }

  /// The text, or nil if anything was changed.
  static func open(_ sealed: [UInt8], bound: [UInt8], nonce: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard sealed.count >= tagBytes, nonce.count == nonceBytes else { return nil }
    var output = [UInt8](repeating: 0, count: sealed.count - tagBytes)
    let result = crypto_aead_xchacha20poly1305_ietf_decrypt(
      &output, nil, nil, sealed, UInt64(sealed.count), bound, UInt64(bound.count), nonce, key)
    return result == 0 ? output : nil
  }

  /// HMAC with SHA-256, 32 bytes; the key may have any length.
  package static func authenticator(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var output = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    crypto_auth_hmacsha256_final(&state, &output)
    return output
  }

  /// Whether both are the same, in a time that does not depend on where they differ.
  package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }

  package static func wipe(_ bytes: inout [UInt8]) { sodium_memzero(&bytes, bytes.count) }

  /// An Ed25519 key pair from its seed: 32 bytes public, 64 bytes secret.
  package static func signingPair(seed: [UInt8]) -> (publicKey: [UInt8], secretKey: [UInt8]) {
    precondition(seed.count == keyBytes)
    var publicKey = [UInt8](repeating: 0, count: 32)
    var secretKey = [UInt8](repeating: 0, count: 64)
    _ = crypto_sign_seed_keypair(&publicKey, &secretKey, seed)
    return (publicKey, secretKey)
  }

  package static func sign(_ message: [UInt8], secretKey: [UInt8]) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: 64)
    _ = crypto_sign_detached(&signature, nil, message, UInt64(message.count), secretKey)
    return signature
  }

  package static func isSigned(
    _ message: [UInt8], by publicKey: [UInt8], _ signature: [UInt8]
  ) -> Bool {
    signature.count == 64 && publicKey.count == 32
      && crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
  }
}
