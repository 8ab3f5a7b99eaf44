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

  private mutating func header(_ name: String, _ help: String, _ kind: String) {
    text += "# HELP drawbolt_\(name) \(help)\n# TYPE drawbolt_\(name) \(kind)\n"
  }

  private mutating func line(_ name: String, _ value: Int) {
    text += "drawbolt_\(name) \(value)\n"
  }
}
