/// Sixteen random bytes that only their receiver knows, or that nobody can guess.
public struct Random128: Hashable, Sendable, Redacted {
  /// The upper and the lower half.
  public let high: UInt64, low: UInt64

  /// Makes a value from random halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads 32 lower-case hexadecimal digits.
  ///
  /// - Throws: ``PadModelError/hexadecimal(digitsNeeded:)``.
  public init(hexadecimal text: String) throws(PadModelError) {
    let bytes = Array(text.utf8)
    guard bytes.count == 32, let high = parseHex(bytes[0..<16]), let low = parseHex(bytes[16..<32])
    else { throw .hexadecimal(digitsNeeded: 32) }
    self.init(high: high, low: low)
  }

  /// The value as 32 lower-case hexadecimal digits.
  public var hexadecimal: String { hexDigits(high) + hexDigits(low) }

  /// The value's sixteen bytes, big-endian.
  public var bytes: [UInt8] {
    [high, low].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
    }
  }

  /// Whether both are the same, in a time that does not depend on where they differ.
  public func matches(_ other: Random128) -> Bool { (high ^ other.high) | (low ^ other.low) == 0 }
}

/// The secret that lets a reconnecting client replace its older connection.
public typealias ResumeKey = Random128

/// An attempt's number: random and the server's own.
public typealias AttemptID = Random128

/// A grant's number.
public typealias GrantID = Random128

/// The number an actuator chose for one claim.
public typealias GrantNonce = Random128

private func parseHex(_ digits: ArraySlice<UInt8>) -> UInt64? {
  var value: UInt64 = 0
  for digit in digits {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - 0x30)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - 0x61 + 10)
    default: return nil
    }
  }
  return value
}

private func hexDigits(_ value: UInt64) -> String {
  let text = String(value, radix: 16)
  return String(repeating: "0", count: 16 - text.count) + text
}
