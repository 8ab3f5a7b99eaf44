import Gestures
import PadModel
import Wire

extension Stopwatch {
  /// One sample of a stroke along the rows and of a slanting one: its steps, and the nodes that it
  /// reached.
  mutating func measureTracker(columns: Int, target: Double) {
    guard let grid = try? Grid(columns: columns, rows: columns) else { return }
    let pad = Preset.android.pad(grid)
    let name = "tracker: a sample, \(columns)×\(columns)"
    measureTracker(name, pad, Strokes.serpentine(pad), target: target)
    measureTracker("\(name), slanting", pad, Strokes.zigzag(pad), target: target)
  }

  private mutating func measureTracker(
    _ name: String, _ pad: Pad, _ points: [Point], target: Double
  ) {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    measure(name, operations: points.count, target: target) { rounds in
      var sum = 0
      for _ in 0..<rounds {
        steps.removeAll(keepingCapacity: true)
        tracker.press(at: points[0], into: &steps)
        for index in 1..<points.count {
          steps.removeAll(keepingCapacity: true)
          tracker.move(to: points[index], into: &steps)
          sum &+= steps.count
        }
        tracker.release(into: &steps)
      }
      return sum
    }
  }

  /// A state of a stroke of five nodes on a 3×3 lock, padded as a lock room pads it.
  mutating func measureEncoding() {
    let state = RoomState(
      version: 70_000, phase: .drawing, stroke: 12, path: [1, 4, 7, 8, 5],
      pointer: Point(x: 4711, y: 2048), showsTail: true)
    for (format, target) in [(WireFormat.binary, 40.0 as Double?), (.json, nil)] {
      var buffer: [UInt8] = []
      measure("codec: encode a state, \(format)", target: target) { rounds in
        var (sum, state) = (0, state)
        for round in 0..<rounds {
          state.version &+= 1
          state.pointer.x = Int16(truncatingIfNeeded: round)
          StateEncoder.encode(state, as: format, paddedTo: 9, into: &buffer)
          sum &+= buffer.count &+ Int(buffer[11])
        }
        return sum
      }
    }
  }

  /// A binary frame of samples, its head among them.
  mutating func measureDecoding() {
    let decoder = ClientMessageDecoder()
    for count in [1, 4, 64] {
      let samples = (0..<count).map {
        Sample(elapsed: 4, position: Point(x: Int16($0 * 60), y: 900))
      }
      var frame: [UInt8] = []
      ClientMessageEncoder.encode(
        .samples(SampleBatch(stroke: 7, action: .move, samples: samples)), as: .binary, into: &frame
      )
      var batch = SampleBatch(stroke: 1, action: .move)
      measure("codec: decode a sample of a frame of \(count)", operations: count, target: 10) {
        rounds in
        var sum = 0
        for _ in 0..<rounds {
          let decoded = try? decoder.decode(
            frame.span, isText: false, format: .binary, into: &batch)
          sum &+= decoded == nil ? 0 : batch.samples.count
        }
        return sum
      }
    }
  }
}
