import PadModel

/// Strokes as a finger draws them.
enum Strokes {
  /// A finger that crosses the pad in half a second, seen 240 times a second.
  private static let samplesPerSide = 120

  /// The way through all nodes of `pad`, row by row there and back.
  static func serpentine(_ pad: Pad) -> [Point] {
    let geometry = pad.geometry
    var corners: [(x: Int, y: Int)] = []
    for (row, y) in geometry.rowCentres.enumerated() {
      let columns = geometry.columnCentres
      for x in row.isMultiple(of: 2) ? columns : columns.reversed() { corners.append((x, y)) }
    }
    return stroke(through: corners)
  }

  /// The way from column to column and from the first row to the last and back, never along an axis.
  static func zigzag(_ pad: Pad) -> [Point] {
    let (columns, rows) = (pad.geometry.columnCentres, pad.geometry.rowCentres)
    return stroke(
      through: columns.enumerated().map { column, x in
        (x, rows[column.isMultiple(of: 2) ? 0 : rows.count - 1])
      })
  }

  private static func stroke(through corners: [(x: Int, y: Int)]) -> [Point] {
    let step = Point.unitsPerSide / samplesPerSide
    var points: [Point] = []
    for (start, end) in zip(corners, corners.dropFirst()) {
      let count = max(1, (abs(end.x - start.x) + abs(end.y - start.y)) / step)
      for index in 0..<count {
        points.append(
          Point(
            x: Int16(clamping: start.x + (end.x - start.x) * index / count),
            y: Int16(clamping: start.y + (end.y - start.y) * index / count)))
      }
    }
    return points
  }
}
