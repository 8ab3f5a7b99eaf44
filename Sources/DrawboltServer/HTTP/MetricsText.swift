/// Prometheus' text format, version 0.0.4.
///
/// No label ever names a lock, a room, a member, an address or a subject.
struct MetricsText {
  private(set) var text = ""

  /// A value that only grows.
  mutating func counter(_ name: String, _ help: String, _ value: Int) {
    header(name, help, "counter")
    line(name, value)
  }

  /// A value that goes up and down.
  mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    header(name, help, "gauge")
    line(name, value)
  }

  /// A value that only grows, split by one label.
  mutating func counter(
    _ name: String, _ help: String, label: String, _ values: [(value: String, count: Int)]
  ) {
    header(name, help, "counter")
    lines(name, label, values)
  }

  /// A value that goes up and down, split by one label.
  mutating func gauge(
    _ name: String, _ help: String, label: String, _ values: [(value: String, count: Int)]
  ) {
    header(name, help, "gauge")
    lines(name, label, values)
  }

  private mutating func lines(
    _ name: String, _ label: String, _ values: [(value: String, count: Int)]
  ) {
    for entry in values { line("\(name){\(label)=\"\(entry.value)\"}", entry.count) }
  }

  /// Durations in seconds, counted by bucket; the last count is of those beyond every bound.
  mutating func histogram(
    _ name: String, _ help: String, bounds: [Double], counts: [UInt64], sum: Double
  ) {
    header(name, help, "histogram")
    var total: UInt64 = 0
    for (index, count) in counts.enumerated() {
      total += count
      let bound = index < bounds.count ? "\(bounds[index])" : "+Inf"
      line("\(name)_bucket{le=\"\(bound)\"}", total)
    }
    line("\(name)_sum", sum)
    line("\(name)_count", total)
  }

  private mutating func header(_ name: String, _ help: String, _ kind: String) {
    text += "# HELP drawbolt_\(name) \(help)\n# TYPE drawbolt_\(name) \(kind)\n"
  }

  private mutating func line(_ name: String, _ value: some Numeric) {
    text += "drawbolt_\(name) \(value)\n"
  }
}
