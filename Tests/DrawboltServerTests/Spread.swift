import PadModel
import Rooms
import Testing

/// A server with several loops, and connections of which a test knows the loop.
///
/// The kernel chooses one for each connection; what falls on the wrong one is kept for later.
final class Spread {
  let server: TestServer
  private let loops: Int
  private var spares: [[Client]]

  init(_ scratch: Scratch, loops: Int = 2, _ flags: String..., key: String? = nil) throws {
    self.loops = loops
    spares = Array(repeating: [], count: loops)
    server = try TestServer(
      scratch, ["--loops", "\(loops)", "--limits-hello-time", "60s"] + flags, key: key)
  }

  /// The name of a board whose home is this loop; another one for each `number`.
  func board(at home: Int, _ number: Int = 0) throws -> String {
    var left = number
    for index in 0..<1000 {
      let name = "board:b\(index)"
      guard try RoomName(name).home(among: loops) == home else { continue }
      if left == 0 { return name }
      left -= 1
    }
    throw Failed("no board at loop \(home)")
  }

  /// The loop that is home to a lock's room, and another.
  func loops(of lock: String) throws -> (home: Int, other: Int) {
    let home = try RoomName(lock).home(among: loops)
    return (home, (home + 1) % loops)
  }

  /// Connections of each loop.
  func connections() throws -> [Int] {
    let text = try HTTPAnswer.get(server.adminPort, "/metrics").body
    return (0..<loops).map { loop in
      let start = "drawbolt_loop_connections{loop=\"\(loop)\"} "
      let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
      return line.flatMap { Int($0.dropFirst(start.count)) } ?? 0
    }
  }

  /// A connection of this loop that has not said hello.
  func client(on loop: Int) throws -> Client {
    if let spare = spares[loop].popLast() { return spare }
    // The chance that so many miss one of two loops is that of guessing 200 coins.
    for _ in 0..<200 {
      let before = try connections()
      let client = try Client(server)
      let after = try connections()
      guard let found = (0..<loops).first(where: { after[$0] > before[$0] }) else { continue }
      if found == loop { return client }
      spares[found].append(client)
    }
    throw Failed("no connection on loop \(loop)")
  }

  /// A member of the room whose connection is on this loop.
  func join(
    _ room: String, _ role: String, on loop: Int, _ more: String = ""
  ) throws -> (client: Client, welcome: Message) {
    let client = try client(on: loop)
    client.hello(room, role, more)
    return (client, try client.message("welcome"))
  }
}
