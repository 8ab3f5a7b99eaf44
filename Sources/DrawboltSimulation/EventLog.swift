import PadModel

/// What the log of a world can tell.
enum Happening: String {
  case connects, breaks, stalls, hello, joined, refused, opened, dropped
  case samples, acknowledges, pen, claims, enrols, garbage
  case told, state, flags, closes, lost
  case submitted, reserved, judged, answered, signed
  case reset, policy, removed, rate, draining, rests
}

/// What happened in a world, as a number that any difference changes, and its last lines.
///
/// A line has a time, a word, whom it concerns and a size: never what was drawn.
struct EventLog {
  private struct Line {
    let at: Instant
    let what: Happening
    let who: UInt64
    let size: Int
  }

  /// As many lines are kept.
  static let kept = 40

  /// A hash (FNV-1a) of all lines.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private var lines: [Line] = []
  private var count = 0

  mutating func note(_ what: Happening, _ who: UInt64, size: Int = 0, at now: Instant) {
    for byte in what.rawValue.utf8 { mix(UInt64(byte)) }
    mix(UInt64(bitPattern: now.nanoseconds))
    mix(who)
    mix(UInt64(bitPattern: Int64(size)))
    let line = Line(at: now, what: what, who: who, size: size)
    if lines.count < Self.kept { lines.append(line) } else { lines[count % Self.kept] = line }
    count += 1
  }

  private mutating func mix(_ value: UInt64) {
    hash = (hash ^ value) &* 0x0000_0100_0000_01B3
  }

  /// The last lines, the oldest first.
  var text: [String] {
    let start = lines.count < Self.kept ? 0 : count % Self.kept
    return (lines[start...] + lines[..<start]).map { line in
      "\(Self.seconds(line.at))  \(line.what.rawValue) \(line.who)"
        + (line.size == 0 ? "" : " (\(line.size))")
    }
  }

  private static func seconds(_ instant: Instant) -> String {
    let microseconds = instant.nanoseconds / 1000
    let fraction = String(microseconds % 1_000_000)
    let zeros = String(repeating: "0", count: 6 - fraction.count)
    return "\(microseconds / 1_000_000).\(zeros)\(fraction) s"
  }
}
