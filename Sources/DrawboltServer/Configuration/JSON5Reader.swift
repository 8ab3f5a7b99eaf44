/// Reads JSON5 and says where it isn't.
///
/// Foundation's reader takes JSON5 too, but keeps to itself at which place it gave up.
struct JSON5Reader {
  /// Why and where a text is no JSON5; line and column count from 1.
  struct Failure: Error, Equatable {
    let line: Int
    let column: Int
    let wanted: String
  }

  private static let deepest = 32

  private let text: [Unicode.Scalar]
  private var index = 0
  private var depth = 0

  /// The value that the text is.
  static func read(_ text: String) throws(Failure) -> ConfigurationValue {
    var reader = JSON5Reader(text: Array(text.unicodeScalars))
    let value = try reader.value()
    try reader.skipSpace()
    guard reader.next == nil else { throw reader.failure("nothing more") }
    return value
  }

  private init(text: [Unicode.Scalar]) { self.text = text }

  private var next: Unicode.Scalar? { index < text.count ? text[index] : nil }

  private func failure(_ wanted: String) -> Failure {
    let lines = text[..<index].split(separator: "\n", omittingEmptySubsequences: false)
    return Failure(line: lines.count, column: (lines.last?.count ?? 0) + 1, wanted: wanted)
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    index += 1
    return true
  }

  private mutating func skipSpace() throws(Failure) {
    while let scalar = next {
      if scalar.properties.isWhitespace || scalar == "\u{feff}" {
        index += 1
      } else if scalar == "/" {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(Failure) {
    let rest = text[(index + 1)...]
    if rest.first == "/" {
      index = text[index...].firstIndex(of: "\n") ?? text.count
      return
    }
    guard rest.first == "*" else { throw failure("a value") }
    let end = rest.indices.dropFirst(2).first { text[$0] == "/" && text[$0 - 1] == "*" }
    guard let end else { throw failure("a comment that ends with */") }
    index = end + 1
  }

  private mutating func value() throws(Failure) -> ConfigurationValue {
    try skipSpace()
    switch next {
    case "{": return try nested { reader throws(Failure) in .table(try reader.table()) }
    case "[": return try nested { reader throws(Failure) in .list(try reader.list()) }
    case "\"", "'": return .text(try string())
    default: return try word()
    }
  }

  private mutating func nested(
    _ read: (inout JSON5Reader) throws(Failure) -> ConfigurationValue
  ) throws(Failure) -> ConfigurationValue {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw failure("no more than \(Self.deepest) levels") }
    index += 1
    return try read(&self)
  }

  private mutating func list() throws(Failure) -> [ConfigurationValue] {
    var items: [ConfigurationValue] = []
    while true {
      try skipSpace()
      if take("]") { return items }
      items.append(try value())
      try skipSpace()
      guard take(",") || next == "]" else { throw failure("a comma or ]") }
    }
  }

  private mutating func table() throws(Failure) -> ConfigurationTable {
    var table = ConfigurationTable()
    while true {
      try skipSpace()
      if take("}") { return table }
      let start = index
      let name = try name()
      guard table[name] == nil else {
        index = start
        throw failure("a name that does not stand there before")
      }
      try skipSpace()
      guard take(":") else { throw failure("a colon") }
      table.append(name, try value())
      try skipSpace()
      guard take(",") || next == "}" else { throw failure("a comma or }") }
    }
  }

  private mutating func name() throws(Failure) -> String {
    if next == "\"" || next == "'" { return try string() }
    let start = index
    while let scalar = next,
      scalar == "_" || scalar == "$" || scalar.properties.isAlphabetic
        || index > start && scalar.properties.numericType == .decimal
    {
      index += 1
    }
    guard index > start else { throw failure("a name or }") }
    return String(String.UnicodeScalarView(text[start..<index]))
  }

  /// `true`, `false`, `null` or a number.
  private mutating func word() throws(Failure) -> ConfigurationValue {
    let start = index
    while let scalar = next, scalar.isASCII,
      scalar.properties.isAlphabetic
        || "0"..."9" ~= scalar || "+-.".unicodeScalars.contains(scalar)
    {
      index += 1
    }
    let word = String(String.UnicodeScalarView(text[start..<index]))
    switch word {
    case "true": return .flag(true)
    case "false": return .flag(false)
    case "null": return .nothing
    default:
      if let number = Self.number(word) { return .number(number) }
      index = start
      throw failure("a value")
    }
  }

  private static func number(_ word: String) -> Double? {
    let digits = word.first == "+" || word.first == "-" ? word.dropFirst() : word[...]
    let sign: Double = word.first == "-" ? -1 : 1
    if digits.lowercased().hasPrefix("0x") {
      // A sign may stand before, not behind.
      guard let first = digits.dropFirst(2).first, first.isHexDigit else { return nil }
      return UInt64(digits.dropFirst(2), radix: 16).map { sign * Double($0) }
    }
    guard let first = digits.first, first.isNumber || first == ".",
      digits.allSatisfy({ $0.isNumber || "+-.eE".contains($0) })
    else { return nil }
    return Double("0" + digits + (digits.last == "." ? "0" : "")).map { sign * $0 }
  }

  private mutating func string() throws(Failure) -> String {
    let quote = text[index]
    index += 1
    var units: [UInt16] = []
    while let scalar = next, scalar != quote {
      guard scalar != "\n", scalar != "\r" else { throw failure("the text's closing quote") }
      index += 1
      if scalar == "\\" {
        try escape(into: &units)
      } else {
        units += Array(String(Character(scalar)).utf16)
      }
    }
    guard take(quote) else { throw failure("the text's closing quote") }
    return String(decoding: units, as: UTF16.self)
  }

  private static let escapes: [Unicode.Scalar: UInt16] = [
    "n": 10, "r": 13, "t": 9, "b": 8, "f": 12, "v": 11, "0": 0,
  ]

  private mutating func escape(into units: inout [UInt16]) throws(Failure) {
    guard let scalar = next else { throw failure("the text's closing quote") }
    index += 1
    switch scalar {
    case "u": units.append(try hexadecimal(4))
    case "x": units.append(try hexadecimal(2))
    // The text goes on in the next line.
    case "\n": break
    case "\r": _ = take("\n")
    default: units += Self.escapes[scalar].map { [$0] } ?? Array(String(Character(scalar)).utf16)
    }
  }

  private mutating func hexadecimal(_ count: Int) throws(Failure) -> UInt16 {
    let digits = text[index...].prefix(count)
    let word = String(String.UnicodeScalarView(digits))
    guard digits.count == count, word.allSatisfy(\.isHexDigit), let unit = UInt16(word, radix: 16)
    else { throw failure("\(count) hexadecimal digits") }
    index += count
    return unit
  }
}
