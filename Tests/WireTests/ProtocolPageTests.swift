import Foundation
import PadModel
import Testing
import Wire

/// The protocol's page is normative, so its examples must be true.
@Suite("The protocol's page")
struct ProtocolPageTests {
  private let page: String
  private let lines: [Substring]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/Wire/Wire.docc/Protocol.md")
    page = try String(contentsOf: file, encoding: .utf8)
    lines = page.split(separator: "\n")
  }

  private func frame(_ bytes: [UInt8], isText: Bool) -> Frame {
    Frame(name: "page", bytes: bytes, isText: isText, format: .binary, nodeCount: 9)
  }

  @Test("every example is a message")
  func examples() throws {
    var count = 0
    for line in lines where !line.contains("…") {
      let text = line.drop { "→← ".contains($0) }
      if text.hasPrefix("binary  ") {
        let frame = frame(bytes(hex: String(text.dropFirst(8).filter { $0 != " " })), isText: false)
        if line.hasPrefix("→") { _ = try decodeClient(frame) } else { _ = try decodeServer(frame) }
      } else if text.hasPrefix(#"{"type":"#) {
        let frame = frame(Array(text.utf8), isText: true)
        let isClient = (try? decodeClient(frame)) != nil
        let isServer = (try? decodeServer(frame)) != nil
        #expect(isClient != isServer, "\(text)")
        if line.hasPrefix("→") { #expect(isClient) }
        if line.hasPrefix("←") { #expect(isServer) }
      } else {
        continue
      }
      count += 1
    }
    #expect(count >= 24)
  }

  @Test("every golden vector has its place in it, by name")
  func vectorNames() throws {
    let vectors = try Vectors.load()
    for name in (vectors.client + vectors.server).map(\.name) where !name.hasPrefix("state") {
      #expect(page.contains("`\(name)`"), "\(name)")
    }
  }

  @Test("every close code, error code, phase, outcome and step stands in it")
  func words() {
    for reason in CloseReason.allCases { #expect(page.contains("| \(reason.code) | `")) }
    for code in FailureCode.allCases { #expect(page.contains("`\(code.rawValue)`")) }
    for phase in Phase.allCases { #expect(page.contains("| \(phase.rawValue) |")) }
    for outcome in Outcome.allCases { #expect(page.contains("`\(outcome.rawValue)`")) }
    for step in EnrolStatus.Step.allCases { #expect(page.contains("`\(step.rawValue)`")) }
    for rule in SelectionRule.allCases { #expect(page.contains("`\(rule.rawValue)`")) }
  }
}
