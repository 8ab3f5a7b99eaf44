import Foundation
import PadModel
import Testing
import Wire

/// The golden vectors, which the JavaScript tests read as well.
struct Vectors: Decodable {
  struct Message: Decodable, Sendable {
    let name: String
    let text: String
    let hex: String?
    let nodeCount: Int?
  }

  struct Spelling: Decodable, Sendable {
    let side: String
    let `as`: String
    let text: String
    let format: String
  }

  struct Refusal: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let side: String
    let format: String
    let text: String?
    let hex: String?
    let hexText: String?
    let nodeCount: Int?
    let error: String
    let close: UInt16
    var testDescription: String { name }
  }

  let client: [Message]
  let server: [Message]
  let also: [Spelling]
  let errors: [Refusal]
  let decimals: [[Scalar]]
  let positions: [[Scalar?]]
  let base64url: [[String]]
  let base64urlRefused: [String]
  let closeCodes: [[Scalar]]

  /// A number, text or truth value in a mixed list.
  enum Scalar: Decodable, Equatable {
    case number(Int)
    case text(String)
    case truth(Bool)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let truth = try? container.decode(Bool.self) {
        self = .truth(truth)
      } else if let number = try? container.decode(Int.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    var number: Int? { if case .number(let number) = self { number } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
  }

  static func load() throws -> Vectors {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Vectors/wire.json")
    return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
  }
}

/// One message's bytes as a connection of `format` carries them.
struct Frame: Sendable {
  let name: String
  let bytes: [UInt8]
  let isText: Bool
  let format: WireFormat
  let nodeCount: Int?
}

extension Vectors.Message {
  /// The text frame and, where there is one, the binary frame.
  var frames: [Frame] {
    let text = Frame(
      name: name, bytes: Array(text.utf8), isText: true, format: .json, nodeCount: nodeCount)
    guard let hex else { return [text] }
    let binary = Frame(
      name: name, bytes: bytes(hex: hex), isText: false, format: .binary, nodeCount: nodeCount)
    return [text, binary]
  }
}

extension Vectors.Refusal {
  var frame: Frame {
    let raw = (hex ?? hexText).map(bytes(hex:))
    return Frame(
      name: name, bytes: raw ?? Array((text ?? "").utf8), isText: hex == nil,
      format: format == "json" ? .json : .binary, nodeCount: nodeCount)
  }
}

func bytes(hex: String) -> [UInt8] {
  let digits = hex.utf8.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x61 + 10 }
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

func decodeClient(_ frame: Frame) throws(WireError) -> ClientMessage {
  try ClientMessageDecoder().decode(frame.bytes, isText: frame.isText, format: frame.format)
}

func decodeServer(_ frame: Frame) throws(WireError) -> ServerMessage {
  var decoder = ServerMessageDecoder(nodeCount: frame.nodeCount)
  return try decoder.decode(frame.bytes, isText: frame.isText, format: frame.format)
}

/// A small generator with a seed (SplitMix64), so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}
