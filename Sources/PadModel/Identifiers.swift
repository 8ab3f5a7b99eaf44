/// What a lock is called: 1 … 64 bytes of `a-z 0-9 - _ .`, beginning with a letter or a digit.
///
/// So it can stand in a path, a log line or a command without quoting, and is never a board's name.
public struct LockID: Hashable, Sendable, CustomStringConvertible {
  /// The longest id, in bytes.
  public static let longest = 64

  /// The id's text.
  public let text: String

  /// Makes an id from outside text.
  ///
  /// - Throws: ``PadModelError/lockID(byteCount:)``.
  public init(_ text: String) throws(PadModelError) {
    let bytes = text.utf8
    guard (1...Self.longest).contains(bytes.count), bytes.allSatisfy(isNameByte),
      let first = bytes.first, isLetterOrDigit(first)
    else { throw .lockID(byteCount: bytes.count) }
    self.text = text
  }

  /// The id's text.
  public var description: String { text }
}

/// Which live session a member joins: a lock's, or a board that mirrors only.
public enum RoomName: Hashable, Sendable, CustomStringConvertible {
  /// The room of the lock with this id.
  case lock(LockID)
  /// The board of this name (the same alphabet as a lock's id).
  case board(String)

  /// What a board's name begins with on the wire.
  public static let boardPrefix = "board:"

  /// Reads `ID` or `board:NAME`.
  ///
  /// - Throws: ``PadModelError/roomName(byteCount:)``.
  public init(_ text: String) throws(PadModelError) {
    let isBoard = text.hasPrefix(Self.boardPrefix)
    let name = isBoard ? String(text.dropFirst(Self.boardPrefix.count)) : text
    guard let id = try? LockID(name) else { throw .roomName(byteCount: text.utf8.count) }
    self = isBoard ? .board(name) : .lock(id)
  }

  /// The name as it stands on the wire.
  public var description: String {
    switch self {
    case .lock(let id): id.text
    case .board(let name): Self.boardPrefix + name
    }
  }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

private func isNameByte(_ byte: UInt8) -> Bool {
  isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    || byte == UInt8(ascii: ".")
}

/// A member's number in its room, written `m1`, `m2` and so on.
public struct MemberID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number, from 1.
  public let number: UInt32

  /// Makes the id with this number.
  public init(_ number: UInt32) { self.number = number }

  /// Reads `m` and a number without leading zeros.
  ///
  /// - Throws: ``PadModelError/memberID``.
  public init(_ text: String) throws(PadModelError) {
    guard text.hasPrefix("m"), let number = UInt32(text.dropFirst()), number > 0,
      text == "m\(number)"
    else { throw .memberID }
    self.number = number
  }

  /// Orders by number, that is, by time of joining.
  public static func < (left: MemberID, right: MemberID) -> Bool { left.number < right.number }

  /// The id as it stands on the wire.
  public var description: String { "m\(number)" }
}

/// What a member calls itself: 1 … 64 bytes of UTF-8 without control characters.
public struct MemberName: Hashable, Sendable {
  /// The name's text, which is somebody's words and is shown, never trusted.
  public let text: String

  /// Makes a name from outside text.
  ///
  /// - Throws: ``PadModelError/memberName(byteCount:limit:)``.
  public init(_ text: String, limit: Int = Limits.standard.nameBytes) throws(PadModelError) {
    let count = text.utf8.count
    guard (1...limit).contains(count), !text.unicodeScalars.contains(where: isControl) else {
      throw .memberName(byteCount: count, limit: limit)
    }
    self.text = text
  }
}

/// Control, line-breaking and text-direction characters, which could forge a line or reorder it.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator, .format, .surrogate: true
  default: false
  }
}

/// What a member may do in a room.
public enum Role: String, CaseIterable, Sendable {
  /// Draws, and sees.
  case controller
  /// Sees.
  case viewer
  /// Opens the lock; gets grants and no states.
  case actuator
  /// Does all of a controller's and may take the pen.
  case admin

}
