/// A value that may hold what somebody drew, or a key, and so has no textual form but its type.
///
/// The code drawn must never reach a log, an error text or a crash report, and the surest way is
/// that interpolating or dumping such a value shows nothing.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
}

extension Redacted {
  /// The type's name and nothing of its content.
  public var description: String { "\(Self.self)" }

  /// The same as `description`: a debugger's log is a log too.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
