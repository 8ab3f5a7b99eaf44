/// Why a configuration is refused; each says where and what to write instead.
public enum ConfigurationError: Error, Equatable, Sendable {
  /// The file cannot be read.
  case unreadable(file: String, reason: String)
  /// The file is not JSON5.
  case syntax(file: String, explanation: String)
  /// No setting has this name.
  case unknownKey(place: String, nearest: String?)
  /// The value does not fit the setting.
  case badValue(place: String, found: String, wanted: String)
  /// More than one of these, in the order in which they were met.
  case several([ConfigurationError])

  /// The mistakes one by one.
  var each: [ConfigurationError] {
    if case .several(let errors) = self { errors } else { [self] }
  }

  /// One line for people for each mistake.
  public var message: String {
    switch self {
    case .unreadable(let file, let reason):
      "cannot read the configuration \(file): \(reason)"
    case .syntax(let file, let explanation):
      "\(file) is not JSON5: \(explanation)"
    case .unknownKey(let place, let nearest):
      "\(place) is not a setting" + (nearest.map { "; did you mean \($0)?" } ?? "")
    case .badValue(let place, let found, let wanted):
      "\(place) is \(found), but must be \(wanted)"
    case .several(let errors): errors.map(\.message).joined(separator: "\n")
    }
  }
}

/// Gathers mistakes, so that whoever mends one learns of all.
struct Mistakes {
  private var found: [ConfigurationError] = []

  /// Does `work` and keeps what it throws.
  mutating func gather(_ work: () throws(ConfigurationError) -> Void) {
    do throws(ConfigurationError) { try work() } catch { found += error.each }
  }

  /// - Throws: all that were gathered, if any were.
  func report() throws(ConfigurationError) {
    guard let first = found.first else { return }
    throw found.count == 1 ? first : .several(found)
  }
}

/// The candidate with the fewest edits to `name`, if it is near enough to be a slip.
func nearestName(to name: String, among candidates: [String]) -> String? {
  let best = candidates.map { ($0, editDistance(name.lowercased(), $0.lowercased())) }
    .min { $0.1 < $1.1 }
  guard let (candidate, distance) = best, distance <= max(2, name.count / 3) else { return nil }
  return candidate
}

/// The number of insertions, deletions and replacements that turn `left` into `right`.
func editDistance(_ left: String, _ right: String) -> Int {
  let right = Array(right)
  var row = Array(0...right.count)
  for (index, character) in left.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in right.indices {
      let replaced = diagonal + (character == right[column] ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
    }
  }
  return row[right.count]
}
