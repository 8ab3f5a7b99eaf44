public import PadModel

/// What a trusted device or an administrator shows: 256 random bits, kept nowhere but there.
public struct BearerToken: Equatable, Sendable, Redacted {
  private let bytes: [UInt8]
  static let byteCount = 32

  /// A new one.
  static func random() -> BearerToken { BearerToken(bytes: Sodium.random(byteCount)) }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads 64 lower-case hexadecimal digits; nil for anything else.
  public init?(_ text: String) {
    let digits = text.utf8.compactMap { digit -> UInt8? in
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
      default: nil
      }
    }
    guard digits.count == 2 * Self.byteCount, text.utf8.count == digits.count else { return nil }
    bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// It as 64 lower-case hexadecimal digits.
  public var text: String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// What is stored of it.
  public var digest: TokenDigest { TokenDigest(bytes: Sodium.digest(bytes)) }
}

/// What is stored of such a token; with 256 random bits a plain digest can't be guessed back.
public struct TokenDigest: Equatable, Sendable, Redacted {
  let bytes: [UInt8]
}
