import CLab
import DrawboltServer
import Foundation
import TestSupport
import Testing
import drawbolt_lab

@Suite("Measuring", .waiting)
struct MeasuringTests {
  @Test("a histogram's quantiles are those of the sorted durations, at most one in 64 too long")
  func quantiles() {
    var (histogram, durations): (Histogram, [Int64]) = (Histogram(), [])
    var state: UInt64 = 42
    for _ in 0..<10_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      // Of all magnitudes up to 17 s.
      let duration = Int64(state >> 30) >> Int64(state % 34)
      durations.append(duration)
      histogram.add(duration)
    }
    durations.sort()
    for part in [0, 0.1, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = durations[min(durations.count - 1, Int(part * Double(durations.count)))]
      let found = histogram.quantile(part)
      #expect(found >= exact && found <= exact + exact / 64 + 1)
    }
    #expect(histogram.count == 10_000)
    #expect(histogram.longest == durations.last)
  }

  @Test(
    "a histogram without a duration answers 0, and takes the shortest and the longest there are")
  func edges() {
    var histogram = Histogram()
    #expect(histogram.quantile(0.5) == 0)
    histogram.add(-5)
    #expect(histogram.quantile(1) == 0)
    histogram.add(.max)
    #expect(histogram.quantile(1) == .max)
    #expect(histogram.count == 2)
  }

  @Test("a server's frames are found whole, and what it never sends is malformed")
  func frames() {
    func find(_ bytes: [UInt8], at start: Int = 0) -> ServerFrames.Found {
      ServerFrames.find(bytes.span, at: start)
    }
    #expect(find([0x82, 2, 7, 8]) == .frame(opcode: 2, payload: 2..<4))
    #expect(find([0, 0, 0x89, 0], at: 2) == .frame(opcode: 9, payload: 4..<4))
    let long = [0x81, 126, 0, 200] + [UInt8](repeating: 65, count: 200)
    #expect(find(long) == .frame(opcode: 1, payload: 4..<204))
    for length in 0..<long.count { #expect(find(Array(long[..<length])) == .nothing) }
    #expect(find([0x82, 127, 0, 0, 0, 0, 0, 0, 0, 1, 9]) == .frame(opcode: 2, payload: 10..<11))
    // Masked, a fragment, and longer than anything here.
    #expect(find([0x82, 0x81, 1, 2, 3, 4, 5]) == .malformed)
    #expect(find([0x02, 1, 5]) == .malformed)
    #expect(find([0x82, 127, 0x7f, 0, 0, 0, 0, 0, 0, 1]) == .malformed)
  }

  @Test("a sample's number comes back from the state that shows its position")
  func numbers() {
    for number in stride(from: 1, through: 31_000 << 15, by: 99_991) {
      let place = SampleNumber.position(of: number)
      let (x, y) = (UInt16(bitPattern: place.x), UInt16(bitPattern: place.y))
      let state: [UInt8] =
        [0x81, 1, 0, 1, 0, 0, 0, 0, 0]
        + [x, y].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } + [0]
      #expect(SampleNumber.read(state.span, 0..<state.count) == number)
    }
  }

  @Test("bench prints JSON in which what runs for each sample allocates nothing")
  func bench() throws {
    guard lab_counts_allocations() != 0 else { return }
    let printed = Printed()
    try CommandSet.lab.run(["bench", "--seconds", "0", "--json"], console: printed.console)
    let report = try printed.object()
    let figures = try #require(report["figures"] as? [[String: Any]])
    #expect(report["machine"] is [String: Any])
    #expect(figures.count >= 11)
    for figure in figures {
      let name = try #require(figure["name"] as? String)
      #expect(figure["nanoseconds"] as? Double ?? 0 > 0, "\(name)")
      let isHot = ["tracker:", "codec:", "audience:"].contains { name.hasPrefix($0) }
      #expect(!isHot || figure["allocations"] as? Double == 0, "\(name)")
    }
  }

  @Test("bench prints a table with what is aimed at")
  func benchTable() throws {
    guard lab_counts_allocations() != 0 else { return }
    let printed = Printed()
    try CommandSet.lab.run(["bench", "--seconds", "0"], console: printed.console)
    #expect(printed.text.contains("tracker: a sample, 3×3"))
    #expect(printed.text.contains("≤ 30"))
  }

  @Test("an idle member's memory is found in a server of its own, stage by stage")
  func idle() throws {
    let report = try IdleReport.measure(200, settling: 0)
    #expect(report.stages.count == 3)
    // Resident memory comes in pages and may be reused, so of 200 only the whole is certain.
    let member = try #require(report.stages.last)
    #expect(member.resident > 0.5 && member.resident < 50)
    #expect(report.text.contains(member.name))
  }
}
