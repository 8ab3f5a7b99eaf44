import PadModel

/// The strokes that go into the vectors files, the same on every run.
enum VectorStrokes {
  static func pads() throws -> [Pad] {
    func android(_ columns: Int, _ rows: Int) throws -> Pad {
      Preset.android.pad(try Grid(columns: columns, rows: rows))
    }
    var pads = SelectionRule.allCases.map { Preset.android.pad().with($0) }
    for (columns, rows) in [(2, 2), (2, 3), (4, 3), (4, 4), (2, 10), (10, 2), (7, 9), (10, 10)] {
      pads.append(try android(columns, rows))
    }
    pads += try SelectionRule.allCases.map { try android(5, 5).with($0) }
    pads += [Preset.saScreenLock, .gestureLock, .hmView].map { $0.pad() }
    var forgetful = Preset.saScreenLock.pad()
    forgetful.finish.cancel = .discard
    return pads + [forgetful]
  }

  /// Random strokes in random batches.
  static func random(_ index: Int, _ pad: Pad) -> [Vector] {
    var generator = SeededGenerator(state: UInt64(1000 + index))
    return (0..<24).map { number in
      var batches: [Vector.Batch] = []
      for batch in 0..<Int.random(in: 2...4, using: &generator) {
        let action = ["press", "move", "move", "release", "tap", "cancel", "press"]
        let samples =
          (0..<Int.random(in: 1...4, using: &generator)).flatMap { _ in place(pad, &generator) }
        let chosen = batch == 0 ? "press" : action.randomElement(using: &generator) ?? "move"
        batches.append(Vector.Batch(action: chosen, samples: chosen == "cancel" ? [] : samples))
      }
      return Vector(index, "random \(number)", batches, on: pad)
    }
  }

  private static func place(_ pad: Pad, _ generator: inout SeededGenerator) -> [Int] {
    let centre = pad.centre(
      of: .random(in: 0..<NodeIndex(pad.grid.nodeCount), using: &generator))
    let reach = pad.pitch / 2
    switch Int.random(in: 0...9, using: &generator) {
    case 0:
      return (0..<2).map { _ in Int.random(in: -32_768...32_767, using: &generator) }
    case 1, 2: return [Int(centre.x), Int(centre.y)]
    default:
      return [
        Int(centre.x) + Int.random(in: -reach...reach, using: &generator),
        Int(centre.y) + Int.random(in: -reach...reach, using: &generator),
      ]
    }
  }

  /// Strokes that hit by one unit and miss by none; once for each geometry, whatever its rules.
  static func boundaries(_ index: Int, _ pad: Pad) -> [Vector] {
    guard pad.preset != .android || pad.rule == .fill else { return [] }
    switch pad.geometry.hit {
    case .circle(let radius, let sweep):
      return circleEdges(index, pad, radius) + ends(index, pad, sweep)
        + tangents(index, pad, sweep)
    case .box(let columns, let rows):
      return boxEdges(index, pad, columns, rows) + boxCorners(index, pad, columns, rows)
    }
  }

  /// Presses at a whole distance from a centre: radius − 1, radius, radius + 1.
  private static func circleEdges(_ index: Int, _ pad: Pad, _ radius: Int) -> [Vector] {
    let centre = pad.centre(of: NodeIndex(pad.grid.nodeCount - 1))
    return [(1, 0), (0, 1), (-1, 0), (0, -1)].flatMap { x, y in
      (-1...1).map {
        let distance = radius + $0
        return Vector(
          index, "press \($0) from the edge", [centre.offset(x * distance, y * distance)], on: pad)
      }
    }
  }

  /// Segments that end at, and then begin at, a whole distance from a centre.
  private static func ends(_ index: Int, _ pad: Pad, _ sweep: Int) -> [Vector] {
    let centre = pad.centre(of: 0)
    return [(1, 0), (0, 1), (-1, 0), (0, -1)].flatMap { x, y in
      (-1...1).map {
        let (near, far) = (sweep + $0, pad.pitch / 2)
        let away = centre.offset(x * far, y * far)
        return Vector(
          index, "end \($0) from the edge", [away, centre.offset(x * near, y * near), away], on: pad
        )
      }
    }
  }

  /// Jumps around the nodes between, which only the rule can add.
  static func jumps(_ index: Int, _ pad: Pad) -> [Vector] {
    guard pad.preset == .android else { return [] }
    let grid = pad.grid
    let last = NodeIndex(grid.nodeCount - 1)
    var walks: [[NodeIndex]] = [
      [0, last], [last, 0], [0, NodeIndex(grid.columns - 1), 0, last],
      [1, 0, NodeIndex(grid.columns - 1)], [last, last - NodeIndex(grid.columns - 1), 0],
    ]
    for (column, row) in [(2, 4), (4, 2), (4, 4), (3, 0), (0, 4), (4, 6)]
    where column < grid.columns && row < grid.rows {
      let end = grid.node(column: column, row: row)
      walks += [[0, end], [end, 0], [NodeIndex(grid.columns), 0, end, 1]]
    }
    return walks.map { walk in
      let lanes = zip(walk, walk.dropFirst()).flatMap { pad.detour(from: $0, to: $1) }
      return Vector(index, "around", [pad.centre(of: walk[0])] + lanes, on: pad)
    }
  }

  /// Segments past a centre whose cross product is next to, or just at, what decides.
  private static func tangents(_ index: Int, _ pad: Pad, _ sweep: Int) -> [Vector] {
    let centre = pad.centre(of: pad.grid.node(column: pad.grid.columns / 2, row: pad.grid.rows / 2))
    let ways = [
      (3, 4), (-5, 12), (8, -15), (-20, -21), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 2),
      (2, -3), (-7, -5), (13, 1), (-1, 17), (311, -97),
    ]
    return ways.flatMap { x, y -> [Vector] in
      let length = Double(x * x + y * y).squareRoot()
      let edge = Int((Double(sweep) * length).rounded(.down))
      let k = max(1, Int(Double(pad.pitch) / length))
      return [edge - 1, edge, edge + 1].map { cross in
        let (gx, gy) = solution(x, y, cross)
        // Slid along the way until the foot of the perpendicular is in the middle.
        let back = (x * gx + y * gy) / (x * x + y * y) - k / 2
        let start = centre.offset(-gx + back * x, -gy + back * y)
        return Vector(
          index, "past at \(cross - edge) along (\(x), \(y))",
          [start, start.offset(k * x, k * y)], on: pad)
      }
    }
  }

  /// Whole gx, gy with x · gy − y · gx = cross, for x and y without a common divisor.
  private static func solution(_ x: Int, _ y: Int, _ cross: Int) -> (Int, Int) {
    var (a, b, u, v, s, t) = (x, y, 1, 0, 0, 1)
    while b != 0 {
      let q = a / b
      (a, b) = (b, a - q * b)
      (u, s) = (s, u - q * s)
      (v, t) = (t, v - q * t)
    }
    // Now u · x + v · y = a = ±1.
    return (-v * a * cross, u * a * cross)
  }

  private static func boxEdges(
    _ index: Int, _ pad: Pad, _ columns: [ClosedRange<Int>], _ rows: [ClosedRange<Int>]
  ) -> [Vector] {
    (0..<3).flatMap { slot -> [Vector] in
      let centre = pad.centre(of: NodeIndex(4 * slot))
      let xs =
        [-1, 0].map { columns[slot].lowerBound + $0 }
        + [0, 1].map { columns[slot].upperBound + $0 }
      let ys =
        [-1, 0].map { rows[slot].lowerBound + $0 } + [0, 1].map { rows[slot].upperBound + $0 }
      return xs.map { Vector(index, "press at a side", [Point($0, Int(centre.y))], on: pad) }
        + ys.map { Vector(index, "press at a side", [Point(Int(centre.x), $0)], on: pad) }
    }
  }

  /// Segments that only touch a corner of the middle box, and those a unit away from it.
  private static func boxCorners(
    _ index: Int, _ pad: Pad, _ columns: [ClosedRange<Int>], _ rows: [ClosedRange<Int>]
  ) -> [Vector] {
    let corners = [
      (columns[1].lowerBound, rows[1].lowerBound, -1, -1),
      (columns[1].upperBound, rows[1].lowerBound, 1, -1),
      (columns[1].lowerBound, rows[1].upperBound, -1, 1),
      (columns[1].upperBound, rows[1].upperBound, 1, 1),
    ]
    return corners.flatMap { x, y, outX, outY in
      [(1, 1), (1, 3), (5, 2)].flatMap { p, q in
        [0, 1].flatMap { away -> [Vector] in
          let corner = Point(x + away * outX, y)
          // Across the corner: one step outwards on one axis is one inwards on the other.
          let ends = [
            corner.offset(-120 * outX * p, 120 * outY * q),
            corner.offset(60 * outX * p, -60 * outY * q),
          ]
          return [
            Vector(index, "corner, \(away) away", ends, on: pad),
            Vector(index, "corner, \(away) away, back", ends.reversed(), on: pad),
          ]
        }
      }
    }
  }
}
