/// A server's WebSocket frames in a stream of bytes.
package enum ServerFrames {
  /// What stands at the beginning of the bytes.
  package enum Found: Equatable {
    /// Not a whole frame yet.
    case nothing
    /// A frame whose payload stands at these places.
    case frame(opcode: UInt8, payload: Range<Int>)
    /// Something that this server never sends: masked, in fragments, or huge.
    case malformed
  }

  private static let longest = 1 << 20

  /// Looks at the frame that begins at `start`.
  package static func find(_ bytes: Span<UInt8>, at start: Int) -> Found {
    guard bytes.count - start >= 2 else { return .nothing }
    guard bytes[start] & 0xf0 == 0x80, bytes[start + 1] & 0x80 == 0 else { return .malformed }
    let short = Int(bytes[start + 1])
    let sizeBytes = short < 126 ? 0 : short == 126 ? 2 : 8
    let head = start + 2 + sizeBytes
    guard bytes.count >= head else { return .nothing }
    var length = short
    if sizeBytes > 0 {
      length = 0
      for index in start + 2..<head {
        length = length << 8 | Int(bytes[index])
        guard length <= longest else { return .malformed }
      }
    }
    guard bytes.count - head >= length else { return .nothing }
    return .frame(opcode: bytes[start] & 0x0f, payload: head..<head + length)
  }
}

/// How a sample's number travels: as its position, which comes back unchanged in the states.
///
/// 15 bits in x and the rest in y, which starts at the first row of a 3×3 pad so that the stroke
/// touches nodes and states have a path, as real ones do.
package enum SampleNumber {
  private static let firstRow = 1365
  private static let bits = 15

  package static func position(of number: Int) -> (x: Int16, y: Int16) {
    (Int16(number & 0x7fff), Int16(clamping: firstRow + number >> bits))
  }

  /// The number in a binary state frame of a stroke that goes on; nil for any other message.
  package static func read(_ bytes: Span<UInt8>, _ payload: Range<Int>) -> Int? {
    let start = payload.lowerBound
    guard payload.count >= 14, bytes[start] == 0x81, bytes[start + 1] == 1 else { return nil }
    let x = Int(bytes[start + 9]) | Int(bytes[start + 10]) << 8
    let y = Int(bytes[start + 11]) | Int(bytes[start + 12]) << 8
    guard x <= 0x7fff, (firstRow...0x7fff).contains(y) else { return nil }
    return (y - firstRow) << bits | x
  }
}
