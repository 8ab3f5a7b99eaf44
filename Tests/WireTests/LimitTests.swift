import PadModel
import Testing
import Wire

@Suite("Limits of messages")
struct LimitTests {
  private func decode(_ text: String, _ change: (inout Limits) -> Void = { _ in })
    -> Result<ClientMessage, WireError>
  {
    var limits = Limits.standard
    change(&limits)
    let decoder = ClientMessageDecoder(limits: limits)
    return Result { () throws(WireError) in
      try decoder.decode(Array(text.utf8), isText: true, format: .json)
    }
  }

  private func hello(_ rest: String) -> String {
    #"{"type":"hello","room":"demo","role":"viewer"\#(rest)}"#
  }

  private func isAccepted(_ result: Result<ClientMessage, WireError>) -> Bool {
    (try? result.get()) != nil
  }

  @Test(
    "maxRate goes from 1 to its limit",
    arguments: [(0, false), (1, true), (240, true), (241, false)])
  func maxRate(rate: Int, fits: Bool) {
    #expect(isAccepted(decode(hello(#","maxRate":\#(rate)"#))) == fits)
    #expect(isAccepted(decode(hello(#","maxRate":61"#)) { $0.maxRate = 60 }) == false)
  }

  @Test("a name has up to 64 bytes, or as many as configured")
  func names() {
    for (length, fits) in [(0, false), (1, true), (64, true), (65, false)] {
      let name = String(repeating: "n", count: length)
      #expect(isAccepted(decode(hello(#","name":"\#(name)""#))) == fits)
    }
    #expect(decode(hello(#","name":"abc""#)) { $0.nameBytes = 2 } == .failure(.invalid(.name)))
  }

  @Test("a batch has up to 64 samples, or as many as configured, in both formats")
  func samples() {
    for (count, limit, fits) in [(64, 64, true), (65, 64, false), (2, 2, true), (3, 2, false)] {
      let points = repeatElement("[0,0,0]", count: count).joined(separator: ",")
      let text = #"{"type":"samples","stroke":1,"action":"move","points":[\#(points)]}"#
      let error = WireError.sampleCount(count, limit: limit)
      let result = decode(text) { $0.samplesPerFrame = limit }
      #expect(fits ? isAccepted(result) : result == .failure(error))

      var limits = Limits.standard
      limits.samplesPerFrame = limit
      let frame: [UInt8] = [1, 0, 1, 0, UInt8(count)] + Array(repeating: 0, count: count * 6)
      let binary = Result { () throws(WireError) in
        try ClientMessageDecoder(limits: limits).decode(frame, isText: false, format: .binary)
      }
      #expect(fits ? isAccepted(binary) : binary == .failure(error))
    }
  }

  @Test("nesting is allowed up to its limit")
  func depth() {
    for (depth, limit, fits) in [(8, 8, true), (9, 8, false), (3, 3, true), (4, 3, false)] {
      let brackets = String(repeating: "[", count: depth - 1)
      let text = hello(#","a":\#(brackets)\#(String(repeating: "]", count: depth - 1))"#)
      let result = decode(text) { $0.jsonDepth = limit }
      #expect(fits ? isAccepted(result) : result == .failure(.nesting(limit: limit)))
    }
  }

  @Test("a message has up to as many bytes as its limit, and more closes with 1009")
  func length() throws {
    let text = hello("")
    let count = text.utf8.count
    #expect(isAccepted(decode(text) { $0.messageBytes = count }))
    let error = WireError.tooLong(byteCount: count, limit: count - 1)
    #expect(decode(text) { $0.messageBytes = count - 1 } == .failure(error))
    #expect(error.closeReason.code == 1009)
  }

  @Test("every limit of the model is told in welcome under its name")
  func everyLimitIsTold() {
    let model = Mirror(reflecting: Limits.standard).children.map { child in
      (child.label ?? "") + (child.value is Duration ? "Ms" : "")
    }
    #expect(LimitField.all.map(\.name) == model)
  }

  @Test("samples are counted before a frame is read, never too few")
  func claimedSamples() throws {
    for vector in try Vectors.load().client {
      for frame in vector.frames {
        let claimed = ClientMessageDecoder.claimedSamples(frame.bytes.span, isText: frame.isText)
        if case .samples(let batch) = try decodeClient(frame) {
          #expect(claimed == batch.samples.count)
        } else {
          #expect(claimed == 0)
        }
      }
    }
    #expect(ClientMessageDecoder.claimedSamples([1, 0, 1, 0].span, isText: false) == 0)
    #expect(ClientMessageDecoder.claimedSamples([UInt8]().span, isText: true) == 0)
  }

  @Test("a client that was measured with: its hello, press, move and acknowledgement")
  func scriptedClient() throws {
    let hello = #"{"type":"hello","room":"board:bench7","role":"viewer","acks":true}"#
    #expect(
      decode(hello)
        == .success(
          .hello(Hello(room: .board("bench7"), role: .viewer, acknowledges: true))))
    let move: [UInt8] = [1, 0, 1, 0, 1, 0, 0, 0x34, 0x12, 0xff, 0x7f]
    let sample = Sample(elapsed: 0, position: Point(x: 0x1234, y: 0x7fff))
    let batch = SampleBatch(stroke: 1, action: .move, samples: [sample])
    let message = try ClientMessageDecoder().decode(move, isText: false, format: .binary)
    #expect(message == .samples(batch))
  }

  @Test("nothing that was sent stands in an error or in a decoded value's text")
  func redaction() throws {
    let text = hello(#","resume":"0123456789abcdefSECRET6789abcdef""#)
    guard case .failure(let error) = decode(text) else {
      Issue.record("accepted")
      return
    }
    #expect(!"\(error) \(error.message)".contains("SECRET"))
    let decoded = ClientMessageDecoder.Decoded.message(.enrol(.begin))
    #expect("\(decoded)" == "Decoded")
  }
}
