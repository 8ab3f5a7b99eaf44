import Glibc
import Synchronization
import TestSupport
import Testing
import Transport

@Suite(.waiting) struct SendingTests {
  @Test("one frame for 100 connections is 100 sends of the same bytes, two frames are still 100")
  func broadcast() throws {
    let server = try TestServer()
    let clients = try (0..<100).map { _ in try RawClient.open(server.site) }
    let ids = openIDs(server, 100)
    try #require(ids.count == 100)
    for frames in [1, 2, 10] {
      let before = server.statistics
      let payload = [UInt8](repeating: UInt8(frames), count: 23)
      let shared = Frame.binary(payload)
      let outcomes = server.onLoop { loop in
        ids.flatMap { id in (0..<frames).map { _ in loop.send(shared, to: id, .replaceable) } }
      }
      #expect(outcomes == Array(repeating: .accepted, count: 100 * frames))
      for client in clients {
        for _ in 0..<frames {
          #expect(try client.receive() == .init(opcode: 2, payload: payload))
        }
      }
      let after = server.statistics
      #expect(after.sends - before.sends == 100)
      #expect(after.framesSent - before.framesSent == 100 * frames)
      #expect(after.bytesSent - before.bytesSent == 100 * frames * shared.bytes.count)
    }
  }

  @Test("a slow reader gets every frame whole and in order, and state again once it has drained")
  func slowReader() throws {
    let outcomes = Outcomes()
    let server = try TestServer {
      $0.sendBufferBytes = 4096
    } onMessage: { loop, id, bytes, _ in
      if bytes == [1] {
        for number in 0..<600 { loop.send(numbered(number), to: id, .queued) }
      } else {
        outcomes.add(loop.send(numbered(9999), to: id, .replaceable))
        outcomes.add(loop.send(numbered(600), to: id, .queued))
      }
    }
    let client = try RawClient.open(server.site, receiveBuffer: 4096)
    client.send(RawClient.frame(2, [1]))
    #expect(server.eventually { $0.partialWrites > 0 })
    client.send(RawClient.frame(2, [2]))
    #expect(outcomes.wait(for: 2) == [.blocked, .accepted])
    for number in 0...600 {
      let frame = try #require(try client.receiveData())
      #expect(frame.opcode == 2)
      #expect(frame.payload == payload(number))
    }
    let id = try #require(server.journal.firstOpening()).id
    #expect(server.journal.wait { $0.contains(.writable(id)) ? true : nil } == true)
    #expect(server.onLoop { $0.isBlocked(id) } == false)
    client.send(RawClient.frame(2, [3]))
    #expect(try client.receiveData()?.payload == payload(9999))
    #expect(try client.receiveData()?.payload == payload(600))
    #expect(outcomes.wait(for: 4) == [.blocked, .accepted, .accepted, .accepted])
  }

  @Test("who asks a blocked connection for room is told when there is some, with nothing refused")
  func asksInVain() throws {
    let server = try TestServer {
      $0.sendBufferBytes = 4096
    } onMessage: { loop, id, _, _ in
      for number in 0..<600 { loop.send(numbered(number), to: id, .queued) }
    }
    let client = try RawClient.open(server.site, receiveBuffer: 4096)
    client.send(RawClient.frame(2, [1]))
    #expect(server.eventually { $0.partialWrites > 0 })
    let id = try #require(server.journal.firstOpening()).id
    #expect(server.onLoop { $0.isWritable(id) } == false)
    for number in 0..<600 { #expect(try client.receive()?.payload == payload(number)) }
    #expect(server.journal.wait { $0.contains(.writable(id)) ? true : nil } == true)
    #expect(server.onLoop { $0.isWritable(id) } == true)
  }

  @Test("a queue that grows beyond its limit ends the connection, and only that one")
  func tooSlow() throws {
    let server = try TestServer {
      $0.sendBufferBytes = 4096
      $0.maximumQueuedBytes = 5000
    } onMessage: { loop, id, bytes, _ in
      let count = bytes == [1] ? 2000 : 6
      for number in 0..<count { loop.send(numbered(number), to: id, .queued) }
    }
    let other = try RawClient.open(server.site)
    let client = try RawClient.open(server.site, receiveBuffer: 4096)
    client.send(RawClient.frame(2, [1]))
    #expect(server.eventually { $0.partialWrites > 0 })
    client.send(RawClient.frame(2, [2]))
    #expect(server.journal.firstClosing() == .tooSlow(queuedBytes: 4 * numbered(0).bytes.count))
    other.send(RawClient.frame(2, [3]))
    #expect(try other.receiveData()?.payload == payload(0))
  }

  @Test("a blocked connection is still closed with its code once it drains")
  func closeAfterDraining() throws {
    let server = try TestServer {
      $0.sendBufferBytes = 4096
    } onMessage: { loop, id, bytes, _ in
      for number in 0..<600 { loop.send(numbered(number), to: id, .queued) }
    }
    let client = try RawClient.open(server.site, receiveBuffer: 4096)
    client.send(RawClient.frame(2, [1]))
    #expect(server.eventually { $0.partialWrites > 0 })
    let id = try #require(server.journal.firstOpening()).id
    #expect(server.onLoop { $0.close(id, code: 1013, reason: "busy") } == true)
    #expect(server.onLoop { $0.send(numbered(1), to: id, .queued) } == .gone)
    for number in 0..<600 { #expect(try client.receiveData()?.payload == payload(number)) }
    let frame = try #require(try client.receiveData())
    #expect(frame.closeCode == 1013)
    #expect(try client.finishClosing(frame))
    #expect(server.journal.firstClosing() == .closed(code: 1013))
  }

  @Test("an id that is gone does nothing, though its slot has a new connection")
  func staleIDs() throws {
    let server = try TestServer()
    do { _ = try RawClient.open(server.site) }
    #expect(server.journal.firstClosing() == .lost)
    let old = try #require(server.journal.firstOpening()).id
    let client = try RawClient.open(server.site)
    let new = try #require(openIDs(server, 2).last)
    #expect(new != old)
    #expect(new.slot == old.slot)
    let results = server.onLoop { loop in
      [
        loop.send(numbered(1), to: old, .queued) == .gone, !loop.close(old, code: 1000, reason: ""),
        !loop.drop(old), !loop.markReady(old), !loop.isBlocked(old), !loop.isOpen(old),
        loop.isOpen(new),
      ]
    }
    #expect(results == Array(repeating: true, count: 7))
    client.sendText("mine")
    #expect(try client.receive()?.payload == Array("mine".utf8))
  }

  @Test("dropping ends the stream without a close frame")
  func dropping() throws {
    let server = try TestServer(onMessage: { loop, id, _, _ in loop.drop(id) })
    let client = try RawClient.open(server.site)
    client.sendText("x")
    #expect(try client.receive() == nil)
    #expect(server.journal.firstClosing() == .dropped)
  }

  /// Waits for so many openings, since a client sees its answer before the handler hears of it.
  private func openIDs(_ server: TestServer, _ count: Int) -> [ConnectionID] {
    let ids = server.journal.wait { events -> [ConnectionID]? in
      let ids = events.compactMap { event -> ConnectionID? in
        if case .opened(let opening) = event { opening.id } else { nil }
      }
      return ids.count >= count ? ids : nil
    }
    return ids ?? []
  }
}

private let counting = (0..<1256).map { UInt8(truncatingIfNeeded: $0) }

/// A thousand bytes by which frames are told apart: cut, not counted, since the thread sanitizer makes a
/// count of so many take the loop ten seconds.
private func payload(_ number: Int) -> [UInt8] {
  let first = number &* 7 & 255
  return Array(counting[first..<first + 1000])
}

private func numbered(_ number: Int) -> Frame { Frame.binary(payload(number)) }

/// What became of frames, told from the loop's thread.
private final class Outcomes: Sendable {
  private let list = Mutex<[SendOutcome]>([])

  func add(_ outcome: SendOutcome) {
    list.withLock { $0.append(outcome) }
  }

  func wait(for count: Int) -> [SendOutcome] {
    let deadline = time(nil) + 20
    while time(nil) < deadline {
      let now = list.withLock { $0 }
      if now.count >= count { return now }
      usleep(500)
    }
    return []
  }
}
