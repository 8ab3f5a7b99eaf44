import Glibc
import TestSupport
import Testing
import Transport

@Suite(.waiting) struct WebSocketTests {
  @Test("a message comes back through the same connection")
  func echo() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.sendText("hello")
    #expect(try client.receive() == .init(opcode: 1, payload: Array("hello".utf8)))
    let opening = try #require(server.journal.firstOpening())
    #expect(opening.subprotocol == 0)
    #expect(opening.origin == nil)
    #expect(opening.peer.host == "127.0.0.1")
  }

  @Test("frames sent right behind the upgrade request are heard")
  func pipelinedFrames() throws {
    let server = try TestServer()
    for count in [1, 3, 40] {
      let client = try RawClient(server.site)
      let frames = (0..<count).flatMap { RawClient.frame(2, [UInt8($0)]) }
      client.send(Array(client.upgradeHead().utf8) + frames)
      #expect(try client.answer()?.status == 101)
      for number in 0..<count {
        #expect(try client.receive() == .init(opcode: 2, payload: [UInt8(number)]))
      }
    }
  }

  @Test(
    "a close code reaches the peer, and the handler hears which",
    arguments: [1000, 1001, 1008, 1011, 1012, 1013, 4008, 4401] as [UInt16])
  func closeCode(_ code: UInt16) throws {
    let server = try TestServer(onMessage: { loop, id, _, _ in
      loop.send(Frame.text(Array("last".utf8)), to: id, .queued)
      loop.close(id, code: code, reason: "why")
    })
    let client = try RawClient.open(server.site)
    client.sendText("x")
    #expect(try client.receive()?.payload == Array("last".utf8))
    let frame = try #require(try client.receive())
    #expect(frame.closeCode == Int(code))
    #expect(frame.payload.dropFirst(2).elementsEqual("why".utf8))
    #expect(try client.finishClosing(frame))
    #expect(server.journal.firstClosing() == .closed(code: code))
  }
}
