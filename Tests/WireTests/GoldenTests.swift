import PadModel
import Testing
import Wire

@Suite("Golden vectors")
struct GoldenTests {
  private let vectors: Vectors
  private let clientMessages: [String: ClientMessage]
  private let serverMessages: [String: ServerMessage]

  init() throws {
    vectors = try Vectors.load()
    clientMessages = try Expected().client()
    serverMessages = try Expected().server()
  }

  @Test("every client message reads from and writes exactly its golden frames")
  func client() throws {
    #expect(Set(vectors.client.map(\.name)) == Set(clientMessages.keys))
    for vector in vectors.client {
      let message = try #require(clientMessages[vector.name])
      for frame in vector.frames {
        #expect(try decodeClient(frame) == message, "\(frame.name) \(frame.format)")
        var written: [UInt8] = [1, 2, 3]
        let isText = ClientMessageEncoder.encode(message, as: frame.format, into: &written)
        #expect(written == frame.bytes && isText == frame.isText, "\(frame.name) \(frame.format)")
      }
    }
  }

  @Test("every server message reads from and writes exactly its golden frames")
  func server() throws {
    #expect(Set(vectors.server.map(\.name)) == Set(serverMessages.keys))
    for vector in vectors.server {
      let message = try #require(serverMessages[vector.name])
      for frame in vector.frames {
        #expect(try decodeServer(frame) == message, "\(frame.name) \(frame.format)")
        var written: [UInt8] = [1, 2, 3]
        let isText = ServerMessageEncoder.encode(
          message, as: frame.format, paddedTo: frame.nodeCount, into: &written)
        #expect(written == frame.bytes && isText == frame.isText, "\(frame.name) \(frame.format)")
      }
    }
  }

  @Test("messages that are no hot frames are text under both subprotocols")
  func textUnderBoth() throws {
    for vector in vectors.client + vectors.server where vector.hex == nil {
      let frame = Frame(
        name: vector.name, bytes: Array(vector.text.utf8), isText: true, format: .binary,
        nodeCount: nil)
      var written: [UInt8] = []
      if let message = clientMessages[vector.name] {
        #expect(try decodeClient(frame) == message)
        #expect(ClientMessageEncoder.encode(message, as: .binary, into: &written))
      } else {
        let message = try #require(serverMessages[vector.name])
        #expect(try decodeServer(frame) == message)
        #expect(ServerMessageEncoder.encode(message, as: .binary, into: &written))
      }
      #expect(written == frame.bytes)
    }
  }

  @Test("other spellings mean the same")
  func spellings() throws {
    for spelling in vectors.also {
      let frame = Frame(
        name: spelling.as, bytes: Array(spelling.text.utf8), isText: true,
        format: spelling.format == "json" ? .json : .binary, nodeCount: nil)
      if spelling.side == "client" {
        #expect(try decodeClient(frame) == clientMessages[spelling.as], "\(spelling.text)")
      } else {
        #expect(try decodeServer(frame) == serverMessages[spelling.as], "\(spelling.text)")
      }
    }
  }

  @Test("what must be refused is refused with its error and close code")
  func refusals() {
    for refusal in vectors.errors {
      do throws(WireError) {
        if refusal.side == "client" {
          _ = try decodeClient(refusal.frame)
        } else {
          _ = try decodeServer(refusal.frame)
        }
        Issue.record("\(refusal.name) was accepted")
      } catch {
        #expect(error.name == refusal.error, "\(refusal.name)")
        #expect(error.closeReason.code == refusal.close, "\(refusal.name)")
        #expect(!error.message.isEmpty && error.message.utf8.count < 123)
      }
    }
  }

  @Test("close codes are those of the vectors and their range says what to do")
  func closeCodes() {
    #expect(vectors.closeCodes.count == CloseReason.allCases.count)
    for (reason, row) in zip(CloseReason.allCases, vectors.closeCodes) {
      #expect(row[0] == .number(Int(reason.code)))
      #expect(row[2] == .truth(reason.isRetryable))
      var written: [UInt8] = []
      ServerMessageEncoder.encode(
        .goAway(reason: reason, reconnectAfter: 0), as: .json, into: &written)
      let name = row[1].text ?? ""
      let text = #"{"type":"goaway","reason":"\#(name)","reconnectAfterMs":0}"#
      #expect(String(decoding: written, as: UTF8.self) == text)
    }
  }

  @Test("subprotocols are chosen by their exact names")
  func subprotocols() {
    #expect(WireFormat(subprotocol: "drawbolt.v1") == .binary)
    #expect(WireFormat(subprotocol: "drawbolt.v1.json") == .json)
    for name in ["", "drawbolt", "drawbolt.v2", "Drawbolt.v1", "drawbolt.v1 ", "drawbolt.v1.jso"] {
      #expect(WireFormat(subprotocol: name) == nil)
    }
  }

  @Test("base64url is RFC 4648's without padding, one text for each byte string")
  func base64url() throws {
    for row in vectors.base64url {
      #expect(Base64URL.encode(bytes(hex: row[0])) == row[1])
      #expect(Base64URL.decode(row[1]) == bytes(hex: row[0]))
    }
    for text in vectors.base64urlRefused { #expect(Base64URL.decode(text) == nil, "\(text)") }
    var random = SeededGenerator(state: 64)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    }
  }
}
