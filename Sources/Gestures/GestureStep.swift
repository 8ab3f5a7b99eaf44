public import PadModel

/// One thing that a sample did to a stroke.
public enum GestureStep: Equatable, Sendable, Redacted {
  /// A stroke began here; whatever was drawn before is gone.
  case pressed(at: Point)
  /// The pointer is here now. It comes before the nodes that it reached on its way.
  case moved(to: Point)
  /// A node joined the path: touched, or filled in because the line jumped over it.
  case entered(NodeIndex, filledIn: Bool)
  /// The stroke ended with this path, which may be empty or too short: that is for the owner to say.
  case finished(Path)
  /// The stroke was given up and its path is forgotten.
  case cancelled
}
