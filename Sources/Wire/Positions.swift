import PadModel

/// Positions between the wire's fixed point and JSON's decimal numbers.
package enum Positions {
  /// The furthest from the pad's edge that a position may be, in longer sides.
  package static let furthest = 4.0

  /// The nearest fixed point number to `side` longer sides, half away from zero.
  ///
  /// Multiplying by 8192 is exact, so JavaScript's numbers come to the same. From 3.99994 on the
  /// result saturates at 32 767, since +4 itself has no place in 16 bits.
  ///
  /// - Returns: nil when `side` is not finite or beyond ±4.
  package static func units(_ side: Double) -> Int16? {
    guard side.magnitude <= furthest else { return nil }
    let scaled = (side * Double(Point.unitsPerSide)).rounded(.toNearestOrAwayFromZero)
    return Int16(clamping: Int(scaled))
  }

  /// `units` in ten-thousandths of the longer side, half away from zero.
  ///
  /// A ten-thousandth is finer than a unit (8192 < 10 000), so ``units(_:)`` gives `units` back.
  package static func tenThousandths(_ units: Int16) -> Int {
    // 10 000 / 8192 = 625 / 512
    let magnitude = (Int(units.magnitude) * 625 + 256) >> 9
    return units < 0 ? -magnitude : magnitude
  }
}
