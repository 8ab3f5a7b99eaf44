import Gestures
import PadModel
import Testing

struct TrackerTests {
  let pad = Preset.android.pad()

  @Test(
    "the android circle is strict: points of a view of 300 × 300, and units next to the edge",
    arguments: [
      (546, 1365, nil), (547, 1365, 0), (2157, 1365, 0), (2185, 1365, nil), (2184, 1365, nil),
      (2183, 1365, 0), (1939, 1939, 0), (1966, 1966, nil), (2185, 2185, nil), (2731, 2731, nil),
      (8192, 8192, nil), (-27, 1365, nil), (4096, 4096, 4), (4096 + 819, 4096, nil),
      (4096 + 818, 4096, 4), (4096, 4096 - 819, nil), (4096, 4096 - 818, 4),
    ] as [(Int, Int, NodeIndex?)])
  func circleEdges(_ known: (x: Int, y: Int, node: NodeIndex?)) {
    #expect(pad.drawn([Point(known.x, known.y)]) == (known.node.map { [$0] } ?? []))
  }

  @Test("a line that only touches a zone's circle does not hit it")
  func tangent() {
    // Along (3, 4) · k the distance is exactly 819 if the cross product is 819 · 5k, as 3-4-5 has it.
    let k = 400
    for (shift, hits) in [(0, false), (-1, true), (1, false)] {
      let (gx, gy) = (-819 * 5 - shift, -819 * 5 - shift)
      #expect(3 * gy - 4 * gx == 819 * 5 + shift)
      let back = (3 * gx + 4 * gy) / 25 - k / 2
      let start = Point(4096 - gx + 3 * back, 4096 - gy + 4 * back)
      let path = pad.with(.free).drawn([start, start.offset(3 * k, 4 * k)])
      #expect(path.contains(4) == hits, "shifted by \(shift)")
    }
  }

  @Test("on a large grid the press and the last place count in full, what lies between does not")
  func fullZoneAtTheEnds() throws {
    let large = Preset.android.pad(try Grid(columns: 10, rows: 10))
    guard case .circle(let radius, let sweep) = large.geometry.hit else {
      Issue.record("android has circles")
      return
    }
    #expect(sweep < radius)
    let edge = large.centre(of: 0).offset(0, radius - 1)
    let nextEdge = large.centre(of: 1).offset(0, radius - 1)
    let lastEdge = large.centre(of: 2).offset(0, radius - 1)
    #expect(large.drawn([edge]) == [0])
    #expect(
      large.drawn([edge, nextEdge, lastEdge]) == [0, 1, 2], "1 lies between and is filled in")
    #expect(large.with(.free).drawn([edge, nextEdge, lastEdge]) == [0, 2])
  }

  @Test("where the pointer is lifted selects nothing, nor does the way there")
  func releaseSelectsNothing() {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.press(at: pad.centre(of: 0), into: &steps)
    tracker.release(at: pad.centre(of: 2), into: &steps)
    #expect(tracker.path.nodes == [0])
    #expect(tracker.pointer == pad.centre(of: 2))
    #expect(steps.last == .finished)
  }

  @Test("a stroke may begin off the nodes and off the pad, leave it and come back")
  func outside() {
    #expect(pad.drawn([Point(-9000, -9000), pad.centre(of: 0)]) == [0])
    #expect(
      pad.drawn([
        pad.centre(of: 0), Point(-30_000, 1365), Point(-30_000, 4096), pad.centre(of: 3),
      ]) == [0, 3])
    #expect(pad.drawn([Point(32_767, 32_767), Point(-32_768, -32_768)]) == [8, 4, 0])
    #expect(pad.drawn([Point(-32_768, 32_767)]) == [])
  }

  @Test("nothing happens before a press, nor after the end")
  func unpressed() {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.move(to: pad.centre(of: 0), into: &steps)
    tracker.release(at: pad.centre(of: 0), into: &steps)
    tracker.cancel(into: &steps)
    tracker.handle(.move, [Sample(elapsed: 4, position: pad.centre(of: 0))], into: &steps)
    #expect(steps.isEmpty && tracker == GestureTracker(pad: pad))
    tracker.press(at: pad.centre(of: 0), into: &steps)
    tracker.release(into: &steps)
    steps = []
    tracker.move(to: pad.centre(of: 1), into: &steps)
    tracker.release(into: &steps)
    tracker.cancel(into: &steps)
    #expect(steps.isEmpty)
    #expect(tracker.path.nodes == [0], "a finished path stays until the next press")
  }

  @Test("a second press without a release begins anew")
  func secondPress() {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.drag([0, 1, 2].map(pad.centre), into: &steps)
    steps = []
    tracker.press(at: pad.centre(of: 8), into: &steps)
    #expect(steps == [.pressed(at: pad.centre(of: 8)), .entered(8, filledIn: false)])
    #expect(tracker.path.nodes == [8])
    #expect(tracker.isDrawing)
  }

  @Test("a move of no length reports the move and no more")
  func zeroLength() {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.press(at: pad.centre(of: 4), into: &steps)
    steps = []
    tracker.move(to: pad.centre(of: 4), into: &steps)
    #expect(steps == [.moved(to: pad.centre(of: 4))])
    let gap = Point(2730, 2730)
    tracker.move(to: gap, into: &steps)
    tracker.move(to: gap, into: &steps)
    #expect(tracker.path.nodes == [4])
  }

  @Test("times change nothing, whatever they are")
  func times() {
    func path(_ elapsed: [UInt16]) -> Path {
      var tracker = GestureTracker(pad: pad)
      var steps: [GestureStep] = []
      let samples = zip(elapsed, [0, 1, 4, 8]).map {
        Sample(elapsed: $0, position: pad.centre(of: $1))
      }
      tracker.handle(.tap, samples + [samples[3]], into: &steps)
      return tracker.path
    }
    #expect(path([0, 0, 0, 0]) == path([65_535, 0, 65_535, 1]))
    #expect(path([0, 4, 4, 4]).nodes == [0, 1, 4, 8])
  }

  @Test("the extremes of the range pass without a trap, on every preset")
  func extremes() {
    let edges = [Int16.min, -1, 0, 1, Int16.max]
    let points = edges.flatMap { x in edges.map { Point(x: x, y: $0) } }
    for preset in Preset.allCases {
      let pad = preset.pad()
      for start in points {
        for end in points { #expect(pad.drawn([start, end, start]).count <= 9) }
      }
    }
  }

  @Test("a batch does what its samples do one by one")
  func batches() {
    func samples(_ nodes: [NodeIndex]) -> [Sample] {
      nodes.map { Sample(elapsed: 4, position: pad.centre(of: $0)) }
    }
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.handle(.press, samples([0, 1]), into: &steps)
    tracker.handle(.move, samples([2, 5]), into: &steps)
    #expect(tracker.path.nodes == [0, 1, 2, 5])
    tracker.handle(.release, samples([8, 7]), into: &steps)
    #expect(tracker.path.nodes == [0, 1, 2, 5, 8], "the last is where the pointer was lifted")
    #expect(tracker.pointer == pad.centre(of: 7))
    tracker.handle(.tap, samples([4]), into: &steps)
    #expect(tracker.path.nodes == [4] && !tracker.isDrawing)
    tracker.handle(.tap, samples([3, 4, 5, 8]), into: &steps)
    #expect(tracker.path.nodes == [3, 4, 5])
    steps = []
    tracker.handle(.press, samples([6]), into: &steps)
    tracker.handle(.release, [], into: &steps)
    #expect(steps.last == .finished && tracker.path.nodes == [6])
    tracker.handle(.press, samples([6]), into: &steps)
    tracker.handle(.cancel, [], into: &steps)
    #expect(steps.last == .cancelled && tracker.path.isEmpty)
  }

  @Test("a batch without the samples it needs does as much as it can")
  func emptyBatches() {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    for action in StrokeAction.allCases { tracker.handle(action, [], into: &steps) }
    #expect(steps.isEmpty && tracker == GestureTracker(pad: pad))
  }

  @Test("a stroke stays in the storage that the tracker and the caller made beforehand")
  func noAllocation() throws {
    let large = Preset.android.pad(try Grid(columns: 10, rows: 10))
    var tracker = GestureTracker(pad: large)
    var steps: [GestureStep] = []
    steps.reserveCapacity(256)
    func places() -> [UnsafeRawPointer?] {
      [
        tracker.path.nodes.withUnsafeBytes { $0.baseAddress },
        steps.withUnsafeBytes { $0.baseAddress },
      ]
    }
    let before = places()
    for round in 0..<3 {
      for node in 0..<NodeIndex(100) {
        let place = large.centre(of: node)
        if node == 0 { tracker.press(at: place, into: &steps) }
        tracker.move(to: place, into: &steps)
        steps.removeAll(keepingCapacity: true)
      }
      #expect(tracker.path.count == 100, "round \(round)")
      tracker.release(into: &steps)
      steps.removeAll(keepingCapacity: true)
    }
    #expect(places() == before)
  }

  @Test("a path that somebody kept is not changed by the next stroke")
  func keptPath() {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.drag([0, 1, 2].map(pad.centre), into: &steps)
    tracker.release(into: &steps)
    let kept = tracker.path
    tracker.drag([8, 7].map(pad.centre), into: &steps)
    #expect(kept.nodes == [0, 1, 2])
    #expect(tracker.path.nodes == [8, 7])
  }

  @Test("neither tracker nor steps show what was drawn")
  func redacted() {
    var tracker = GestureTracker(pad: pad)
    var steps: [GestureStep] = []
    tracker.drag([0, 1, 2].map(pad.centre), into: &steps)
    tracker.release(into: &steps)
    #expect("\(tracker)" == "GestureTracker")
    #expect(
      steps.allSatisfy { "\($0)" == "GestureStep" && String(reflecting: $0) == "GestureStep" })
    var dumped = ""
    dump(tracker, to: &dumped)
    for step in steps { dump(step, to: &dumped) }
    #expect(!dumped.contains(where: \.isNumber) && !dumped.contains("entered"))
  }
}
