/// How one connection's messages are written, chosen by its WebSocket subprotocol.
public enum WireFormat: CaseIterable, Hashable, Sendable {
  /// Samples, acknowledgements and states are binary, all else is JSON text.
  case binary
  /// Everything is JSON text, for people with a script and a terminal.
  case json

  /// The subprotocol's name.
  public var subprotocol: String {
    switch self {
    case .binary: "drawbolt.v1"
    case .json: "drawbolt.v1.json"
    }
  }

  /// The format of the subprotocol of exactly this name; nil when there is none.
  public init?(subprotocol: String) {
    guard let format = Self.allCases.first(where: { $0.subprotocol == subprotocol }) else {
      return nil
    }
    self = format
  }
}

/// The first byte of each binary frame.
package enum FrameType {
  /// Samples, client to server.
  package static let samples: UInt8 = 0x01
  /// An acknowledgement, client to server.
  package static let acknowledge: UInt8 = 0x02
  /// A room's state, server to client.
  package static let state: UInt8 = 0x81
}
