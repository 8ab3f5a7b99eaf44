public import PadModel

/// How hard a path is to guess by looking at it: the meter of Sun, Wang and Zheng (2014).
///
/// strength = n · log₂(L + I + O), with n nodes, the length L in pitches, I pairs of segments that
/// do not follow each other and meet (touching counts), and O pairs that lie on each other for a
/// stretch. On 3×3 it goes from 6.34 (`1236`) to 46.81. It looks at the picture only; how often
/// people choose it is the matter of ``PopularShapes``.
public struct PathStrength: Comparable, Sendable, Redacted {
  /// What enrolment makes of it.
  public enum Advice: Sendable {
    /// So simple that it is refused.
    case refuse
    /// Simple: taken with a warning.
    case warn
    /// Nothing to say.
    case take
  }

  /// Below this a code is refused.
  public static let leastAllowed = 7.0

  /// Below this a code is simple (Ye and others, 2017).
  public static let leastUnwarned = 19.0

  /// The meter's value; 0 for fewer than two nodes.
  public let value: Double

  /// Measures `path` on `grid`.
  public init(of path: Path, on grid: Grid) {
    let stops = path.nodes.map { Stop(x: grid.column(of: $0), y: grid.row(of: $0)) }
    let lines = zip(stops, stops.dropFirst()).map { Line(from: $0, to: $1) }
    var size = lines.reduce(0) { $0 + $1.length }
    for (later, line) in lines.enumerated() {
      for (earlier, other) in lines[..<later].enumerated() {
        if line.overlaps(other) { size += 1 }
        if later - earlier > 1, line.meets(other) { size += 1 }
      }
    }
    value = lines.isEmpty ? 0 : Double(path.count) * binaryLogarithm(size)
  }

  /// What enrolment makes of the strength.
  public var advice: Advice {
    if value < Self.leastAllowed { return .refuse }
    return value < Self.leastUnwarned ? .warn : .take
  }

  /// Whether the first is weaker.
  public static func < (first: PathStrength, second: PathStrength) -> Bool {
    first.value < second.value
  }
}

/// A node's place in pitches.
private struct Stop: Equatable {
  var x: Int
  var y: Int
}

private struct Line {
  let from: Stop
  let to: Stop

  var length: Double {
    let (dx, dy) = (to.x - from.x, to.y - from.y)
    return Double(dx * dx + dy * dy).squareRoot()
  }

  /// On which side of the line, made endless, a stop lies: the sign tells, 0 is on it.
  private func side(_ stop: Stop) -> Int {
    ((to.x - from.x) * (stop.y - from.y) - (to.y - from.y) * (stop.x - from.x)).signum()
  }

  /// Whether a stop that is on the endless line is on this piece of it.
  private func spans(_ stop: Stop) -> Bool {
    (min(from.x, to.x)...max(from.x, to.x)).contains(stop.x)
      && (min(from.y, to.y)...max(from.y, to.y)).contains(stop.y)
  }

  /// Whether the two have a point in common.
  func meets(_ other: Line) -> Bool {
    let (a, b) = (side(other.from), side(other.to))
    let (c, d) = (other.side(from), other.side(to))
    if a * b < 0, c * d < 0 { return true }
    return a == 0 && spans(other.from) || b == 0 && spans(other.to)
      || c == 0 && other.spans(from) || d == 0 && other.spans(to)
  }

  /// Whether the two have a stretch in common, and not only a point.
  func overlaps(_ other: Line) -> Bool {
    guard side(other.from) == 0, side(other.to) == 0 else { return false }
    func stretch(_ first: ClosedRange<Int>, _ second: ClosedRange<Int>) -> Int {
      min(first.upperBound, second.upperBound) - max(first.lowerBound, second.lowerBound)
    }
    // One line's shadow on an axis it is upright to is a point, so the longer shadow decides.
    return from.x != to.x
      ? stretch(
        min(from.x, to.x)...max(from.x, to.x),
        min(other.from.x, other.to.x)...max(other.from.x, other.to.x)) > 0
      : stretch(
        min(from.y, to.y)...max(from.y, to.y),
        min(other.from.y, other.to.y)...max(other.from.y, other.to.y)) > 0
  }
}

/// log₂ of a positive number, without the C library, so that every platform gives the same value.
///
/// With x = m · 2ᵉ and 1 ≤ m < 2: ln m = 2 · artanh z for z = (m − 1)/(m + 1) ≤ 1/3, whose
/// series has z² ≤ 1/9 from term to term: 18 terms are beyond what a `Double` can tell.
func binaryLogarithm(_ x: Double) -> Double {
  let naturalLogarithmOfTwo = 0.693_147_180_559_945_3
  let z = (x.significand - 1) / (x.significand + 1)
  var (power, sum) = (z, 0.0)
  for odd in stride(from: 1, through: 35, by: 2) {
    sum += power / Double(odd)
    power *= z * z
  }
  return Double(x.exponent) + 2 * sum / naturalLogarithmOfTwo
}
