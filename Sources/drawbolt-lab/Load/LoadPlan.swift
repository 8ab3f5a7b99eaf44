import DrawboltServer
package import PadModel
package import Transport

/// What a load is to be; every number is bounded.
package struct LoadPlan {
  /// Members of a load, whoever asks.
  static let viewerRange = 1...20_000
  /// Samples a second.
  static let rateRange = 1...5_000
  /// Seconds that are measured.
  static let secondsRange = 1...600

  var address: ListenAddress
  var path = "/ws"
  var room: RoomName
  package var viewers = 100
  var rate = 120
  var seconds = 10
  /// How far members go.
  var goal = Goal.member
  /// Whether viewers acknowledge states, as pages do.
  package var acknowledges = false
  /// The most states a second that viewers ask for.
  var maxRate: Int?

  /// A stage on the way of a connection.
  package enum Goal: CaseIterable {
    /// Accepted, and silent.
    case socket
    /// Upgraded, and silent.
    case webSocket
    /// Welcomed in the room.
    case member
  }

  /// Due times in this first part are sent but not counted.
  static let warmUpNanoseconds: Int64 = 1_000_000_000
  /// How long the last states may take after the last sample.
  static let drainNanoseconds: Int64 = 5_000_000_000
  /// How long the first state may take.
  static let patienceNanoseconds: Int64 = 5_000_000_000
  /// How long all members may take to connect and be welcomed.
  static let connectNanoseconds: Int64 = 120_000_000_000
  /// Members that connect at the same time.
  static let connecting = 64

  /// A load with the usual numbers.
  package init(address: ListenAddress, room: RoomName) {
    self.address = address
    self.room = room
  }
}

/// Reads `ws://ADDRESS:PORT/PATH` of this machine.
struct LoopbackURL {
  var address: ListenAddress
  var path: String

  /// - Throws: a usage failure for any other scheme, a name, or an address of another machine: this
  ///   is a measuring tool and must not become a weapon.
  init(_ text: String) throws(CommandFailure) {
    let prefix = "ws://"
    guard text.hasPrefix(prefix) else {
      throw CommandFailure(.usage, "--url must begin with ws://, such as ws://127.0.0.1:8080/ws")
    }
    let rest = text.dropFirst(prefix.count)
    let authority = rest.prefix { $0 != "/" }
    let tail = String(rest.dropFirst(authority.count))
    guard let colon = authority.lastIndex(of: ":"),
      let port = UInt16(authority[authority.index(after: colon)...]), port > 0
    else { throw CommandFailure(.usage, "--url must name a port, such as ws://127.0.0.1:8080/ws") }
    let name = String(authority[..<colon])
    let host = name == "localhost" ? "127.0.0.1" : name
    guard let address = ListenAddress(host: host, port: port), address.isLoopback else {
      throw CommandFailure(
        .usage, "--url must name this machine: 127.0.0.1, [::1] or localhost; loads go nowhere else"
      )
    }
    guard tail.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw CommandFailure(.usage, "--url has a path with characters that a request can't bear")
    }
    self.address = address
    path = tail.isEmpty ? "/ws" : tail
  }
}
