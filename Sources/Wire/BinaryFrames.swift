import PadModel

/// The layouts of the three binary frames.
enum BinaryFrames {
  /// Bytes of a samples frame before its samples, and of each sample.
  static let samplesHead = 5
  static let sampleBytes = 6
  /// Bytes of an acknowledgement.
  static let acknowledgeBytes = 5
  /// Bytes of a state frame before its nodes.
  static let stateHead = 14

  static let showsTail: UInt8 = 1
  static let hidesPath: UInt8 = 2

  /// Reads a samples frame into `batch`, whose storage is reused.
  ///
  /// After an error `batch` holds nothing useful.
  static func readSamples(
    _ bytes: Span<UInt8>, limit: Int, into batch: inout SampleBatch
  ) throws(WireError) {
    var reader = ByteReader(at: 1)
    let flags = try reader.uint8(bytes)
    guard let action = StrokeAction(rawValue: flags) else { throw .unknownFlags(flags) }
    batch.action = action
    batch.stroke = try reader.uint16(bytes)
    let count = Int(try reader.uint8(bytes))
    guard count <= limit else { throw .sampleCount(count, limit: limit) }
    let expected = samplesHead + count * sampleBytes
    guard bytes.count == expected else {
      throw .frameLength(byteCount: bytes.count, expected: expected)
    }
    batch.samples.resize(to: count, with: Sample(elapsed: 0, position: .zero))
    var samples = batch.samples.mutableSpan
    for index in 0..<count {
      let elapsed = try reader.uint16(bytes)
      let position = Point(x: try reader.int16(bytes), y: try reader.int16(bytes))
      samples[index] = Sample(elapsed: elapsed, position: position)
    }
    try batch.check()
  }

  static func readAcknowledge(_ bytes: Span<UInt8>) throws(WireError) -> UInt32 {
    guard bytes.count == acknowledgeBytes else {
      throw .frameLength(byteCount: bytes.count, expected: acknowledgeBytes)
    }
    var reader = ByteReader(at: 1)
    return try reader.uint32(bytes)
  }

  /// Reads a state frame of a pad of `nodeCount` nodes; nil when the pad is not known yet.
  static func readState(_ bytes: Span<UInt8>, nodeCount: Int?) throws(WireError) -> RoomState {
    var reader = ByteReader(at: 1)
    let number = try reader.uint8(bytes)
    guard let phase = Phase(rawValue: number) else { throw .unknownPhase(number) }
    let flags = try reader.uint8(bytes)
    guard flags & ~(showsTail | hidesPath) == 0 else { throw .unknownFlags(flags) }
    let stroke = try reader.uint16(bytes)
    let version = try reader.uint32(bytes)
    let pointer = Point(x: try reader.int16(bytes), y: try reader.int16(bytes))
    let count = Int(try reader.uint8(bytes))
    guard bytes.count == stateHead + count || bytes.count == stateHead + (nodeCount ?? count) else {
      throw .frameLength(byteCount: bytes.count, expected: stateHead + count)
    }
    let path = try readPath(bytes, count: count, nodeCount: nodeCount ?? Grid.mostNodes)
    return RoomState(
      version: version, phase: phase, stroke: stroke, path: path, pointer: pointer,
      showsTail: flags & showsTail != 0, hidesPath: flags & hidesPath != 0)
  }

  private static func readPath(
    _ bytes: Span<UInt8>, count: Int, nodeCount: Int
  ) throws(WireError) -> [NodeIndex] {
    guard count <= nodeCount else { throw .path(nodeCount: nodeCount) }
    let end = stateHead + count
    var path: [NodeIndex] = []
    path.reserveCapacity(count)
    for index in stateHead..<end { path.append(bytes[index]) }
    try checkPath(path, nodeCount: nodeCount)
    for index in end..<bytes.count where bytes[index] != 0 { throw .padding }
    return path
  }
}

/// Checks that `path` has only nodes of a pad of `nodeCount` nodes, and none twice.
func checkPath(_ path: [NodeIndex], nodeCount: Int) throws(WireError) {
  var seen = NodeSet()
  for node in path {
    guard Int(node) < nodeCount, !seen.contains(node) else { throw .path(nodeCount: nodeCount) }
    seen.insert(node)
  }
}

extension Array {
  /// Makes the array `length` long; a steady length, the usual case, costs one comparison.
  mutating func resize(to length: Int, with filler: Element) {
    if count > length {
      removeLast(count - length)
    } else if count < length {
      append(contentsOf: repeatElement(filler, count: length - count))
    }
  }
}

extension SampleBatch {
  /// Checks what must hold for a batch in either format.
  func check() throws(WireError) {
    guard stroke != 0 else { throw .strokeZero }
    guard hasFittingCount else { throw .samplesForAction(count: samples.count) }
  }
}
