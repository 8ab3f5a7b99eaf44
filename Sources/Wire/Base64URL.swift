/// The base64url alphabet of RFC 4648 §5, without padding characters.
package enum Base64URL {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// The text of `bytes`; four characters for three bytes.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var width: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      width += 8
      while width >= 6 {
        width -= 6
        text.append(digits[Int(bits >> width & 63)])
      }
    }
    if width > 0 { text.append(digits[Int(bits << (6 - width) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`.
  ///
  /// - Returns: nil for a foreign character, padding, an impossible length, or left-over bits that
  ///   are not zero, so that each byte string has exactly one text.
  package static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var width: UInt32 = 0
    for character in text.utf8 {
      guard let digit = value(character) else { return nil }
      bits = bits << 6 | digit
      width += 6
      if width >= 8 {
        width -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> width))
      }
    }
    return bits & (1 << width - 1) == 0 ? bytes : nil
  }

  private static func value(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 97 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) - 48 + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
