import FoundationEssentials
public import PadModel

/// Reads what clients send.
///
/// A value may be shared by all connections of a loop: it holds limits and no state.
public struct ClientMessageDecoder: Sendable {
  /// What a message turned out to be.
  public enum Decoded: Equatable, Sendable, Redacted {
    /// Samples, which stand in the caller's batch.
    case samples
    /// An acknowledgement of this version.
    case acknowledge(version: UInt32)
    /// Any other message; never samples nor an acknowledgement.
    ///
    /// Boxed, so that to look at the other two and to drop them costs nothing.
    indirect case message(ClientMessage)
  }

  /// The limits that messages must keep.
  public let limits: Limits
  private let json: JSONDecoder

  /// Makes a decoder.
  public init(limits: Limits = .standard) {
    self.limits = limits
    json = JSONDecoder()
    json.userInfo[.limits] = limits
  }

  /// Reads one whole message; binary samples and acknowledgements allocate nothing.
  ///
  /// Text samples and acknowledgements are read in both formats.
  ///
  /// - Parameters:
  ///   - bytes: the message after its fragments were put together.
  ///   - isText: whether it came as text.
  ///   - format: the connection's format.
  ///   - batch: receives samples; its storage is reused. What it holds is only meaningful when
  ///     ``Decoded/samples`` is returned.
  /// - Returns: what the message is.
  /// - Throws: ``WireError``, whose ``WireError/closeReason`` ends the connection.
  public func decode(
    _ bytes: Span<UInt8>, isText: Bool, format: WireFormat, into batch: inout SampleBatch
  ) throws(WireError) -> Decoded {
    guard bytes.count <= limits.messageBytes else {
      throw .tooLong(byteCount: bytes.count, limit: limits.messageBytes)
    }
    guard !isText else { return try decodeText(bytes, into: &batch) }
    guard format == .binary else { throw .binaryRefused }
    guard bytes.count > 0 else { throw .empty }
    switch bytes[0] {
    case FrameType.samples:
      try BinaryFrames.readSamples(bytes, limit: limits.samplesPerFrame, into: &batch)
      return .samples
    case FrameType.acknowledge:
      return .acknowledge(version: try BinaryFrames.readAcknowledge(bytes))
    case let type: throw .unknownFrame(type: type)
    }
  }

  /// Reads one whole message as a value of its own.
  ///
  /// - Throws: ``WireError``.
  public func decode(
    _ bytes: [UInt8], isText: Bool, format: WireFormat
  ) throws(WireError) -> ClientMessage {
    var batch = SampleBatch(stroke: 0, action: .move)
    switch try decode(bytes.span, isText: isText, format: format, into: &batch) {
    case .samples: return .samples(batch)
    case .acknowledge(let version): return .acknowledge(version: version)
    case .message(let message): return message
    }
  }

  /// At least as many samples as the message has, without reading it, for the rate limits.
  ///
  /// A binary frame's count byte; in text one fewer than its opening brackets, since each point
  /// and the list of them needs one.
  public static func claimedSamples(_ bytes: Span<UInt8>, isText: Bool) -> Int {
    guard isText else {
      return bytes.count > 4 && bytes[0] == FrameType.samples ? Int(bytes[4]) : 0
    }
    var brackets = 0
    for index in 0..<bytes.count where bytes[index] == UInt8(ascii: "[") { brackets += 1 }
    return max(brackets - 1, 0)
  }

  /// Whether the message may begin a stroke, without reading it: a press or a tap does.
  ///
  /// In text the words could stand elsewhere, or be spelled with escapes.
  public static func mayPress(_ bytes: Span<UInt8>, isText: Bool) -> Bool {
    guard isText else {
      return bytes.count > 1 && bytes[0] == FrameType.samples && bytes[1] & 1 != 0
    }
    return holds(bytes, #""press""#) || holds(bytes, #""tap""#)
  }

  private static func holds(_ bytes: Span<UInt8>, _ word: StaticString) -> Bool {
    let word = word.description.utf8
    guard bytes.count >= word.count else { return false }
    return (0...bytes.count - word.count).contains { start in
      word.enumerated().allSatisfy { bytes[start + $0.offset] == $0.element }
    }
  }

  private func decodeText(
    _ bytes: Span<UInt8>, into batch: inout SampleBatch
  ) throws(WireError) -> Decoded {
    let message = try json.decode(
      ClientEnvelope.self, from: bytes, depthLimit: limits.jsonDepth
    ).message
    switch message {
    case .samples(let samples):
      batch = samples
      return .samples
    case .acknowledge(let version): return .acknowledge(version: version)
    default: return .message(message)
    }
  }
}

/// A client message in JSON.
private struct ClientEnvelope: Decodable {
  let message: ClientMessage

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    message =
      switch try fields.type() {
      case "hello": .hello(try fields.hello())
      case "samples": .samples(try fields.samples())
      case "ack": .acknowledge(version: try fields.value(.version))
      case "pen.request": .pen(.request)
      case "pen.release": .pen(.release)
      case "pen.give": .pen(.give(try fields.made(.member, MemberID.init)))
      case "pen.take": .pen(.take)
      case "enrol.begin": .enrol(.begin)
      case "enrol.confirm": .enrol(.confirm)
      case "enrol.cancel": .enrol(.cancel)
      case "grant.claim":
        .claimGrant(GrantClaim(id: try fields.random(.id), nonce: try fields.random(.nonce)))
      default: throw WireError.unknownType
      }
  }
}

extension Fields {
  fileprivate func hello() throws(WireError) -> Hello {
    Hello(
      room: try made(.room, RoomName.init), role: try named(.role), name: try memberName(),
      token: try optional(.token), maxRate: try maxRate(),
      acknowledges: try optional(.acks) ?? false,
      resume: has(.resume) ? try random(.resume) : nil, device: try optional(.device))
  }

  private func maxRate() throws(WireError) -> Int? {
    guard let rate: Int = try optional(.maxRate) else { return nil }
    guard (1...limits.maxRate).contains(rate) else { throw .invalid(.maxRate) }
    return rate
  }

  fileprivate func samples() throws(WireError) -> SampleBatch {
    let action: StrokeAction = try made(.action) { StrokeAction(wireName: $0) }
    var batch = SampleBatch(stroke: try value(.stroke), action: action)
    if has(.points) { batch.samples = try points() }
    try batch.check()
    return batch
  }

  private func points() throws(WireError) -> [Sample] {
    let points: [[Double]] = try value(.points)
    guard points.count <= limits.samplesPerFrame else {
      throw .sampleCount(points.count, limit: limits.samplesPerFrame)
    }
    var samples: [Sample] = []
    samples.reserveCapacity(points.count)
    for (index, point) in points.enumerated() { samples.append(try sample(point, index)) }
    return samples
  }

  /// `[milliseconds, x, y]`: time is rounded half away from zero and saturates at 65 535.
  private func sample(_ point: [Double], _ index: Int) throws(WireError) -> Sample {
    guard point.count == 3, point[0] >= 0, point[0].isFinite else { throw .point(sample: index) }
    guard let x = Positions.units(point[1]), let y = Positions.units(point[2]) else {
      throw .position(sample: index)
    }
    let elapsed = min(point[0], Double(UInt16.max)).rounded(.toNearestOrAwayFromZero)
    return Sample(elapsed: UInt16(elapsed), position: Point(x: x, y: y))
  }
}
