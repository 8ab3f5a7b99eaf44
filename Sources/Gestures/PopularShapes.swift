public import PadModel

/// The shapes that people choose when nobody stops them: letters, digits, boxes and hooks.
///
/// Studies agree on the families (lines, L, Z, U, N, M, W, S, squares and the like; Uellenbeck and
/// others 2013, Løge 2015, Munyendo and others 2021, who found that blocking about a hundred codes
/// is worth the trouble), not on one list. So the codes are generated: a code is popular when its
/// turning points, in whatever place, direction and mirror image and in any size from 3×3 on, are those of a
/// family.
public enum PopularShapes {
  /// Each family by its turning points, as one would write them on 3×3.
  private static let families: [[Corner]] = [
    "13", "19",  // a side, a diagonal
    "179", "137", "183",  // L, 7, V
    "1379", "7193", "1793",  // Z, N, U or square
    "1795", "1796", "2486", "2846",  // triangle, J, diamond, plus
    "13974", "139745",  // square of eight, spiral
    "314697",  // S
    "71539",  // M and W
    "1358", "12569",  // T, stairs
  ].map { $0.utf8.map { Corner(digit: Int($0 - UInt8(ascii: "1"))) } }

  /// Whether `path` on `grid` draws one of the shapes.
  public static func contains(_ path: Path, on grid: Grid) -> Bool {
    if isReading(path, on: grid) { return true }
    guard let corners = corners(of: path, on: grid) else { return false }
    return families.contains { family in
      guard family.count == corners.count else { return false }
      return (0..<8).contains { symmetry in
        let image = family.map { $0.image(symmetry) }
        return image == corners || image.reversed() == corners
      }
    }
  }

  /// Whether the path takes the nodes in the order of reading, from a corner on as far as it goes.
  ///
  /// By rows or by columns, from any corner, each line from its beginning or back from the end of the
  /// one before.
  private static func isReading(_ path: Path, on grid: Grid) -> Bool {
    let stops = path.nodes.map { Corner(x: grid.column(of: $0), y: grid.row(of: $0)) }
    return (0..<16).contains { order in
      let width = order & 1 == 0 ? grid.columns : grid.rows
      return stops.indices.allSatisfy { index in
        let (line, place) = index.quotientAndRemainder(dividingBy: width)
        let along = order & 2 != 0 && line % 2 == 1 ? width - 1 - place : place
        let (x, y) = order & 1 == 0 ? (along, line) : (line, along)
        return stops[index]
          == Corner(
            x: order & 4 == 0 ? x : grid.columns - 1 - x, y: order & 8 == 0 ? y : grid.rows - 1 - y)
      }
    }
  }

  /// The path's turning points with the box around the path stretched to 3×3.
  ///
  /// Nil when one lies neither on the box's edges nor on its middle lines, or there are none.
  private static func corners(of path: Path, on grid: Grid) -> [Corner]? {
    let turns = turns(of: path.nodes.map { Corner(x: grid.column(of: $0), y: grid.row(of: $0)) })
    guard let across = Span(turns.map(\.x)), let down = Span(turns.map(\.y)) else { return nil }
    var corners: [Corner] = []
    for turn in turns {
      guard let x = across.third(of: turn.x), let y = down.third(of: turn.y) else { return nil }
      corners.append(Corner(x: x, y: y))
    }
    return corners
  }

  /// The stops without those that lie straight on between their neighbours.
  private static func turns(of stops: [Corner]) -> [Corner] {
    var turns: [Corner] = []
    for stop in stops {
      if let last = turns.last, let before = turns.dropLast().last,
        last.isStraight(from: before, to: stop)
      {
        turns.removeLast()
      }
      turns.append(stop)
    }
    return turns
  }
}

/// From where to where a shape reaches on one axis: three nodes or more, or one for a straight line.
///
/// Smaller than that the families would take in a good part of all short codes, and the strength
/// meter refuses the worst of those anyway.
private struct Span {
  let low: Int
  let high: Int

  init?(_ values: [Int]) {
    guard let low = values.min(), let high = values.max(), high - low != 1 else { return nil }
    self.low = low
    self.high = high
  }

  /// 0 at the low end, 2 at the high one, 1 in the middle, or next to it if no node is there.
  func third(of value: Int) -> Int? {
    if value == low { return 0 }
    if value == high { return 2 }
    return abs(2 * value - low - high) <= 1 ? 1 : nil
  }
}

/// A turning point by column and row.
private struct Corner: Equatable {
  var x: Int
  var y: Int

  init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }

  /// The place of `digit` on a pad of 3×3, counted from 0.
  init(digit: Int) {
    self.init(x: digit % 3, y: digit / 3)
  }

  /// One of the eight images of the square of 3×3: bit 0 mirrors x, bit 1 y, bit 2 swaps the axes.
  func image(_ symmetry: Int) -> Corner {
    let mirrored = Corner(x: symmetry & 1 == 0 ? x : 2 - x, y: symmetry & 2 == 0 ? y : 2 - y)
    return symmetry & 4 == 0 ? mirrored : Corner(x: mirrored.y, y: mirrored.x)
  }

  /// Whether one comes through here going straight on from `start` to `end`.
  func isStraight(from start: Corner, to end: Corner) -> Bool {
    let (ax, ay, bx, by) = (x - start.x, y - start.y, end.x - x, end.y - y)
    return ax * by == ay * bx && ax * bx + ay * by > 0
  }
}
