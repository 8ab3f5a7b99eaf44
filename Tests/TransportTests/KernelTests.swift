import Glibc
import TestSupport
import Testing
import Transport

/// What the kernel is told about connections, and what it then holds.
@Suite("A connection's socket", .waiting) struct KernelTests {
  /// The server's end of a client's connection, which is in this process too.
  private func serverEnd(of client: RawClient) throws -> Int32 {
    let own = try #require(port(client.descriptor, getsockname))
    for descriptor in Int32(3)..<4096 where descriptor != client.descriptor {
      if port(descriptor, getpeername) == own { return descriptor }
    }
    throw RawClient.Failed(what: "no such socket in this process")
  }

  private typealias NameCall = (
    Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>
  ) -> Int32

  private func port(_ descriptor: Int32, _ call: NameCall) -> in_port_t? {
    var name = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &size) }
    }
    return code == 0 && name.sin_family == AF_INET ? name.sin_port : nil
  }

  private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, level, name, &value, &size)
    return value
  }

  @Test("sends at once, holds little unsent, and times out, without a call for each")
  func options() throws {
    let server = try TestServer {
      $0.maximumUnsentBytes = 5000
      $0.deadAfter = 31_000
    }
    let client = try RawClient.open(server.site)
    let descriptor = try serverEnd(of: client)
    let tcp = Int32(IPPROTO_TCP)
    #expect(option(descriptor, tcp, TCP_NODELAY) == 1)
    #expect(option(descriptor, tcp, TCP_NOTSENT_LOWAT) == 5000)
    #expect(option(descriptor, tcp, TCP_USER_TIMEOUT) == 124_000)
  }

  @Test("takes so many bytes for a viewer that stopped and not the four megabytes of a default one")
  func stoppedViewer() throws {
    let server = try TestServer()
    let client = try RawClient.open(server.site, receiveBuffer: 4096)
    let id = try #require(server.journal.firstOpening()).id
    let frame = Frame.binary([UInt8](repeating: 7, count: 23))
    // As many turns as it takes, with one state each, until the kernel takes no more.
    while server.onLoop({ $0.send(frame, to: id, .replaceable) }) == .accepted {}
    var unsent: Int32 = 0
    let descriptor = try serverEnd(of: client)
    #expect(ioctl(descriptor, 0x894b /* SIOCOUTQNSD, sockios.h */, &unsent) == 0)
    // One segment is filled whatever the limit: 64 KiB at the most.
    let bound = server.handle.configuration.maximumUnsentBytes + 65_536
    #expect(unsent > 0 && Int(unsent) <= bound)
    // The rest is what the client's own kernel holds, some times the buffer that it asked for.
    #expect(server.statistics.bytesSent <= bound + 8 * 4096)
  }
}
