public import PadModel

/// Writes room states: the one message that is sent often.
///
/// Nothing is allocated once the buffer has grown to a state's length.
public enum StateEncoder {
  /// Writes `state` in `format`: a binary frame, or text of JSON.
  ///
  /// - Parameters:
  ///   - state: its path has at most 100 nodes.
  ///   - format: the receiver's; ``WireFormat/json`` gives text, ``WireFormat/binary`` does not.
  ///   - nodeCount: the pad's number of nodes, to give every state of that pad the same length, so
  ///     that the length tells nothing; nil, on boards, writes no more than needed.
  ///   - buffer: what it holds is replaced; its storage is kept.
  public static func encode(
    _ state: RoomState, as format: WireFormat, paddedTo nodeCount: Int?, into buffer: inout [UInt8]
  ) {
    switch format {
    case .binary: encodeBinary(state, paddedTo: nodeCount, into: &buffer)
    case .json: encodeJSON(state, paddedTo: nodeCount, into: &buffer)
    }
  }

  private static func encodeBinary(
    _ state: RoomState, paddedTo nodeCount: Int?, into buffer: inout [UInt8]
  ) {
    let count = state.path.count
    precondition(count <= nodeCount ?? Grid.mostNodes, "a path is no longer than its pad")
    let length = BinaryFrames.stateHead + (nodeCount ?? count)
    buffer.resize(to: length, with: 0)
    var bytes = buffer.mutableSpan
    bytes[0] = FrameType.state
    bytes[1] = state.phase.rawValue
    bytes[2] =
      (state.showsTail ? BinaryFrames.showsTail : 0)
      | (state.hidesPath ? BinaryFrames.hidesPath : 0)
    bytes.put(state.stroke, at: 3)
    bytes.put(UInt16(truncatingIfNeeded: state.version), at: 5)
    bytes.put(UInt16(truncatingIfNeeded: state.version >> 16), at: 7)
    bytes.put(UInt16(bitPattern: state.pointer.x), at: 9)
    bytes.put(UInt16(bitPattern: state.pointer.y), at: 11)
    bytes[13] = UInt8(truncatingIfNeeded: count)
    let path = state.path.span
    for index in 0..<count { bytes[BinaryFrames.stateHead + index] = path[index] }
    for index in BinaryFrames.stateHead + count..<length { bytes[index] = 0 }
  }

  private static func encodeJSON(
    _ state: RoomState, paddedTo nodeCount: Int?, into buffer: inout [UInt8]
  ) {
    var writer = JSONWriter(reusing: &buffer)
    writer.state(state)
    if let nodeCount { writer.pad(to: longestJSON(nodeCount: nodeCount)) }
    writer.finish(into: &buffer)
  }

  /// The most bytes that a state of a pad of `nodeCount` nodes takes as JSON.
  package static func longestJSON(nodeCount: Int) -> Int {
    let digits = (0..<nodeCount).reduce(0) { $0 + ($1 < 10 ? 1 : 2) }
    return longestHead + digits + max(nodeCount - 1, 0)
  }

  /// The same without what stands between the brackets of `path`: the longest phase and numbers.
  private static let longestHead =
    #"{"type":"state","version":4294967295,"phase":"unavailable","stroke":65535,"path":[],"#.utf8
    .count + #""x":-4.0000,"y":-4.0000,"tail":false,"hidden":false}"#.utf8.count
}

extension MutableSpan<UInt8> {
  fileprivate mutating func put(_ value: UInt16, at offset: Int) {
    self[offset] = UInt8(truncatingIfNeeded: value)
    self[offset + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }
}

extension JSONWriter {
  mutating func state(_ state: RoomState) {
    raw(#"{"type":"state","version":"#)
    integer(Int(state.version))
    literal(#","phase":""#)
    literal(state.phase.wireName)
    literal(#"","stroke":"#)
    integer(Int(state.stroke))
    literal(#","path":["#)
    for node in state.path { integer(Int(node)) }
    literal(#"],"x":"#)
    decimal(Positions.tenThousandths(state.pointer.x))
    literal(#","y":"#)
    decimal(Positions.tenThousandths(state.pointer.y))
    literal(state.showsTail ? #","tail":true"# : #","tail":false"#)
    literal(state.hidesPath ? #","hidden":true}"# : #","hidden":false}"#)
  }
}
