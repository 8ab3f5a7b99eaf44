/// A position in fixed point: 1/8192 of the pad's longer side on both axes, within ±4.
///
/// It may lie outside the pad. (0, 0) is the pad's top left corner; y grows downwards.
public struct Point: Hashable, Sendable, Redacted {
  /// Units in the pad's longer side.
  public static let unitsPerSide = 8192

  /// Units from the left edge.
  public var x: Int16

  /// Units from the top edge.
  public var y: Int16

  /// Makes the point (x, y) in units.
  public init(x: Int16, y: Int16) {
    self.x = x
    self.y = y
  }

  /// The top left corner.
  public static let zero = Point(x: 0, y: 0)
}

/// One pointer position with the time since the one before.
public struct Sample: Hashable, Sendable, Redacted {
  /// Milliseconds since the previous sample of the stroke.
  public var elapsed: UInt16

  /// Where the pointer was.
  public var position: Point

  /// Makes a sample.
  public init(elapsed: UInt16, position: Point) {
    self.elapsed = elapsed
    self.position = position
  }
}

/// A stroke's number, given by its drawer: 1 … 65 535, then 1 again.
public typealias StrokeNumber = UInt16

/// What a batch of samples does to its stroke.
public enum StrokeAction: UInt8, CaseIterable, Sendable {
  /// The pointer moved through all samples.
  case move = 0
  /// The first sample presses, the rest are moves.
  case press = 1
  /// The last sample, if there is one, is where the pointer was lifted; the rest are moves.
  case release = 2
  /// The first sample presses and the last one releases; they may be the same.
  case tap = 3
  /// The stroke is given up. There are no samples.
  case cancel = 4
}

/// Samples of one stroke that travelled in one frame.
public struct SampleBatch: Equatable, Sendable, Redacted {
  /// The drawer's number for the stroke.
  public var stroke: StrokeNumber

  /// What the batch does to the stroke.
  public var action: StrokeAction

  /// At most ``Limits/samplesPerFrame`` samples in the order in which they happened.
  public var samples: [Sample]

  /// Makes a batch.
  public init(stroke: StrokeNumber, action: StrokeAction, samples: [Sample] = []) {
    self.stroke = stroke
    self.action = action
    self.samples = samples
  }

  /// Whether as many samples stand here as `action` needs: none for cancel, one or more for press,
  /// move and tap, any number for release.
  public var hasFittingCount: Bool {
    samples.isEmpty ? action == .cancel || action == .release : action != .cancel
  }
}
