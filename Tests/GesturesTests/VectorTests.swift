import Foundation
import Gestures
import PadModel
import Testing

/// A file of vectors that Swift and JavaScript both have to agree with.
private struct VectorFile: Codable {
  var about: String
  var pads: [VectorPad]
  var vectors: [Vector]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Vectors")

  static func read(_ name: String) throws -> VectorFile {
    try JSONDecoder().decode(
      VectorFile.self, from: Data(contentsOf: folder.appending(path: name)))
  }

  /// Writes the file with one pad or vector on a line, so that a change shows.
  func write(_ name: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func lines(_ values: [some Encodable]) throws -> String {
      try values.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        .joined(separator: ",\n")
    }
    let text = """
      {"about":"\(about)",
      "pads":[
      \(try lines(pads))
      ],
      "vectors":[
      \(try lines(vectors))
      ]}

      """
    try Data(text.utf8).write(to: Self.folder.appending(path: name))
  }
}

/// Written anew by `DRAWBOLT_RECORD_VECTORS=1 swift test --filter VectorTests`; otherwise checked.
@Suite(.serialized) struct VectorTests {
  private static let isRecording =
    ProcessInfo.processInfo.environment["DRAWBOLT_RECORD_VECTORS"] == "1"

  private func record(_ name: String, _ about: String, _ strokes: (Int, Pad) -> [Vector]) throws {
    let pads = try VectorStrokes.pads()
    try VectorFile(
      about: about, pads: pads.map(VectorPad.init),
      vectors: pads.enumerated().flatMap { strokes($0, $1) }
    ).write(name)
  }

  private static let files: [String: (about: String, strokes: @Sendable (Int, Pad) -> [Vector])] = [
    "tracker-strokes.json": ("random strokes", { VectorStrokes.random($0, $1) }),
    "tracker-boundaries.json": (
      "strokes that decide by one unit", { VectorStrokes.boundaries($0, $1) }
    ),
    "tracker-rules.json": (
      "jumps around the nodes between, which only the rule can add", { VectorStrokes.jumps($0, $1) }
    ),
  ]

  @Test(
    "the tracker does what the golden vectors say, and they describe today's pads",
    arguments: files.keys.sorted())
  func vectors(_ name: String) throws {
    if Self.isRecording {
      let (about, strokes) = try #require(Self.files[name])
      try record(name, about + "; units are 1/8192 of the pad's longer side", strokes)
    }
    let file = try VectorFile.read(name)
    #expect(file.vectors.count > 100)
    for vector in file.vectors {
      let pad = try #require(try file.pads[vector.pad].pad())
      #expect(VectorPad(pad) == file.pads[vector.pad])
      #expect(Vector(vector.pad, vector.name, vector.batches, on: pad) == vector)
    }
  }

  @Test("the boundary vectors hold hits and misses of both kinds")
  func boundariesDecide() throws {
    let file = try VectorFile.read("tracker-boundaries.json")
    for (index, pad) in file.pads.enumerated() {
      let own = file.vectors.filter { $0.pad == index }
      if own.isEmpty { continue }
      #expect(own.contains { $0.path.isEmpty }, "\(pad.preset)")
      #expect(own.contains { !$0.path.isEmpty }, "\(pad.preset)")
    }
  }
}
