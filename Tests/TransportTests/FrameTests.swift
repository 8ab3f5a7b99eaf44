import Glibc
import TestSupport
import Testing
import Transport

/// What clients may send, over real sockets.
@Suite(.waiting) struct FrameTests {
  @Test("a message in fragments with control frames between them is one message")
  func fragments() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.send(RawClient.frame(1, Array("one ".utf8), fin: false))
    client.send(RawClient.frame(9, Array("ping".utf8)))
    client.send(RawClient.frame(0, [], fin: false))
    client.send(RawClient.frame(10, Array("unasked".utf8)))
    client.send(RawClient.frame(0, Array("two".utf8)))
    var frames: [RawClient.Received] = []
    while frames.count < 2 { frames.append(try #require(try client.receive())) }
    #expect(frames.contains(.init(opcode: 10, payload: Array("ping".utf8))))
    #expect(frames.contains(.init(opcode: 1, payload: Array("one two".utf8))))
  }

  @Test("a message that comes byte by byte is one message")
  func drip() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    for byte in RawClient.frame(2, [1, 2, 3, 4, 5]) { client.send([byte]) }
    #expect(try client.receive() == .init(opcode: 2, payload: [1, 2, 3, 4, 5]))
  }

  @Test("an empty message is a message")
  func empty() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.send(RawClient.frame(2, []) + RawClient.frame(1, []) + RawClient.frame(2, [7]))
    #expect(try client.receive() == .init(opcode: 2, payload: []))
    #expect(try client.receive() == .init(opcode: 1, payload: []))
    #expect(try client.receive() == .init(opcode: 2, payload: [7]))
  }

  @Test("lengths around each header's and the receive buffer's limit pass unchanged")
  func lengths() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    for length in [1, 125, 126, 127, 1023, 1024, 1025, 2048, 4095, 4096] {
      let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      client.send(RawClient.frame(2, payload))
      #expect(try client.receive() == .init(opcode: 2, payload: payload))
    }
  }

  @Test("exactly the largest message is taken, one byte more is 1009, in one frame or in several")
  func tooBig() throws {
    let server = try TestServer { $0.maximumMessageBytes = 100 }
    let full = [UInt8](repeating: 1, count: 100)
    let variants: [[UInt8]] = [
      RawClient.frame(2, full + [1]),
      RawClient.frame(2, full, fin: false) + RawClient.frame(0, [1]),
      RawClient.frame(2, [1], fin: false) + RawClient.frame(0, full),
    ]
    for variant in variants {
      let client = try RawClient.open(server.site)
      client.send(RawClient.frame(2, full))
      #expect(try client.receive()?.payload == full)
      client.send(variant)
      let frame = try #require(try client.receive())
      #expect(frame.closeCode == 1009)
      #expect(try client.finishClosing(frame))
    }
    #expect(server.journal.closings(atLeast: 3) == Array(repeating: .messageTooBig, count: 3))
  }

  @Test("a claimed length of 2⁶³ − 1 with one byte behind it is 1009")
  func hugeLength() throws {
    let server = try TestServer { $0.closeAcknowledgement = 100 }
    for claimed in [UInt64(Int64.max), 1 << 62, 1 << 32, 4097] {
      let client = try RawClient.open(server.site)
      client.send(RawClient.frame(2, [1], claimed: claimed))
      #expect(try client.receive()?.closeCode == 1009)
      // The frame never ends, so no answer to the close can be heard: the deadline ends it.
      #expect(try client.receive() == nil)
    }
  }

  @Test("fragments whose sum would overflow are 1009 and no trap")
  func overflow() throws {
    let server = try TestServer { $0.closeAcknowledgement = 100 }
    let client = try RawClient.open(server.site)
    client.send(RawClient.frame(2, [1], fin: false))
    client.send(RawClient.frame(0, [1], claimed: UInt64(Int64.max)))
    #expect(try client.receive()?.closeCode == 1009)
    #expect(try client.receive() == nil)
  }

  @Test("a bare header that claims 2⁶³ − 1 bytes is ended by the dead timer")
  func bareHeader() throws {
    let server = try TestServer {
      $0.pingAfter = 100
      $0.deadAfter = 400
    }
    let client = try RawClient.open(server.site)
    let start = ContinuousClock.now
    client.send(RawClient.frame(2, [], claimed: UInt64(Int64.max)))
    while try client.receive() != nil {}
    let passed = ContinuousClock.now - start
    #expect(passed > .milliseconds(380) && passed < .seconds(4))
    #expect(server.journal.firstClosing() == .dead)
  }

  @Test(
    "bad UTF-8 in text is 1007",
    arguments: [
      [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80], [0x80],
    ] as [[UInt8]])
  func badText(_ payload: [UInt8]) throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.send(RawClient.frame(1, payload))
    #expect(try client.receive()?.closeCode == 1007)
  }

  @Test("a character may be split over fragments")
  func splitText() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.send(RawClient.frame(1, [0xe2, 0x82], fin: false) + RawClient.frame(0, [0xac]))
    #expect(try client.receive() == .init(opcode: 1, payload: [0xe2, 0x82, 0xac]))
  }

  @Test(
    "a frame that breaks the protocol ends the connection with 1002",
    arguments: [
      RawClient.frame(3, [1]), RawClient.frame(11, []), RawClient.frame(0, [1]),
      [0xc2, 0x81, 0, 0, 0, 0, 1],
    ])
  func protocolError(_ bytes: [UInt8]) throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.send(bytes)
    let frame = try #require(try client.receive())
    #expect(frame.closeCode == 1002)
    #expect(try client.finishClosing(frame))
    #expect(server.journal.firstClosing() == .lost)
  }

  @Test(
    "nothing follows the library's close frame, and who does not answer it is dropped in our time",
    arguments: [RawClient.frame(3, [1]), RawClient.frame(0, [1]), RawClient.frame(1, [0xff])])
  func nothingAfterClose(_ bytes: [UInt8]) throws {
    let server = try TestServer { $0.closeAcknowledgement = 100 }
    let client = try RawClient.open(server.site)
    let id = try #require(server.journal.firstOpening()?.id)
    client.send(bytes)
    #expect(try [1002, 1007].contains(client.receive()?.closeCode))
    let start = ContinuousClock.now
    let frame = Frame.text(Array("too late".utf8))
    #expect(server.onLoop { $0.send(frame, to: id, .queued) } == .gone)
    #expect(server.onLoop { $0.isOpen(id) } == false)
    #expect(try client.receive() == nil)
    #expect(server.journal.firstClosing() == .lost)
    // The library itself would wait for 5 s.
    #expect(ContinuousClock.now - start < .seconds(4))
  }

  @Test(
    "the peer's close is answered with its code, and its code is told", arguments: [1000, 4321])
  func peerCloses(_ code: UInt16) throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.send(RawClient.frame(8, [UInt8(code >> 8), UInt8(code & 0xff)]))
    #expect(try client.receive()?.closeCode == Int(code))
    #expect(try client.receive() == nil)
    #expect(server.journal.firstClosing() == .peer(code: code))
  }

  @Test("a close without a code, an end and a reset of the stream are told")
  func otherEnds() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site)
    client.send(RawClient.frame(8, []))
    #expect(try client.receive()?.opcode == 8)
    #expect(server.journal.firstClosing() == .peer(code: nil))
    do { _ = try RawClient.open(server.site) }
    #expect(server.journal.closings(atLeast: 2)?.last == .lost)
    do {
      let client = try RawClient.open(server.site)
      var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
      let size = socklen_t(MemoryLayout<linger>.size)
      setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
    }
    #expect(server.journal.closings(atLeast: 3)?.last == .lost)
  }

  @Test("frame headers are the shortest there are", arguments: [0, 125, 126, 65_535, 65_536])
  func headers(_ length: Int) {
    let frame = Frame.binary([UInt8](repeating: 9, count: length))
    let expected: [UInt8] =
      switch length {
      case ..<126: [0x82, UInt8(length)]
      case ..<65_536: [0x82, 126, UInt8(length >> 8), UInt8(length & 0xff)]
      default: [0x82, 127, 0, 0, 0, 0, 0, 1, 0, 0]
      }
    #expect(frame.bytes.prefix(expected.count).elementsEqual(expected))
    #expect(frame.payloadBytes == length)
    #expect(frame.bytes.count == length + expected.count)
  }
}
