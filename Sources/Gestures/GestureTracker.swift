public import PadModel

/// Follows one pointer over a pad, sample by sample, and says which nodes its stroke selects.
///
/// A value: it holds the stroke and nothing else, reads no clock, and a copy goes on by itself. Each
/// sample costs O(nodes passed) however long the stroke is, and allocates nothing as long as the
/// caller's step buffer has room. `web/tracker.js` follows the same rules with the same numbers.
public struct GestureTracker: Equatable, Sendable, Redacted {
  /// What is drawn on.
  public let pad: Pad

  /// Where the pointer was seen last.
  public private(set) var pointer = Point.zero

  /// Whether a stroke has begun and not yet ended.
  public private(set) var isDrawing = false

  private var hasMoved = false
  private var selection: Selection
  private let full: Zones
  private let sweep: Zones

  /// Makes a tracker on which nothing is drawn yet.
  public init(pad: Pad) {
    self.pad = pad
    selection = Selection(grid: pad.grid, rule: pad.rule)
    sweep = .sweep(pad.geometry)
    full = pad.pressUsesFullZone ? .full(pad.geometry) : sweep
  }

  /// The nodes that the stroke has selected; a finished stroke's stay until the next press.
  public var path: Path { selection.path }

  /// Whether the line goes on from the last node to the pointer.
  ///
  /// It never does on a pad without a tail, and on `sa-screen-lock` only from the first move on.
  public var showsTail: Bool {
    isDrawing && pad.theme.tail && (hasMoved || pad.preset != .saScreenLock)
  }

  /// Begins a stroke at `position`, on a node or off, in place of whatever was drawn.
  public mutating func press(at position: Point, into steps: inout [GestureStep]) {
    selection.removeAll()
    isDrawing = true
    hasMoved = false
    pointer = position
    steps.append(.pressed(at: position))
    touch(full, from: position, to: position, into: &steps)
  }

  /// Goes on straight to `position`; without a press before, nothing happens.
  public mutating func move(to position: Point, into steps: inout [GestureStep]) {
    guard isDrawing else { return }
    let start = pointer
    hasMoved = true
    pointer = position
    steps.append(.moved(to: position))
    touch(sweep, from: start, to: position, into: &steps)
  }

  /// Ends the stroke; without a press before, nothing happens.
  ///
  /// The place where the pointer was lifted selects nothing, nor does the way to it: fingers slip
  /// when they lift. Where it stood before counts in full on pads that say so.
  public mutating func release(at position: Point? = nil, into steps: inout [GestureStep]) {
    guard isDrawing else { return }
    if pad.pressUsesFullZone { touch(full, from: pointer, to: pointer, into: &steps) }
    pointer = position ?? pointer
    isDrawing = false
    steps.append(.finished)
  }

  /// Gives the stroke up, or ends it where the pad's finish rule says so.
  public mutating func cancel(into steps: inout [GestureStep]) {
    guard isDrawing else { return }
    switch pad.finish.cancel {
    case .submit: release(into: &steps)
    case .discard:
      isDrawing = false
      selection.removeAll()
      steps.append(.cancelled)
    }
  }

  /// Does what a batch of samples says, in order.
  ///
  /// The times between samples change nothing. A batch without the samples that its action needs does
  /// as much as it can.
  public mutating func handle(
    _ action: StrokeAction, _ samples: [Sample], into steps: inout [GestureStep]
  ) {
    var moves = samples[...]
    if action == .cancel { return cancel(into: &steps) }
    if action == .press || action == .tap {
      guard let first = samples.first else { return }
      press(at: first.position, into: &steps)
      moves = moves.dropFirst()
    }
    let lifts = action == .release || action == .tap
    for sample in lifts ? moves.dropLast() : moves { move(to: sample.position, into: &steps) }
    if lifts { release(at: samples.last?.position, into: &steps) }
  }

  private mutating func touch(
    _ zones: Zones, from start: Point, to end: Point, into steps: inout [GestureStep]
  ) {
    zones.visit(from: start, to: end) { selection.touch($0, into: &steps) }
  }
}
