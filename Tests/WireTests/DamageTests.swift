import PadModel
import Testing
import Wire

/// Damaged frames give a message or a typed error and never a trap: a trap would end the test.
@Suite("Damaged frames")
struct DamageTests {
  private let client: [Frame]
  private let server: [Frame]

  init() throws {
    let vectors = try Vectors.load()
    client = vectors.client.flatMap(\.frames)
    server = vectors.server.flatMap(\.frames)
  }

  /// Whether the damaged frame was still a message.
  @discardableResult
  private func isMessage(_ frame: Frame, _ bytes: [UInt8], fromClient: Bool) -> Bool {
    let damaged = Frame(
      name: frame.name, bytes: bytes, isText: frame.isText, format: frame.format,
      nodeCount: frame.nodeCount)
    do throws(WireError) {
      if fromClient { _ = try decodeClient(damaged) } else { _ = try decodeServer(damaged) }
      return true
    } catch {
      if error.closeReason != .badMessage { Issue.record("\(frame.name): \(error)") }
      return false
    }
  }

  @Test("no prefix of a frame is a message, except where only padding is missing")
  func prefixes() {
    for (frames, fromClient) in [(client, true), (server, false)] {
      for frame in frames {
        var content = frame.bytes
        if frame.isText { while content.last == UInt8(ascii: " ") { content.removeLast() } }
        for length in frame.bytes.indices {
          let isMessage = isMessage(frame, Array(frame.bytes[..<length]), fromClient: fromClient)
          let isPadded = frame.nodeCount != nil || frame.bytes.count > content.count
          let mayBe = isPadded && length >= (frame.isText ? content.count : 14)
          if isMessage && !mayBe { Issue.record("\(frame.name), \(length) bytes") }
        }
      }
    }
  }

  @Test("every value of every byte of every binary frame")
  func binaryBytes() {
    for (frames, fromClient) in [(client, true), (server, false)] {
      for frame in frames where !frame.isText {
        for index in frame.bytes.indices {
          for change in UInt8(1)...255 {
            var bytes = frame.bytes
            bytes[index] ^= change
            isMessage(frame, bytes, fromClient: fromClient)
          }
        }
      }
    }
  }

  @Test(
    "every value of every byte of every text; in long ones the values that matter to JSON",
    arguments: [true, false], 0..<8)
  func textBytes(fromClient: Bool, share: Int) {
    let every = Array(UInt8.min...255)
    let some = Array(#""\{}[],:0-"#.utf8) + [0x00, 0x80]
    var seen: Set<ArraySlice<UInt8>> = []
    for frame in fromClient ? client : server where frame.isText {
      // All values of all texts would take minutes.
      let values = frame.bytes.count < 70 ? every : some
      for index in frame.bytes.indices {
        // What stood between the same bytes in another text is not damaged again.
        let around = frame.bytes[max(0, index - 20)..<min(index + 20, frame.bytes.count)]
        guard seen.insert(around).inserted, index % 8 == share else { continue }
        var bytes = frame.bytes
        for value in values {
          bytes[index] = value
          isMessage(frame, bytes, fromClient: fromClient)
        }
      }
    }
  }

  @Test("random bytes, as either kind of message")
  func randomBytes() {
    var random = SeededGenerator(state: 1)
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      if let type: UInt8 = [0x01, 0x02, 0x81].randomElement(using: &random), !bytes.isEmpty {
        bytes[0] = type
      }
      for isText in [true, false] {
        let frame = Frame(
          name: "random", bytes: bytes, isText: isText, format: .binary, nodeCount: nil)
        isMessage(frame, bytes, fromClient: true)
        isMessage(frame, bytes, fromClient: false)
      }
    }
  }

  @Test("text of JSON's own characters in random order")
  func randomJSON() {
    var random = SeededGenerator(state: 2)
    let pieces = [
      "{", "}", "[", "]", ":", ",", "\"", "\\", "\"type\"", "\"samples\"", "\"points\"", "\"a\"",
      "1", "-", "0.5", "1e9", "true", "null", " ", "\\u0000", "é",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...20, using: &random)
      let text = (0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined()
      let bytes = Array("{\(text)}".utf8)
      let frame = Frame(name: "json", bytes: bytes, isText: true, format: .json, nodeCount: nil)
      isMessage(frame, bytes, fromClient: true)
      isMessage(frame, bytes, fromClient: false)
    }
  }
}
