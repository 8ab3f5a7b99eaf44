import Glibc
import TestSupport
import Testing
import Transport

@Suite("An answer that is put off", .waiting)
struct LateAnswerTests {
  private func ask(_ server: TestServer, _ method: String = "GET") throws -> RawClient {
    let client = try RawClient(server.site)
    client.send("\(method) /later HTTP/1.1\r\nHost: \(server.site)\r\n\r\n")
    return client
  }

  @Test("is given from a later turn, once", arguments: ["GET", "HEAD"])
  func later(method: String) throws {
    let server = try TestServer()
    let client = try ask(server, method)
    let id = try #require(server.journal.firstRequest())
    let outcomes = server.onLoop { loop in
      (0..<2).map { _ in loop.respond(to: id, .text("at last\n")) }
    }
    #expect(outcomes == [true, false])
    let answer = try #require(try client.answer())
    #expect(answer.status == 200)
    #expect(answer.text == (method == "GET" ? "at last\n" : ""))
    #expect(answer.header("content-length") == "8")
    #expect(server.eventually { $0.openSockets == 0 && $0.responses == [200: 1] })
  }

  @Test("becomes 503 when its time is over, and the handler's comes to nothing")
  func tooLate() throws {
    let server = try TestServer { $0.answerWithin = 40 }
    let client = try ask(server)
    let id = try #require(server.journal.firstRequest())
    let answer = try #require(try client.answer())
    #expect(answer.status == 503)
    #expect(answer.text.contains("unanswered"))
    #expect(server.onLoop { $0.respond(to: id, .text("")) } == false)
  }

  @Test("still reaches a peer that has said all it will, and what came early is thrown away")
  func halfClosed() throws {
    let server = try TestServer()
    let client = try ask(server)
    let id = try #require(server.journal.firstRequest())
    client.send("GET /healthz HTTP/1.1\r\n")
    shutdown(client.descriptor, Int32(SHUT_WR))
    // Several turns, in which the loop sees both.
    for _ in 0..<3 { _ = server.statistics }
    #expect(server.onLoop { $0.respond(to: id, .text("heard\n")) } == true)
    #expect(try client.answer()?.text == "heard\n")
    #expect(server.eventually { $0.openSockets == 0 })
  }

  @Test("is dropped with a peer that broke off, and costs nothing afterwards")
  func broken() throws {
    let server = try TestServer()
    var client: RawClient? = try ask(server)
    let id = try #require(server.journal.firstRequest())
    var now = linger(l_onoff: 1, l_linger: 0)
    let descriptor = try #require(client).descriptor
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    client = nil
    #expect(server.eventually { $0.openSockets == 0 })
    #expect(server.onLoop { $0.respond(to: id, .text("")) } == false)
    #expect(server.statistics.responses == [:])
  }

  @Test("does not hold up a drain for longer than the drain waits")
  func drain() throws {
    let server = try TestServer()
    let client = try ask(server)
    _ = try #require(server.journal.firstRequest())
    server.handle.submit { $0.drain(code: 1012, reason: "", within: 30) }
    #expect(server.journal.wait { $0.last == .drained ? true : nil } == true)
    #expect(try client.rest() == [])
  }
}
