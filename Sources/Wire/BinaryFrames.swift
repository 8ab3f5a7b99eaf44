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

  /// What fills a batch before its samples are read.
  private static var blankSample: Sample { Sample(elapsed: 0, position: Point(x: 0, y: 0)) }

  static let showsTail: UInt8 = 1
  static let hidesPath: UInt8 = 2

  /// Reads a samples frame into `batch`, whose storage is reused.
  ///
  /// After an error `batch` holds nothing useful.
  static func readSamples(
    _ bytes: Span<UInt8>, limit: Int, into batch: inout SampleBatch
  ) throws(WireError) {
    guard bytes.count >= samplesHead else { throw .length(of: bytes, not: samplesHead) }
    let flags = bytes[1]
    guard let action = StrokeAction(rawValue: flags) else { throw .unknownFlags(flags) }
    batch.action = action
    batch.stroke = bytes.uint16(at: 2)
    let count = Int(bytes[4])
    guard count <= limit else { throw .sampleCount(count, limit: limit) }
    let expected = samplesHead + count * sampleBytes
    guard bytes.count == expected else { throw .length(of: bytes, not: expected) }
    batch.samples.resize(to: count, with: blankSample)
    var samples = batch.samples.mutableSpan
    for index in 0..<count {
      let start = samplesHead + index * sampleBytes
      samples[index] = Sample(
        elapsed: bytes.uint16(at: start), position: bytes.point(at: start + 2))
    }
    try batch.check()
  }

  static func readAcknowledge(_ bytes: Span<UInt8>) throws(WireError) -> UInt32 {
    guard bytes.count == acknowledgeBytes else { throw .length(of: bytes, not: acknowledgeBytes) }
    return bytes.uint32(at: 1)
  }

  /// Reads a state frame of a pad of `nodeCount` nodes; nil when the pad is not known yet.
  static func readState(_ bytes: Span<UInt8>, nodeCount: Int?) throws(WireError) -> RoomState {
    guard bytes.count >= stateHead else { throw .length(of: bytes, not: stateHead) }
    let (number, flags) = (bytes[1], bytes[2])
    guard let phase = Phase(rawValue: number) else { throw .unknownPhase(number) }
    guard flags & ~(showsTail | hidesPath) == 0 else { throw .unknownFlags(flags) }
    let count = Int(bytes[13])
    guard bytes.count == stateHead + count || bytes.count == stateHead + (nodeCount ?? count) else {
      throw .length(of: bytes, not: stateHead + count)
    }
    let path = try readPath(bytes, count: count, nodeCount: nodeCount ?? Grid.mostNodes)
    return RoomState(
      version: bytes.uint32(at: 5), phase: phase, stroke: bytes.uint16(at: 3), path: path,
      pointer: bytes.point(at: 9),
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

/// Little-endian numbers; the span itself sees to it that nothing is read past its end.
extension Span<UInt8> {
  fileprivate func uint16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  fileprivate func uint32(at offset: Int) -> UInt32 {
    UInt32(uint16(at: offset)) | UInt32(uint16(at: offset + 2)) << 16
  }

  /// Two numbers in two's complement.
  fileprivate func point(at offset: Int) -> Point {
    Point(
      x: Int16(bitPattern: uint16(at: offset)), y: Int16(bitPattern: uint16(at: offset + 2)))
  }
}

extension WireError {
  fileprivate static func length(of bytes: Span<UInt8>, not expected: Int) -> WireError {
    .frameLength(byteCount: bytes.count, expected: expected)
  }
}

extension Array {
  /// Makes the array `length` long.
  ///
  /// Always inlined, so that a steady length, the usual case, costs one comparison and no call.
  @inline(__always)
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
