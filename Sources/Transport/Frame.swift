/// A WebSocket frame in the form in which it leaves, built once and shared by all its receivers.
///
/// A server's frame is unmasked (RFC 6455 §5.1), so the same bytes are right for every connection
/// and every loop. Nothing in it changes, so threads may share it.
public final class Frame: Sendable {
  /// Header and payload.
  package let bytes: [UInt8]
  private let headerBytes: Int

  private init(opcode: UInt8, _ payload: Span<UInt8>) {
    let header = Frame.header(opcode: opcode, length: payload.count)
    headerBytes = header.count
    var bytes = [UInt8]()
    bytes.reserveCapacity(header.count + payload.count)
    bytes.append(contentsOf: header)
    for index in payload.indices { bytes.append(payload[index]) }
    self.bytes = bytes
  }

  /// The payload's length in bytes.
  public var payloadBytes: Int { bytes.count - headerBytes }

  /// A whole text message; the bytes must be UTF-8, which is not checked.
  public static func text(_ payload: Span<UInt8>) -> Frame { Frame(opcode: 1, payload) }

  /// A whole text message; the bytes must be UTF-8, which is not checked.
  public static func text(_ payload: [UInt8]) -> Frame { Frame(opcode: 1, payload.span) }

  /// A whole binary message.
  public static func binary(_ payload: Span<UInt8>) -> Frame { Frame(opcode: 2, payload) }

  /// A whole binary message.
  public static func binary(_ payload: [UInt8]) -> Frame { Frame(opcode: 2, payload.span) }

  /// The heartbeat, with a payload because the library hides pongs that have none.
  package static let ping = Frame(opcode: 9, ([0x2e] as [UInt8]).span)

  /// A close frame; the reason is cut at 123 bytes, the most that a control frame can bear.
  package static func close(code: UInt16, reason: String) -> Frame {
    var payload = [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)]
    for scalar in reason.unicodeScalars where payload.count + 4 <= 125 {
      payload.append(contentsOf: String(scalar).utf8)
    }
    return Frame(opcode: 8, payload.span)
  }

  /// 2, 4 or 10 bytes, always the shortest form (RFC 6455 §5.2).
  private static func header(opcode: UInt8, length: Int) -> [UInt8] {
    let first = 0x80 | opcode
    if length < 126 { return [first, UInt8(length)] }
    let size = length < 65_536 ? 2 : 8
    let tail = (0..<size).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
    return [first, size == 2 ? 126 : 127] + tail
  }
}
