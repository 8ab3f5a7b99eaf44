public import PadModel

/// One thing that a sample did to a stroke.
public enum GestureStep: Equatable, Sendable, Redacted {
  /// A stroke began here; whatever was drawn before is gone.
  case pressed(at: Point)
  /// The pointer is here now. It comes before the nodes that it reached on its way.
  case moved(to: Point)
  /// A node joined the path: touched, or filled in because the line jumped over it.
  case entered(NodeIndex, filledIn: Bool)
  /// The stroke ended; its path may be empty or too short, which is for the owner to say.
  ///
  /// The path is not here but in ``GestureTracker/path``: without it a step is a few plain bytes, and
  /// a list of them costs nothing to empty.
  case finished
  /// The stroke was given up and its path is forgotten.
  case cancelled
}
