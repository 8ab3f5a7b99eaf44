import DrawboltServer
import Foundation
import Gestures
import PadModel
import Vault
import Wire

/// What libFuzzer calls with each input; `FUZZ_TARGET` names what it is given to.
///
/// A trap, an overflow or a read past the end is a finding, and so is a disagreement.
@c
public func LLVMFuzzerTestOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  Targets.chosen(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

enum Targets {
  /// All targets, by the names that `.ci/fuzz` knows them by.
  private static let all: [String: @Sendable ([UInt8]) -> Void] = [
    "wire": binary, "json": json, "path": path, "configuration": configuration, "stroke": stroke,
    "token": TokenTarget.check, "grant": GrantTarget.check, "row": StoredRows.check,
  ]

  static let chosen: @Sendable ([UInt8]) -> Void = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = all[name] else { fatalError("FUZZ_TARGET is none of \(all.keys.sorted())") }
    return target
  }()

  /// Binary frames of both sides; what is understood comes back the same.
  static func binary(_ bytes: [UInt8]) {
    client(bytes, isText: false)
    server(bytes, isText: false)
  }

  /// Text messages of both sides.
  static func json(_ bytes: [UInt8]) {
    client(bytes, isText: true)
    server(bytes, isText: true)
  }

  private static let clientDecoder = ClientMessageDecoder()

  private static func client(_ bytes: [UInt8], isText: Bool) {
    _ = ClientMessageDecoder.claimedSamples(bytes.span, isText: isText)
    _ = ClientMessageDecoder.mayPress(bytes.span, isText: isText)
    guard let message = decoded(bytes, isText: isText) else { return }
    var again: [UInt8] = []
    let staysText = ClientMessageEncoder.encode(message, as: .binary, into: &again)
    precondition(decoded(again, isText: staysText) == message, "decode(encode(m)) is m")
  }

  private static func decoded(_ bytes: [UInt8], isText: Bool) -> ClientMessage? {
    var batch = SampleBatch(stroke: 1, action: .move)
    do throws(WireError) {
      switch try clientDecoder.decode(bytes.span, isText: isText, format: .binary, into: &batch) {
      case .samples: return .samples(batch)
      case .acknowledge(let version): return .acknowledge(version: version)
      case .message(let message): return message
      }
    } catch {
      _ = error.closeReason
      return nil
    }
  }

  private static func server(_ bytes: [UInt8], isText: Bool) {
    var decoder = ServerMessageDecoder()
    guard let message = try? decoder.decode(bytes.span, isText: isText, format: .binary) else {
      return
    }
    var again: [UInt8] = []
    let staysText = ServerMessageEncoder.encode(message, as: .binary, into: &again)
    var other = ServerMessageDecoder()
    let second = try? other.decode(again.span, isText: staysText, format: .binary)
    precondition(second == message, "decode(encode(m)) is m")
  }

  /// The text of a code, on a grid and under a rule that the first bytes choose.
  static func path(_ bytes: [UInt8]) {
    guard bytes.count > 2, let grid = grid(bytes[0]) else { return }
    let rules = SelectionRule.allCases
    let base = PathText.Base(rawValue: Int(bytes[2] & 1)) ?? .one
    let text = PathText(grid: grid, rule: rules[Int(bytes[1]) % rules.count], base: base)
    guard let path = try? text.parse(String(decoding: bytes[3...], as: UTF8.self)) else { return }
    let again = try? text.parse(text.write(path))
    precondition(again == path, "parse(write(p)) is p")
    _ = PathStrength(of: path, on: grid)
  }

  /// A configuration file, with all that its settings may say; each mistake has its line.
  static func configuration(_ bytes: [UInt8]) {
    var configuration = Configuration()
    let text = String(decoding: bytes, as: UTF8.self)
    do {
      try ConfigurationReader.apply(json5: text, file: "fuzz.json5", to: &configuration)
    } catch {
      precondition(!"\(error)".isEmpty, "a refusal says something")
    }
  }

  /// A stroke, which the tracker must follow as testing all nodes in exact arithmetic does.
  static func stroke(_ bytes: [UInt8]) {
    guard bytes.count > 5, let grid = grid(bytes[0]) else { return }
    let presets = Preset.allCases
    let preset = presets[Int(bytes[1]) % presets.count]
    var pad = preset == .android ? preset.pad(grid) : preset.pad()
    pad.rule = .free
    let points = stride(from: 2, to: bytes.count - 3, by: 4).prefix(40).map { place in
      Point(x: number(bytes, place), y: number(bytes, place + 2))
    }
    var oracle = BruteForce(pad)
    oracle.draw(points)
    precondition(pad.drawn(points) == oracle.path, "both find the same nodes in the same order")
  }

  private static func grid(_ byte: UInt8) -> Grid? {
    try? Grid(columns: 2 + Int(byte) % 9, rows: 2 + Int(byte) / 9 % 9)
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> Int16 {
    Int16(truncatingIfNeeded: Int(bytes[place]) | Int(bytes[place + 1]) << 8)
  }
}
