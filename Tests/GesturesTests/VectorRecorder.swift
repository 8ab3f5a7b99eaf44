import Gestures
import PadModel

/// One stroke of a vectors file: what is done, and what must come of it.
struct Vector: Codable, Equatable {
  /// A batch: the action's name and x, y of each sample, one after the other.
  struct Batch: Codable, Equatable {
    var action: String
    var samples: [Int]
  }

  /// Index into the file's pads.
  var pad: Int
  /// What it shows.
  var name: String
  var batches: [Batch]
  /// `p` pressed, `m` moved, `+N` touched, `*N` filled in, `f` finished, `c` cancelled.
  var steps: String
  var path: [Int]
  var pointer: [Int]
  /// Before each batch's end: whether a stroke is going on and whether the tail shows.
  var drawing: [Bool]
  var tail: [Bool]
}

/// The part of `welcome`'s pad that a tracker reads.
struct VectorPad: Codable, Equatable {
  struct Hit: Codable, Equatable {
    var shape: String
    var radius: Int?
    var sweep: Int?
    var pressUsesFullZone: Bool?
    var columns: [Extent]
    var rows: [Extent]
  }

  /// A circle's centre or a box's two ends.
  enum Extent: Codable, Equatable {
    case centre(Int)
    case span([Int])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let centre = try? container.decode(Int.self) {
        self = .centre(centre)
      } else {
        self = .span(try container.decode([Int].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .centre(let centre): try container.encode(centre)
      case .span(let ends): try container.encode(ends)
      }
    }
  }

  struct Theme: Codable, Equatable { var tail: Bool }

  var preset: String
  var columns: Int
  var rows: Int
  var rule: String
  var cancel: String
  var hit: Hit
  var theme: Theme

  init(_ pad: Pad) {
    preset = pad.preset.rawValue
    columns = pad.grid.columns
    rows = pad.grid.rows
    rule = pad.rule.rawValue
    cancel = pad.finish.cancel.rawValue
    theme = Theme(tail: pad.theme.tail)
    hit =
      switch pad.geometry.hit {
      case .circle(let radius, let sweep):
        Hit(
          shape: "circle", radius: radius, sweep: sweep, pressUsesFullZone: pad.pressUsesFullZone,
          columns: pad.geometry.columnCentres.map(Extent.centre),
          rows: pad.geometry.rowCentres.map(Extent.centre))
      case .box(let columns, let rows):
        Hit(
          shape: "box", columns: columns.map { .span([$0.lowerBound, $0.upperBound]) },
          rows: rows.map { .span([$0.lowerBound, $0.upperBound]) })
      }
  }

  /// The pad that this describes, as the server makes it.
  func pad() throws -> Pad? {
    guard let preset = Preset(rawValue: preset), let rule = SelectionRule(rawValue: rule),
      let cancel = CancelRule(rawValue: cancel)
    else { return nil }
    var pad = preset.pad(try Grid(columns: columns, rows: rows)).with(rule)
    pad.finish.cancel = cancel
    return pad
  }
}

extension Vector {
  /// Does the batches on `pad` and writes down what comes of them.
  init(_ index: Int, _ name: String, _ batches: [Batch], on pad: Pad) {
    self.pad = index
    self.name = name
    self.batches = batches
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    (drawing, tail) = ([], [])
    for batch in batches {
      let samples = stride(from: 0, to: batch.samples.count, by: 2).map {
        Sample(elapsed: 4, position: Point(batch.samples[$0], batch.samples[$0 + 1]))
      }
      if let action = StrokeAction.allCases.first(where: { "\($0)" == batch.action }) {
        tracker.handle(action, samples, into: &steps)
      }
      drawing.append(tracker.isDrawing)
      tail.append(tracker.showsTail)
    }
    self.steps = steps.map(Self.sign).joined(separator: " ")
    path = tracker.path.nodes.map(Int.init)
    pointer = [Int(tracker.pointer.x), Int(tracker.pointer.y)]
  }

  /// A whole stroke: pressed at the first point, moved through the rest, lifted at the last.
  init(_ index: Int, _ name: String, _ points: [Point], on pad: Pad) {
    let samples = points.flatMap { [Int($0.x), Int($0.y)] }
    var batches = [Batch(action: "press", samples: Array(samples[..<2]))]
    if samples.count > 2 { batches.append(Batch(action: "move", samples: Array(samples[2...]))) }
    self.init(index, name, batches + [Batch(action: "release", samples: [])], on: pad)
  }

  private static func sign(_ step: GestureStep) -> String {
    switch step {
    case .pressed: "p"
    case .moved: "m"
    case .entered(let node, let filledIn): (filledIn ? "*" : "+") + String(node)
    case .finished: "f"
    case .cancelled: "c"
    }
  }
}
