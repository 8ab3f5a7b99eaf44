import PadModel
import Testing
import Wire

@Suite("Round trips")
struct RoundTripTests {
  @Test("decode(encode(m)) == m for every client message", arguments: WireFormat.allCases)
  func client(format: WireFormat) throws {
    let decoder = ClientMessageDecoder()
    var messages = RandomMessages(seed: 11)
    var bytes: [UInt8] = []
    for kind in 0..<3000 {
      let message = try messages.client(kind)
      let isText = ClientMessageEncoder.encode(message, as: format, into: &bytes)
      #expect(try decoder.decode(bytes, isText: isText, format: format) == message)
    }
  }

  @Test("decode(encode(m)) == m for every server message", arguments: WireFormat.allCases)
  func server(format: WireFormat) throws {
    var messages = RandomMessages(seed: 12)
    var bytes: [UInt8] = []
    for kind in 0..<3000 {
      let message = try messages.server(kind)
      let isText = ServerMessageEncoder.encode(message, as: format, into: &bytes)
      var decoder = ServerMessageDecoder()
      #expect(try decoder.decode(bytes, isText: isText, format: format) == message)
    }
  }

  @Test("padded states have one length a pad and read back", arguments: WireFormat.allCases)
  func paddedStates(format: WireFormat) throws {
    var messages = RandomMessages(seed: 13)
    var bytes: [UInt8] = []
    for nodeCount in [4, 9, 10, 11, 25, 99, 100] {
      var lengths: Set<Int> = []
      var decoder = ServerMessageDecoder(nodeCount: nodeCount)
      for _ in 0..<200 {
        let state = messages.state(nodeCount: nodeCount)
        StateEncoder.encode(state, as: format, paddedTo: nodeCount, into: &bytes)
        lengths.insert(bytes.count)
        #expect(try decoder.decode(bytes, isText: format == .json, format: format) == .state(state))
      }
      let longest = StateEncoder.longestJSON(nodeCount: nodeCount)
      #expect(lengths == [format == .json ? longest : 14 + nodeCount])
    }
  }

  @Test("a state that fills its pad needs no padding in JSON")
  func longestState() {
    for nodeCount in 4...100 {
      let full = RoomState(
        version: .max, phase: .unavailable, stroke: .max,
        path: (0..<nodeCount).map(NodeIndex.init), pointer: Point(x: .min, y: .min))
      var bytes: [UInt8] = []
      StateEncoder.encode(full, as: .json, paddedTo: nil, into: &bytes)
      #expect(bytes.count == StateEncoder.longestJSON(nodeCount: nodeCount))
    }
  }

  @Test("a welcome to a lock's room has one length whatever its state holds")
  func paddedWelcome() throws {
    var messages = RandomMessages(seed: 14)
    let lock = try LockID("front-door")
    var lengths: Set<Int> = []
    for _ in 0..<100 {
      let welcome = Welcome(
        member: MemberID(1), resume: Random128(high: 1, low: 2), room: .lock(lock), role: .viewer,
        pad: Preset.android.pad(), limits: .standard, state: messages.state(nodeCount: 9))
      var bytes: [UInt8] = []
      ServerMessageEncoder.encode(.welcome(welcome), as: .binary, into: &bytes)
      lengths.insert(bytes.count)
    }
    #expect(lengths.count == 1)
  }

  @Test("a buffer is replaced, whatever it held")
  func bufferIsReplaced() throws {
    var messages = RandomMessages(seed: 15)
    var reused: [UInt8] = []
    for kind in 0..<300 {
      let message = try messages.server(kind)
      for format in WireFormat.allCases {
        var fresh: [UInt8] = []
        ServerMessageEncoder.encode(message, as: format, into: &fresh)
        ServerMessageEncoder.encode(message, as: format, into: &reused)
        #expect(reused == fresh)
      }
    }
  }

  @Test("the hot entry gives samples in the caller's batch and keeps its storage")
  func hotEntry() throws {
    let decoder = ClientMessageDecoder()
    var batch = SampleBatch(stroke: 0, action: .move)
    batch.samples.reserveCapacity(64)
    let start = batch.samples.withUnsafeBufferPointer { $0.baseAddress }
    let most = try #require(try Vectors.load().client.first { $0.name == "samplesMost" }?.hex)
    for hex in ["010101000100000000" + "0000", most, "0102ffff00"] {
      let frame = bytes(hex: hex)
      let decoded = try decoder.decode(
        frame.span, isText: false, format: .binary, into: &batch)
      #expect(decoded == .samples)
      let message = try decoder.decode(frame, isText: false, format: .binary)
      #expect(message == .samples(batch))
    }
    #expect(batch.samples.withUnsafeBufferPointer { $0.baseAddress } == start)
  }
}
