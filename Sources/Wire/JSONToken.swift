/// Where JSON's strings, numbers and words end.
enum JSONToken {
  /// The closing quote of the string whose first byte is at `start`, and whether it has escapes.
  static func endOfString(
    _ bytes: Span<UInt8>, from start: Int
  ) throws(WireError) -> (end: Int, hasEscape: Bool) {
    var index = start
    var hasEscape = false
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      guard bytes[index] >= 0x20 else { throw .notJSON }
      if bytes[index] == UInt8(ascii: "\\") {
        hasEscape = true
        index = try endOfEscape(bytes, from: index + 1)
      } else {
        index += 1
      }
    }
    guard index < bytes.count else { throw .notJSON }
    return (index, hasEscape)
  }

  private static func endOfEscape(_ bytes: Span<UInt8>, from index: Int) throws(WireError) -> Int {
    guard index < bytes.count else { throw .notJSON }
    switch bytes[index] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return index + 1
    case UInt8(ascii: "u"):
      guard bytes.count - index > 4, (1...4).allSatisfy({ isHexadecimal(bytes[index + $0]) })
      else { throw .notJSON }
      return index + 5
    default: throw .notJSON
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// The index after the number, `true`, `false` or `null` at `start`.
  static func endOfScalar(_ bytes: Span<UInt8>, from start: Int) throws(WireError) -> Int {
    switch bytes[start] {
    case UInt8(ascii: "t"): try endOfWord("true", bytes, from: start)
    case UInt8(ascii: "f"): try endOfWord("false", bytes, from: start)
    case UInt8(ascii: "n"): try endOfWord("null", bytes, from: start)
    default: try endOfNumber(bytes, from: start)
    }
  }

  private static func endOfWord(
    _ word: String, _ bytes: Span<UInt8>, from start: Int
  ) throws(WireError) -> Int {
    var index = start
    for letter in word.utf8 {
      guard index < bytes.count, bytes[index] == letter else { throw .notJSON }
      index += 1
    }
    return index
  }

  private static func endOfNumber(_ bytes: Span<UInt8>, from start: Int) throws(WireError) -> Int {
    var index = start
    if bytes[index] == UInt8(ascii: "-") { index += 1 }
    let whole = index
    index = try endOfDigits(bytes, from: index)
    if bytes[whole] == UInt8(ascii: "0"), index > whole + 1 { throw .notJSON }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index = try endOfDigits(bytes, from: index + 1)
    }
    guard index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") else { return index }
    index += 1
    if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
      index += 1
    }
    return try endOfDigits(bytes, from: index)
  }

  /// The index after one or more digits at `start`.
  private static func endOfDigits(_ bytes: Span<UInt8>, from start: Int) throws(WireError) -> Int {
    var index = start
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    guard index > start else { throw .notJSON }
    return index
  }
}
