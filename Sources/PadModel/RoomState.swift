/// Where a room is in the life of a stroke; the raw values are the wire's.
public enum Phase: UInt8, CaseIterable, Sendable {
  /// Nothing is drawn.
  case idle = 0
  /// A stroke is being drawn.
  case drawing = 1
  /// A finished stroke is before the lock's secrets.
  case checking = 2
  /// The code was right.
  case accepted = 3
  /// The code was wrong.
  case rejected = 4
  /// Fewer nodes than the lock's policy asks for; nothing was checked or counted.
  case tooShort = 5
  /// No verdict could be had; nothing is known of the code.
  case unavailable = 6
  /// The stroke was given up.
  case cancelled = 7
  /// A board's stroke ended; boards check nothing.
  case finished = 8

  /// The phase's name in JSON.
  public var name: String { "\(self)" }
}

/// The whole truth that a viewer needs, never a difference.
public struct RoomState: Equatable, Sendable, Redacted {
  /// Counts this projection's changes, wraps, and is opaque to clients.
  public var version: UInt32

  /// Where the stroke is in its life.
  public var phase: Phase

  /// The drawer's number for the stroke; 0 when there is none or it is hidden.
  public var stroke: StrokeNumber

  /// The nodes selected so far, in order.
  public var path: [NodeIndex]

  /// Where the pointer is; zero when it is hidden.
  public var pointer: Point

  /// Whether the line from the last node to the pointer is shown.
  public var showsTail: Bool

  /// Whether path and pointer are kept from this receiver.
  public var hidesPath: Bool

  /// Makes a state.
  public init(
    version: UInt32, phase: Phase, stroke: StrokeNumber = 0, path: [NodeIndex] = [],
    pointer: Point = .zero, showsTail: Bool = false, hidesPath: Bool = false
  ) {
    self.version = version
    self.phase = phase
    self.stroke = stroke
    self.path = path
    self.pointer = pointer
    self.showsTail = showsTail
    self.hidesPath = hidesPath
  }
}

/// How a lock room shows its strokes to those who did not draw them.
public enum MirrorMode: String, CaseIterable, Sendable {
  /// Everything is shown: for demos, since mirroring a code publishes it.
  case open
  /// Nothing is shown before the verdict, and never a path.
  case stealth
}
