import PadModel

/// Follows a stroke by testing every node of the pad against every segment in exact arithmetic and
/// sorting what it finds, without any rule.
struct BruteForce {
  let pad: Pad
  private(set) var path: [NodeIndex] = []

  init(_ pad: Pad) { self.pad = pad }

  mutating func draw(_ points: [Point]) {
    path = []
    touch(points[0], points[0], full: true)
    for (start, end) in zip(points, points.dropFirst()) { touch(start, end, full: false) }
    let last = points[points.count - 1]
    touch(last, last, full: true)
  }

  private mutating func touch(_ start: Point, _ end: Point, full: Bool) {
    var hits: [(time: Double, node: NodeIndex)] = []
    for node in 0..<NodeIndex(pad.grid.nodeCount) {
      let time =
        switch pad.geometry.hit {
        case .circle(let radius, let sweep):
          circle(pad.centre(of: node), full && pad.pressUsesFullZone ? radius : sweep, start, end)
        case .box(let columns, let rows):
          box(columns[pad.grid.column(of: node)], rows[pad.grid.row(of: node)], start, end)
        }
      if let time { hits.append((time, node)) }
    }
    for hit in hits.sorted(by: { $0.time < $1.time }) where !path.contains(hit.node) {
      path.append(hit.node)
    }
  }

  /// When the segment is nearest to the centre, if that is nearer than the radius.
  ///
  /// With the foot at t = along/n of the segment, n²·distance² = |n·f − along·d|².
  private func circle(_ centre: Point, _ radius: Int, _ start: Point, _ end: Point) -> Double? {
    let (fx, fy) = (Int128(centre.x) - Int128(start.x), Int128(centre.y) - Int128(start.y))
    let (dx, dy) = (Int128(end.x) - Int128(start.x), Int128(end.y) - Int128(start.y))
    let n = max(1, dx * dx + dy * dy)
    let along = min(n, max(0, fx * dx + fy * dy))
    let (ex, ey) = (n * fx - along * dx, n * fy - along * dy)
    let r = Int128(radius)
    return ex * ex + ey * ey < r * r * n * n ? Double(along) / Double(n) : nil
  }

  /// When the segment enters the box, if the two are not apart.
  ///
  /// A segment and a box are apart exactly if a line along an axis or along the segment parts them.
  private func box(
    _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>, _ start: Point, _ end: Point
  ) -> Double? {
    let (x, y) = (Int(start.x), Int(start.y))
    let (dx, dy) = (Int(end.x) - x, Int(end.y) - y)
    guard columns.overlaps(min(x, x + dx)...max(x, x + dx)),
      rows.overlaps(min(y, y + dy)...max(y, y + dy))
    else { return nil }
    let sides = [columns.lowerBound, columns.upperBound].flatMap { cornerX in
      [rows.lowerBound, rows.upperBound].map { dx * ($0 - y) - dy * (cornerX - x) }
    }
    if sides.allSatisfy({ $0 > 0 }) || sides.allSatisfy({ $0 < 0 }) { return nil }
    func entry(_ range: ClosedRange<Int>, _ from: Int, _ way: Int) -> Double {
      guard way != 0 else { return 0 }
      return Double((way > 0 ? range.lowerBound : range.upperBound) - from) / Double(way)
    }
    return max(0, entry(columns, x, dx), entry(rows, y, dy))
  }
}
