import Foundation
import PadModel
import Testing
import Wire

@Suite("Numbers")
struct NumberTests {
  @Test("every position has the four decimals of exact decimal arithmetic, and reads back")
  func everyPosition() {
    var buffer: [UInt8] = []
    var wrong: [Int16] = []
    for units in Int16.min ... .max {
      let state = RoomState(version: 0, phase: .idle, pointer: Point(x: units, y: units))
      StateEncoder.encode(state, as: .json, paddedTo: nil, into: &buffer)
      let text = String(decoding: buffer, as: UTF8.self)
      let decimal = exactDecimal(units)
      let isWritten = text.contains(#","x":\#(decimal),"y":\#(decimal),"#)
      let isRead = Double(decimal).flatMap(Positions.units) == units
      if !isWritten || !isRead { wrong.append(units) }
    }
    #expect(wrong.isEmpty)
  }

  /// 1/8192 is 122 070 312 5 · 10⁻¹³ exactly, so the product holds all digits.
  private func exactDecimal(_ units: Int16) -> String {
    let exact = Int(units.magnitude) * 1_220_703_125
    let rounded = (exact + 500_000_000) / 1_000_000_000
    let digits = String(rounded)
    let filled = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
    return (units < 0 ? "-" : "") + filled.dropLast(4) + "." + filled.suffix(4)
  }

  @Test("numbers become fixed point as the vectors say")
  func vectors() throws {
    let vectors = try Vectors.load()
    for row in vectors.positions {
      let text = try #require(row[0]?.text)
      #expect(
        Positions.units(try #require(Double(text))) == row[1]?.number.map(Int16.init), "\(text)")
    }
    for row in vectors.decimals {
      let units = Int16(try #require(row[0].number))
      let expected = try #require(row[1].text)
      #expect(exactDecimal(units) == expected)
    }
  }

  @Test("what is not finite is no position")
  func notFinite() {
    for value in [Double.nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude] {
      #expect(Positions.units(value) == nil)
    }
    #expect(Positions.units(4) == 32_767)
    #expect(Positions.units(-4) == -32_768)
    #expect(Positions.units((4.0).nextUp) == nil)
    #expect(Positions.units((-4.0).nextDown) == nil)
  }

  @Test("halves are rounded away from zero, and nothing below a half is")
  func halves() {
    var wrong: [Int] = []
    for units in -32_767...32_766 {
      let half = (Double(units) + (units < 0 ? -0.5 : 0.5)) / 8192
      let below = units < 0 ? half.nextUp : half.nextDown
      let isRounded = Positions.units(half) == Int16(units < 0 ? units - 1 : units + 1)
      if !isRounded || Positions.units(below) != Int16(units) { wrong.append(units) }
    }
    #expect(wrong.isEmpty)
  }

  @Test("whole numbers of any size are written in full")
  func integers() throws {
    for number in [0, 9, 10, 99, 100, 4_294_967_295, Int.max] {
      var bytes: [UInt8] = []
      let members = Members(viewers: number, controllers: [], actuators: 0)
      ServerMessageEncoder.encode(.members(members), as: .json, into: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self).contains(#""viewers":\#(number),"#))
    }
  }
}
