import CLinux

/// How many loops serve.
package enum LoopCount: Equatable, Sendable {
  /// One for each core that the process may use.
  case automatic
  /// So many.
  case exactly(Int)

  /// How many there may be.
  static let range = 1...64

  /// The number of loops on this machine.
  package var count: Int {
    switch self {
    case .automatic: min(max(Int(clinux_usable_cores()), 1), Self.range.upperBound)
    case .exactly(let count): count
    }
  }
}

extension Setting {
  static func loops(_ path: String, _ place: Place<LoopCount>, _ help: String) -> Setting {
    let range = LoopCount.range
    return single(
      path, place,
      wanted: "a whole number, \(range.lowerBound) to \(range.upperBound), or \"auto\"", help,
      read: { value in
        switch value {
        case .text("auto"): return .automatic
        case .number(let number):
          guard let count = Int(exactly: number), range.contains(count) else { return nil }
          return .exactly(count)
        default: return nil
        }
      },
      write: { count in
        switch count {
        case .automatic: "\"auto\""
        case .exactly(let count): "\(count)"
        }
      })
  }
}
