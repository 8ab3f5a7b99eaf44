import TestSupport
import Testing
import Transport

/// A connection that wakes the loop all the time has its messages gathered by the kernel for a moment.
@Suite(.waiting) struct ModerationTests {
  private static let millisecond: UInt64 = 1_000_000

  /// Of messages that come in these turns at these times, which are one too many.
  private func tooMany(_ messages: [(turn: UInt16, at: UInt64)]) -> [Bool] {
    var haste = Haste()
    return messages.map { haste.isTooGreat(turn: $0.turn, at: $0.at) }
  }

  @Test("four turns of a millisecond are not too many, the fifth is")
  func turns() {
    let last = 8 * Self.millisecond - 1
    let within = (1...5).map { (turn: UInt16($0), at: $0 == 5 ? last : 7 * Self.millisecond) }
    #expect(tooMany(within) == [false, false, false, false, true])
    let over = (1...5).map { (turn: UInt16($0), at: $0 == 5 ? last + 1 : 7 * Self.millisecond) }
    #expect(tooMany(over) == [false, false, false, false, false])
  }

  @Test("many messages of one turn count once")
  func messages() {
    let crowded = (0..<8).map { (turn: UInt16($0 / 2), at: Self.millisecond) }
    #expect(!tooMany(crowded).contains(true))
  }

  @Test("a flood of single messages is gathered, and every one of them is answered in order")
  func flood() throws {
    let server = try TestServer {
      $0.piecesPerSecond = 1_000_000
      $0.pieceBurst = 1_000_000
      $0.bytesPerSecond = 1_000_000_000
      $0.byteBurst = 1_000_000_000
    }
    let client = try RawClient.open(server.site)
    // How soon the loop wakes is the machine's affair, so the flood goes on until it was too soon.
    var sent: UInt8 = 0
    for _ in 0..<1000 where server.statistics.gatherings == 0 {
      let first = sent
      for _ in 0..<100 {
        client.send(RawClient.frame(2, [sent]))
        sent &+= 1
      }
      for number in 0..<100 {
        #expect(try client.receiveData()?.payload == [first &+ UInt8(number)])
      }
    }
    #expect(server.statistics.gatherings > 0)
    client.sendText("last")
    #expect(try client.receiveData()?.payload == Array("last".utf8))
  }
}
