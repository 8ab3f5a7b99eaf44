/// Reads little-endian numbers one after the other and cannot read past the end.
///
/// It holds a place, not the bytes: those are lent to each call, so that a frame is never copied.
struct ByteReader {
  private var offset: Int

  /// Makes a reader that starts at `offset`, which must not be negative.
  init(at offset: Int = 0) { self.offset = offset }

  /// Reads one byte.
  mutating func uint8(_ bytes: Span<UInt8>) throws(WireError) -> UInt8 {
    guard offset < bytes.count else { throw short(bytes, by: 1) }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads two bytes.
  mutating func uint16(_ bytes: Span<UInt8>) throws(WireError) -> UInt16 {
    guard bytes.count - offset >= 2 else { throw short(bytes, by: 2) }
    defer { offset += 2 }
    return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  /// Reads two bytes in two's complement.
  mutating func int16(_ bytes: Span<UInt8>) throws(WireError) -> Int16 {
    Int16(bitPattern: try uint16(bytes))
  }

  /// Reads four bytes.
  mutating func uint32(_ bytes: Span<UInt8>) throws(WireError) -> UInt32 {
    let low = try uint16(bytes)
    return UInt32(low) | UInt32(try uint16(bytes)) << 16
  }

  private func short(_ bytes: Span<UInt8>, by width: Int) -> WireError {
    .frameLength(byteCount: bytes.count, expected: offset + width)
  }
}
