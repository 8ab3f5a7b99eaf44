import Testing

/// Prometheus' text format, version 0.0.4, read as strictly as it is specified.
struct Exposition {
  /// One line with a value.
  struct Sample: Hashable {
    let name: String
    let label: String?
    let labelValue: String?
    let value: Double
  }

  /// The type of each metric, by its name without the prefix of the program.
  private(set) var types: [String: String] = [:]
  private(set) var samples: [Sample] = []

  /// Reads a whole answer.
  ///
  /// - Throws: what is wrong with which line.
  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Failed("the last line does not end") }
    var helped: Set<String> = []
    var current = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      switch (words.first, words.dropFirst().first) {
      case ("#", "HELP"):
        guard words.count == 4, helped.insert(String(words[2])).inserted else {
          throw Failed("help: \(line)")
        }
        current = String(words[2])
      case ("#", "TYPE"):
        guard words.count == 4, words[2] == current, types[current] == nil,
          ["counter", "gauge", "histogram"].contains(words[3])
        else { throw Failed("type: \(line)") }
        types[current] = String(words[3])
      default: samples.append(try Self.sample(line, of: current, types[current]))
      }
    }
    guard Set(samples.map { "\($0.name) \($0.labelValue ?? "")" }).count == samples.count else {
      throw Failed("a series stands twice")
    }
    for (name, type) in types where type == "histogram" { try check(histogram: name) }
  }

  /// A line with a value, which must belong to the metric that was named last.
  private static func sample(
    _ line: Substring, of metric: String, _ type: String?
  ) throws -> Sample {
    let pattern = #/([a-z_][a-z0-9_]*)(?:\{([a-z]+)="([A-Za-z0-9.+\-]*)"\})? (\S+)/#
    guard let match = line.wholeMatch(of: pattern), let value = Double(match.4) else {
      throw Failed("no sample: \(line)")
    }
    let name = String(match.1)
    let suffixes = type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard suffixes.contains(where: { name == metric + $0 }), type != "counter" || value >= 0 else {
      throw Failed("not of \(metric): \(line)")
    }
    return Sample(
      name: name, label: match.2.map(String.init), labelValue: match.3.map(String.init),
      value: value)
  }

  /// Buckets count up to the last, which is all of them; each has a higher bound than the one before.
  private func check(histogram name: String) throws {
    let buckets = samples.filter { $0.name == name + "_bucket" }
    let bounds = buckets.map { $0.labelValue == "+Inf" ? .infinity : Double($0.labelValue ?? "") }
    let pairs = zip(buckets, buckets.dropFirst())
    guard buckets.allSatisfy({ $0.label == "le" }), !bounds.contains(nil),
      zip(bounds, bounds.dropFirst()).allSatisfy({ $0 ?? 0 < $1 ?? 0 }),
      pairs.allSatisfy({ $0.value <= $1.value }), bounds.last == .infinity,
      buckets.last?.value == self[name + "_count"], self[name + "_sum"] ?? -1 >= 0
    else { throw Failed("histogram \(name)") }
  }

  /// The value of a series without labels.
  subscript(name: String) -> Double? {
    samples.first { $0.name == name && $0.label == nil }?.value
  }
}

extension TestServer {
  /// All metrics at one moment.
  func metrics() throws -> Exposition {
    try Exposition(HTTPAnswer.get(adminPort, "/metrics").body)
  }
}
