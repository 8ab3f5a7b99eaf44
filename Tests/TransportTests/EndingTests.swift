import Glibc
import TestSupport
import Testing
import Transport

/// The ends of peers for whom the library still holds bytes.
///
/// It keeps them for five seconds, in which such a peer must not wake the loop all the time.
@Suite("A peer that reads nothing", .waiting) struct EndingTests {
  /// How it goes on.
  enum Ending: CaseIterable {
    case halfClose, halfCloseAfterMore, brokenFrame, brokenFrameAndMore, closeFrame, pings
  }

  private static let ways = Ending.allCases.flatMap { ending in
    [false, true].map { (ending, $0) }
  }

  @Test("leaves the loop in peace, however it ends", arguments: ways)
  func endsBlocked(ending: Ending, secure: Bool) throws {
    let identity = secure ? try Pair.shared.get().load() : nil
    let frame = Frame.binary([UInt8](repeating: 7, count: 16_384))
    let server = try TestServer(
      {
        $0.tls = identity
        $0.sendBufferBytes = 32_768
        $0.maximumQueuedBytes = 1 << 22
        $0.closeAcknowledgement = 500
      },
      onMessage: { loop, id, _, _ in
        for _ in 0..<128 { _ = loop.send(frame, to: id, .queued) }
      })
    let client = try RawClient.open(server.site, receiveBuffer: 16_384, secure: secure)
    client.sendText("more")
    #expect(server.eventually { $0.partialWrites == 1 })
    let before = server.statistics.turnTimes.count
    Self.end(client, ending)
    #expect(server.journal.firstClosing() != nil)
    // Without a pause it would be a million.
    #expect(server.statistics.turnTimes.count - before < 50_000)
    #expect(server.eventually { $0.openSockets == 0 })
    withExtendedLifetime(client) {}
  }

  private static func end(_ client: RawClient, _ ending: Ending) {
    let broken = RawClient.frame(3, [1, 2, 3])
    switch ending {
    case .halfClose: break
    case .halfCloseAfterMore: for _ in 0..<20 { client.sendText("more") }
    case .brokenFrame: client.send(broken)
    case .brokenFrameAndMore: return client.send(broken + RawClient.frame(1, [65]) + broken)
    case .closeFrame: client.send(RawClient.frame(8, [3, 232]))
    case .pings: for _ in 0..<20 { client.send(RawClient.frame(9, [1])) }
    }
    shutdown(client.descriptor, Int32(SHUT_WR))
  }
}
