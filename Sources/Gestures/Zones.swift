import PadModel

/// Where the zones of one column or row begin and end on their axis, in units, both ends included.
struct Band: Equatable, Sendable {
  var low: Int
  var high: Int
  var centre: Int

  init(centre: Int, radius: Int) {
    low = centre - radius
    high = centre + radius
    self.centre = centre
  }

  init(_ span: ClosedRange<Int>, centre: Int) {
    low = span.lowerBound
    high = span.upperBound
    self.centre = centre
  }

  /// Whether all of it lies before `position` for something that goes by `step`.
  func liesBefore(_ position: Int, _ step: Int) -> Bool {
    step < 0 ? low > position : high < position
  }
}

/// The hit zones of all nodes of a pad, for one radius, and which of them a segment passes.
struct Zones: Equatable, Sendable {
  private let columns: [Band]
  private let rows: [Band]
  /// A circle's radius, or nil when the zones are boxes.
  private let radius: Int?

  /// The zones in which a press counts.
  static func full(_ geometry: Geometry) -> Zones {
    switch geometry.hit {
    case .circle(let radius, sweep: _): Zones(circles: radius, geometry)
    case .box(let columns, let rows): Zones(boxes: columns, rows, geometry)
    }
  }

  /// The zones that count for everything else.
  static func sweep(_ geometry: Geometry) -> Zones {
    switch geometry.hit {
    case .circle(radius: _, let sweep): Zones(circles: sweep, geometry)
    case .box(let columns, let rows): Zones(boxes: columns, rows, geometry)
    }
  }

  private init(circles radius: Int, _ geometry: Geometry) {
    self.init(
      columns: geometry.columnCentres.map { Band(centre: $0, radius: radius) },
      rows: geometry.rowCentres.map { Band(centre: $0, radius: radius) }, radius: radius)
  }

  private init(
    boxes columns: [ClosedRange<Int>], _ rows: [ClosedRange<Int>], _ geometry: Geometry
  ) {
    self.init(
      columns: zip(columns, geometry.columnCentres).map { Band($0, centre: $1) },
      rows: zip(rows, geometry.rowCentres).map { Band($0, centre: $1) }, radius: nil)
  }

  private init(columns: [Band], rows: [Band], radius: Int?) {
    for axis in [columns, rows] {
      precondition(
        zip(axis, axis.dropFirst()).allSatisfy { $0.high < $1.low }, "zones lie apart, in order")
    }
    self.columns = columns
    self.rows = rows
    self.radius = radius
  }

  /// Visits each node whose zone the segment from `start` to `end` passes, in travel order.
  ///
  /// Only nodes in bands that the segment crosses are looked at: columns in the direction of travel,
  /// and in each the rows that the segment reaches within the column's band, in the direction of
  /// travel too. This order needs no sorting. The bands of two columns lie apart and x changes in one
  /// direction only, so the segment is through with one column's band before it enters the next
  /// one's; a zone lies inside its column's band, so it is passed during that time. Inside one
  /// column the same holds for the rows and y. (With no movement along an axis the segment lies in one
  /// band of it at most.)
  ///
  /// Cost: at most ten comparisons an axis to find the first band, then O(nodes passed), for what
  /// is looked at beyond them is at most the two rows at the ends of a column's stretch.
  func visit(from start: Point, to end: Point, _ touch: (NodeIndex) -> Void) {
    let segment = Segment(from: start, to: end)
    let (columnStep, rowStep) = (segment.dx < 0 ? -1 : 1, segment.dy < 0 ? -1 : 1)
    var column = columns.skip(from: columnStep < 0 ? columns.count - 1 : 0, columnStep, segment.x)
    var firstRow = rowStep < 0 ? rows.count - 1 : 0
    while columns.isReached(column, columnStep, segment.x + segment.dx) {
      let stretch = segment.stretch(within: columns[column])
      firstRow = rows.skip(from: firstRow, rowStep, stretch.from)
      var row = firstRow
      while rows.isReached(row, rowStep, stretch.to) {
        if segment.passes(columns[column], rows[row], radius: radius) {
          touch(NodeIndex(row * columns.count + column))
        }
        row += rowStep
      }
      column += columnStep
    }
  }
}

extension [Band] {
  /// The index of the first band, going by `step`, that does not lie wholly before `position`.
  fileprivate func skip(from index: Int, _ step: Int, _ position: Int) -> Int {
    var index = index
    while indices.contains(index), self[index].liesBefore(position, step) { index += step }
    return index
  }

  /// Whether there is a band `index` and something that goes by `step` up to `position` comes to it.
  fileprivate func isReached(_ index: Int, _ step: Int, _ position: Int) -> Bool {
    guard indices.contains(index) else { return false }
    return step < 0 ? self[index].high >= position : self[index].low <= position
  }
}

/// The straight way from one sample to the next, in units.
///
/// Positions are 16 bits wide and centres lie on the pad, so products below are less than 2³² and
/// sums less than 2³⁴: `Double` in JavaScript computes the same numbers.
private struct Segment {
  let x: Int, y: Int, dx: Int, dy: Int
  private let squaredLength: Int

  init(from start: Point, to end: Point) {
    x = Int(start.x)
    y = Int(start.y)
    dx = Int(end.x) - x
    dy = Int(end.y) - y
    squaredLength = dx * dx + dy * dy
  }

  /// Where y begins and ends while x is in the column's band.
  ///
  /// Division rounds both towards the start. At the beginning that only means a unit too much, which
  /// does no harm since this chooses whom to test; at the end no row is lost, for bands end at whole
  /// units.
  func stretch(within column: Band) -> (from: Int, to: Int) {
    guard dx != 0, dy != 0 else { return (y, y + dy) }
    let enters = dx > 0 ? max(x, column.low) : min(x, column.high)
    let leaves = dx > 0 ? min(x + dx, column.high) : max(x + dx, column.low)
    return (y + dy * (enters - x) / dx, y + dy * (leaves - x) / dx)
  }

  /// Whether it passes the zone of the node in this column and row.
  func passes(_ column: Band, _ row: Band, radius: Int?) -> Bool {
    guard let radius else { return crosses(column, row) }
    return comesNearer(toX: column.centre, row.centre, than: radius)
  }

  /// Whether its distance from a centre is less than the radius.
  ///
  /// Where the foot of the perpendicular lies within the segment that distance is |cross| / length;
  /// else it is the nearer end's. Equal is not nearer.
  private func comesNearer(toX centreX: Int, _ centreY: Int, than radius: Int) -> Bool {
    let (fx, fy) = (centreX - x, centreY - y)
    let along = fx * dx + fy * dy
    if along <= 0 { return fx * fx + fy * fy < radius * radius }
    if along >= squaredLength {
      let (ex, ey) = (fx - dx, fy - dy)
      return ex * ex + ey * ey < radius * radius
    }
    return Double(abs(dx * fy - dy * fx)) < Double(radius) * Double(squaredLength).squareRoot()
  }

  /// Whether it has a point in common with a box, edges included.
  ///
  /// Each axis allows the times near/way … far/way, the box is met if these and 0 … 1 have a time
  /// in common, and fractions are compared by multiplying out. No movement along an axis (way = 0)
  /// needs no case of its own: then near ≤ 0 ≤ far says that it lies within.
  private func crosses(_ column: Band, _ row: Band) -> Bool {
    let nearX = dx < 0 ? x - column.high : column.low - x
    let farX = dx < 0 ? x - column.low : column.high - x
    let nearY = dy < 0 ? y - row.high : row.low - y
    let farY = dy < 0 ? y - row.low : row.high - y
    let (wayX, wayY) = (abs(dx), abs(dy))
    return nearX <= wayX && farX >= 0 && nearY <= wayY && farY >= 0
      && nearX * wayY <= farY * wayX && nearY * wayX <= farX * wayY
  }
}
