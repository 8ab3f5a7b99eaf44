/// Why a written code is no path of its pad.
///
/// A position counts the nodes as they were written, from 1. No case holds a node: the text was a
/// code, and an error's text may be seen by others.
public enum GesturesError: Error, Hashable, Sendable {
  /// There is no node at all.
  case empty
  /// What stands here is not a number.
  case malformed(position: Int)
  /// The pad has no such node.
  case unknownNode(position: Int)
  /// The node is on the path already.
  case repeatedNode(position: Int)
  /// The pad's rule refuses the jump to this node, or would have added others before it.
  case jump(position: Int)
}
