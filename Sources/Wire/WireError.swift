public import PadModel

/// Why bytes are no message of the protocol.
///
/// No case holds anything that was sent but lengths, counts and numbers that choose a format.
public enum WireError: Error, Hashable, Sendable {
  /// There is no byte.
  case empty
  /// The message is longer than its limit.
  case tooLong(byteCount: Int, limit: Int)
  /// A binary message came on a connection whose subprotocol is text only.
  case binaryRefused
  /// A binary frame begins with a byte that names no frame.
  case unknownFrame(type: UInt8)
  /// A binary frame has another length than its type and count ask for.
  case frameLength(byteCount: Int, expected: Int)
  /// A binary frame has flags, or a combination of them, that mean nothing.
  case unknownFlags(UInt8)
  /// A frame or message has more samples than one may have.
  case sampleCount(Int, limit: Int)
  /// There are samples where the action allows none, or none where it needs some.
  case samplesForAction(count: Int)
  /// A stroke has the number 0.
  case strokeZero
  /// A sample's position is not finite or beyond ±4; counted from 0.
  case position(sample: Int)
  /// A sample is not a list of three numbers; counted from 0.
  case point(sample: Int)
  /// A state's phase has no name.
  case unknownPhase(UInt8)
  /// A state's path has a node that is not on the pad, one twice, or more nodes than the pad.
  case path(nodeCount: Int)
  /// Bytes after a state's nodes are not zero.
  case padding
  /// Text is not UTF-8.
  case notUTF8
  /// Text is not one JSON object.
  case notJSON
  /// JSON is nested deeper than its limit.
  case nesting(limit: Int)
  /// A JSON object has more fields than an object may have.
  case fieldCount(limit: Int)
  /// A JSON object has a field twice.
  case repeatedField
  /// A field's name is written with an escape.
  case escapedField
  /// `type` names no message.
  case unknownType
  /// A message lacks this field.
  case missing(WireField)
  /// A field has another type than it must have, or a value outside its range.
  case invalid(WireField)

  /// The reason with which a connection is closed on which such bytes came.
  public var closeReason: CloseReason {
    switch self {
    case .tooLong: .tooBig
    default: .badMessage
    }
  }
}

extension WireError {
  /// The case's name, as the golden vectors write it.
  public var name: String {
    switch self {
    case .empty: "empty"
    case .tooLong: "tooLong"
    case .binaryRefused: "binaryRefused"
    case .unknownFrame: "unknownFrame"
    case .frameLength: "frameLength"
    case .unknownFlags: "unknownFlags"
    case .sampleCount: "sampleCount"
    case .samplesForAction: "samplesForAction"
    case .strokeZero: "strokeZero"
    case .position: "position"
    case .point: "point"
    case .unknownPhase: "unknownPhase"
    case .path: "path"
    case .padding: "padding"
    case .notUTF8: "notUTF8"
    case .notJSON: "notJSON"
    case .nesting: "nesting"
    case .fieldCount: "fieldCount"
    case .repeatedField: "repeatedField"
    case .escapedField: "escapedField"
    case .unknownType: "unknownType"
    case .missing(let field): "missing \(field.rawValue)"
    case .invalid(let field): "invalid \(field.rawValue)"
    }
  }

  /// What is wrong, for people, without a byte of what was sent.
  public var message: String {
    switch self {
    case .empty, .tooLong, .binaryRefused, .unknownFrame, .frameLength, .unknownFlags: frameMessage
    case .sampleCount, .samplesForAction, .strokeZero, .position, .point: strokeMessage
    case .unknownPhase, .path, .padding: stateMessage
    default: textMessage
    }
  }

  private var frameMessage: String {
    switch self {
    case .empty: "an empty message"
    case .tooLong(let count, let limit): "a message of \(count) bytes; at most \(limit) are allowed"
    case .binaryRefused:
      "a binary message, but \(WireFormat.json.subprotocol) is text only"
    case .unknownFrame(let type): "no binary frame begins with \(type)"
    case .frameLength(let count, let expected):
      "a frame of \(count) bytes where \(expected) are expected"
    case .unknownFlags(let flags): "the flags \(flags) mean nothing"
    default: name
    }
  }

  private var strokeMessage: String {
    switch self {
    case .sampleCount(let count, let limit): "\(count) samples; at most \(limit) are allowed"
    case .samplesForAction(let count):
      "\(count) samples do not fit the action: cancel has none, press, move and tap have some"
    case .strokeZero: "strokes are numbered from 1"
    case .position(let sample): "the position of sample \(sample) is not within -4 ... 4"
    case .point(let sample): "point \(sample) is not [milliseconds, x, y]"
    default: name
    }
  }

  private var stateMessage: String {
    switch self {
    case .unknownPhase(let phase): "there is no phase \(phase)"
    case .path(let count): "a path that a pad of \(count) nodes can't have"
    case .padding: "bytes after the path that are not zero"
    default: name
    }
  }

  private var textMessage: String {
    switch self {
    case .notUTF8: "text that is not UTF-8"
    case .notJSON: "text that is not one JSON object"
    case .nesting(let limit): "JSON nested deeper than \(limit)"
    case .fieldCount(let limit): "a JSON object with more than \(limit) fields"
    case .repeatedField: "a JSON object with a field twice"
    case .escapedField: "a field's name with an escape"
    case .unknownType: "no message of this protocol has this type"
    case .missing(let field): "the field \(field.rawValue) is missing"
    case .invalid(let field): "the field \(field.rawValue) has a wrong type or value"
    default: name
    }
  }
}
