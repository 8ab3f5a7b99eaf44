import Foundation
import PadModel
import Vault
import Wire

/// What a key checks and signs with, in the one way that is its own.
enum KeyMaterial: Sendable {
  /// The secret of HMAC.
  case shared([UInt8])
  /// The public half of Ed25519, and where the seed is, if that is known here.
  case signed(publicKey: [UInt8], seedFile: String?)

  /// The fewest bytes of a shared secret.
  static let fewestBytes = 32
  /// The most bytes of a shared secret, and of a file that holds one in base64url.
  private static let (mostBytes, mostFileBytes) = (256, 512)

  /// Reads what the key names.
  static func read(_ key: TokenKey) throws(ConfigurationError) -> KeyMaterial {
    switch key.algorithm {
    case .hs256:
      let bytes = try secret(of: key)
      guard (fewestBytes...mostBytes).contains(bytes.count) else {
        throw fault(key, "\(bytes.count) bytes", "\(fewestBytes) to \(mostBytes) random bytes")
      }
      return .shared(bytes)
    case .edDSA:
      guard let publicKey = key.publicKey else {
        throw fault(key, "without publicKey", "with the public half of the pair")
      }
      return .signed(publicKey: publicKey, seedFile: key.secretFile)
    }
  }

  /// What two keys must not share.
  var checkingBytes: [UInt8] {
    switch self {
    case .shared(let secret): secret
    case .signed(let publicKey, _): publicKey
    }
  }

  /// Whether the signature is this key's.
  func accepts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch self {
    case .shared(let secret):
      Sodium.equal(Sodium.authenticator(of: message, key: secret), signature)
    case .signed(let publicKey, _): Sodium.isSigned(message, by: publicKey, signature)
    }
  }

  /// The signature; nil without what signs.
  func signature(of message: [UInt8]) throws(CommandFailure) -> [UInt8]? {
    switch self {
    case .shared(let secret): return Sodium.authenticator(of: message, key: secret)
    case .signed(_, nil): return nil
    case .signed(let publicKey, let file?):
      let pair = Sodium.signingPair(seed: try Self.seed(in: file))
      guard pair.publicKey == publicKey else {
        throw CommandFailure(.configuration, "the seed in \(file) is not that of the publicKey")
      }
      return Sodium.sign(message, secretKey: pair.secretKey)
    }
  }

  /// The seed of a pair.
  static func seed(in file: String) throws(CommandFailure) -> [UInt8] {
    let bytes: [UInt8]
    do throws(ConfigurationError) { bytes = try secret(in: file, place: file) } catch {
      throw CommandFailure(.configuration, error.message)
    }
    guard bytes.count == fewestBytes else {
      throw CommandFailure(
        .configuration, "\(file) holds \(bytes.count) bytes; a seed has \(fewestBytes)")
    }
    return bytes
  }

  private static func secret(of key: TokenKey) throws(ConfigurationError) -> [UInt8] {
    guard let file = key.secretFile else {
      throw fault(key, "without secretFile", "with one")
    }
    return try secret(in: file, place: "secretFile of tokenKeys, \(quoted(key.id))")
  }

  /// The bytes of a file of base64url, which may end in a line end.
  private static func secret(in file: String, place: String) throws(ConfigurationError) -> [UInt8] {
    var text: [UInt8]
    do throws(PrivateFile.Failure) {
      text = try PrivateFile(path: file, limit: mostFileBytes).read()
    } catch {
      throw .badValue(place: place, found: "\(quoted(file)), \(error.found)", wanted: error.wanted)
    }
    defer { Sodium.wipe(&text) }
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    guard let bytes = Base64URL.decode(String(decoding: text, as: UTF8.self)) else {
      throw .badValue(
        place: place, found: "\(quoted(file)), no base64url",
        wanted: "a file of one line of base64url without =; drawbolt token key makes one")
    }
    return bytes
  }

  private static func fault(_ key: TokenKey, _ found: String, _ wanted: String)
    -> ConfigurationError
  {
    .badValue(place: "tokenKeys, \(quoted(key.id))", found: found, wanted: wanted)
  }
}

extension PrivateFile.Failure {
  fileprivate var found: String {
    switch self {
    case .missing: "which is not there"
    case .unreadable(let errno): "which can't be read (\(systemText(errno)))"
    case .noFile: "which is no plain file"
    case .foreign(let owner, _): "which is user \(owner)'s"
    case .readable(let mode): "which others may read (mode \(String(mode, radix: 8)))"
    }
  }

  fileprivate var wanted: String {
    switch self {
    case .missing: "a file; drawbolt token key makes one"
    case .readable: "readable by its owner only: chmod 600"
    default: "a plain file of the server's user"
    }
  }
}
