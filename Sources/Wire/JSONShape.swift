/// Bounds a JSON text, and holds it to the grammar of RFC 8259, before the decoder sees it.
///
/// One pass over the bytes, without recursion. It refuses what is not UTF-8, not one object, nested
/// too deep, or ambiguous (a field twice). Without it a decoder might take the text for UTF-16,
/// overflow the stack, pick one of two fields, or let a stray comma pass.
package struct JSONShape {
  /// The most fields in one object, so that looking for repeats stays cheap.
  static let mostFields = 96

  private enum Expected { case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd, nothing }

  private let depthLimit: Int
  /// For each open object or array, whether it is an object and where its names begin in `names`.
  private var open: [(isObject: Bool, firstName: Int)] = []
  private var names: [(range: Range<Int>, hash: UInt32)] = []
  private var expected = Expected.value

  /// Checks `bytes`.
  package static func check(_ bytes: Span<UInt8>, depthLimit: Int) throws(WireError) {
    guard (try? UTF8Span(validating: bytes)) != nil else { throw .notUTF8 }
    var shape = JSONShape(depthLimit: depthLimit)
    var index = 0
    while index < bytes.count {
      index = try shape.step(bytes, at: index)
    }
    guard shape.expected == .nothing else { throw .notJSON }
  }

  private init(depthLimit: Int) { self.depthLimit = depthLimit }

  /// Takes the token at `index` and gives the index after it.
  private mutating func step(_ bytes: Span<UInt8>, at index: Int) throws(WireError) -> Int {
    switch bytes[index] {
    case 0x20, 0x09, 0x0a, 0x0d: break
    case UInt8(ascii: "{"): try enter(isObject: true)
    case UInt8(ascii: "["): try enter(isObject: false)
    case UInt8(ascii: "}"): try leave(isObject: true)
    case UInt8(ascii: "]"): try leave(isObject: false)
    case UInt8(ascii: ":"): try pass(.colon, to: .value)
    case UInt8(ascii: ","): try pass(.commaOrEnd, to: open.last?.isObject == true ? .name : .value)
    case UInt8(ascii: "\""): return try string(bytes, from: index + 1)
    default:
      try takeValue()
      return try JSONToken.endOfScalar(bytes, from: index)
    }
    return index + 1
  }

  private mutating func pass(_ now: Expected, to next: Expected) throws(WireError) {
    guard expected == now else { throw .notJSON }
    expected = next
  }

  /// A value stands here; the message itself must be an object.
  private mutating func takeValue() throws(WireError) {
    guard !open.isEmpty, expected == .value || expected == .valueOrEnd else { throw .notJSON }
    expected = .commaOrEnd
  }

  private mutating func enter(isObject: Bool) throws(WireError) {
    guard expected == .value || expected == .valueOrEnd, isObject || !open.isEmpty else {
      throw .notJSON
    }
    guard open.count < depthLimit else { throw .nesting(limit: depthLimit) }
    open.append((isObject, names.count))
    expected = isObject ? .nameOrEnd : .valueOrEnd
  }

  private mutating func leave(isObject: Bool) throws(WireError) {
    let mayEnd = expected == .commaOrEnd || expected == (isObject ? .nameOrEnd : .valueOrEnd)
    guard mayEnd, let last = open.popLast(), last.isObject == isObject else { throw .notJSON }
    names.removeSubrange(last.firstName...)
    expected = open.isEmpty ? .nothing : .commaOrEnd
  }

  private mutating func string(_ bytes: Span<UInt8>, from start: Int) throws(WireError) -> Int {
    let (end, hasEscape) = try JSONToken.endOfString(bytes, from: start)
    if expected == .name || expected == .nameOrEnd {
      guard !hasEscape else { throw .escapedField }
      try record(start..<end, bytes)
      expected = .colon
    } else {
      try takeValue()
    }
    return end + 1
  }

  private mutating func record(_ name: Range<Int>, _ bytes: Span<UInt8>) throws(WireError) {
    let first = open.last?.firstName ?? 0
    guard names.count - first < Self.mostFields else { throw .fieldCount(limit: Self.mostFields) }
    var hash: UInt32 = 0
    for index in name { hash = hash &* 31 &+ UInt32(bytes[index]) }
    for index in first..<names.count where names[index].hash == hash {
      let other = names[index].range
      guard other.count == name.count else { continue }
      if zip(other, name).allSatisfy({ bytes[$0] == bytes[$1] }) { throw .repeatedField }
    }
    names.append((name, hash))
  }
}
