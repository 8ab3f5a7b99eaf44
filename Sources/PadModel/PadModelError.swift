/// Why a value of the model cannot be made.
///
/// No case holds what was drawn.
public enum PadModelError: Error, Hashable, Sendable {
  /// A grid's side is not 2 … 10.
  case gridSize(columns: Int, rows: Int)
  /// A room's name is not a lock's id nor `board:NAME`.
  case roomName(byteCount: Int)
  /// A lock's id is not 1 … 64 of `a-z 0-9 - _ .`, beginning with a letter or digit.
  case lockID(byteCount: Int)
  /// A member's name is empty, too long or has a control character.
  case memberName(byteCount: Int, limit: Int)
  /// A member's id is not `m` and a number.
  case memberID
  /// An id or key in hexadecimal does not have this many digits, or other characters.
  case hexadecimal(digitsNeeded: Int)
}
