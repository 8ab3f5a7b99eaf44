import FoundationEssentials
public import PadModel

/// Reads what the server sends, for tests, simulation and load.
public struct ServerMessageDecoder: Sendable {
  /// The longest message that is read; the largest `welcome` takes less than a tenth of it.
  public static let messageBytes = 65_536

  /// The pad's number of nodes, learnt from `welcome`; nil until then.
  ///
  /// Once it is known, binary states may be padded to it and paths are checked against it.
  public private(set) var nodeCount: Int?

  private let json: JSONDecoder

  /// Makes a decoder for one connection.
  public init(nodeCount: Int? = nil) {
    self.nodeCount = nodeCount
    json = JSONDecoder()
  }

  /// Reads one whole message.
  ///
  /// Text states are read in both formats.
  ///
  /// - Throws: ``WireError``; ``WireError/unknownType`` is a newer server's message, to be ignored.
  public mutating func decode(
    _ bytes: Span<UInt8>, isText: Bool, format: WireFormat
  ) throws(WireError) -> ServerMessage {
    guard bytes.count <= Self.messageBytes else {
      throw .tooLong(byteCount: bytes.count, limit: Self.messageBytes)
    }
    guard !isText else { return try decodeText(bytes) }
    guard format == .binary else { throw .binaryRefused }
    guard bytes.count > 0 else { throw .empty }
    guard bytes[0] == FrameType.state else { throw .unknownFrame(type: bytes[0]) }
    return .state(try BinaryFrames.readState(bytes, nodeCount: nodeCount))
  }

  /// Reads one whole message.
  ///
  /// - Throws: ``WireError``.
  public mutating func decode(
    _ bytes: [UInt8], isText: Bool, format: WireFormat
  ) throws(WireError) -> ServerMessage {
    try decode(bytes.span, isText: isText, format: format)
  }

  private mutating func decodeText(_ bytes: Span<UInt8>) throws(WireError) -> ServerMessage {
    let message = try json.decode(
      ServerEnvelope.self, from: bytes, depthLimit: Limits.standard.jsonDepth
    ).message
    switch message {
    case .welcome(let welcome): nodeCount = welcome.pad.grid.nodeCount
    case .state(let state):
      if let nodeCount { try checkPath(state.path, nodeCount: nodeCount) }
    default: break
    }
    return message
  }
}

/// A server message in JSON.
private struct ServerEnvelope: Decodable {
  let message: ServerMessage

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    message =
      switch try fields.type() {
      case "welcome": .welcome(try fields.welcome())
      case "members": .members(try fields.members())
      case "pen": .pen(try fields.pen())
      case "state": .state(try fields.state())
      case "verdict": .verdict(try fields.verdict())
      case "lockout": .lockout(try fields.lockout())
      case "device": .device(try fields.value(.token))
      case "enrol": .enrol(try fields.enrol())
      case "grant.offer": .offerGrant(try fields.random(.id))
      case "grant": .grant(try fields.grant())
      case "error": .error(try fields.failure())
      case "goaway":
        .goAway(
          reason: try fields.made(.reason) { CloseReason(wireName: $0) },
          reconnectAfter: try fields.value(.reconnectAfterMs))
      default: throw WireError.unknownType
      }
  }
}

extension Fields {
  func state() throws(WireError) -> RoomState {
    let path: [NodeIndex] = try value(.path)
    try checkPath(path, nodeCount: Grid.mostNodes)
    return RoomState(
      version: try value(.version), phase: try made(.phase) { Phase(wireName: $0) },
      stroke: try value(.stroke), path: path, pointer: Point(x: try side(.x), y: try side(.y)),
      showsTail: try value(.tail), hidesPath: try value(.hidden))
  }

  private func side(_ field: WireField) throws(WireError) -> Int16 {
    guard let units = Positions.units(try value(field)) else { throw .invalid(field) }
    return units
  }

  fileprivate func members() throws(WireError) -> Members {
    let controllers: [MemberEntry] = try value(.controllers)
    return Members(
      viewers: try count(.viewers), controllers: controllers.map(\.controller),
      actuators: try count(.actuators))
  }

  fileprivate func pen() throws(WireError) -> PenStatus {
    PenStatus(
      holder: has(.holder) ? try made(.holder, MemberID.init) : nil, name: try memberName(),
      waiting: try count(.waiting))
  }

  fileprivate func verdict() throws(WireError) -> Verdict {
    Verdict(
      stroke: try value(.stroke), outcome: try named(.outcome),
      retryAfterMilliseconds: try value(.retryAfterMs), failures: try count(.failures),
      actuators: try count(.actuators), opened: try optional(.opened))
  }

  fileprivate func enrol() throws(WireError) -> EnrolStatus {
    EnrolStatus(step: try named(.step), reason: try optional(.reason))
  }

  fileprivate func grant() throws(WireError) -> Grant {
    guard try value(.action) == "open" else { throw .invalid(.action) }
    return Grant(
      id: try random(.id), lock: try made(.lock, LockID.init),
      audience: try made(.audience, MemberID.init), nonce: try random(.nonce),
      isDemo: try value(.demo), keyID: try value(.keyId),
      signature: try made(.signature, Base64URL.decode))
  }

  fileprivate func failure() throws(WireError) -> Failure {
    Failure(
      try named(.code), try value(.message), retryable: try value(.retryable),
      retryAfterMilliseconds: try optional(.retryAfterMs))
  }
}

private struct MemberEntry: Decodable {
  let controller: Members.Controller

  init(from decoder: any Decoder) throws {
    let fields = try Fields(decoder)
    controller = Members.Controller(
      member: try fields.made(.member, MemberID.init), name: try fields.memberName())
  }
}
