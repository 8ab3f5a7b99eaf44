/// What of a room's state a member may see.
///
/// Each is encoded once and shared by all who see it, and each counts its own versions.
public enum Projection: UInt8, CaseIterable, Sendable {
  /// All of it.
  case open
  /// Only how attempts ended: no stroke, no path, no position, nothing before a verdict.
  case stealth
}

/// How a member's state frames are written.
public enum FrameFormat: UInt8, CaseIterable, Sendable {
  /// The hot frames of protocol v1.
  case binary
  /// JSON text.
  case json
}
