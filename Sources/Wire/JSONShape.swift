/// Bounds a JSON text before the real decoder sees it.
///
/// One pass over the bytes, without recursion. It refuses what is not UTF-8, not one object, nested
/// too deep, or ambiguous (a field twice); the grammar in detail is the decoder's to check. Without
/// it a decoder might take the text for UTF-16, overflow the stack, or pick one of two fields.
struct JSONShape {
  /// The most fields in one object, so that looking for repeats stays cheap.
  static let mostFields = 64

  private let depthLimit: Int
  /// For each open object or array, whether it is an object and where its fields begin in `keys`.
  private var open: [(isObject: Bool, firstKey: Int)] = []
  private var keys: [Range<Int>] = []
  private var expectsKey = false
  private var isClosed = false

  /// Checks `bytes`.
  static func check(_ bytes: Span<UInt8>, depthLimit: Int) throws(WireError) {
    guard (try? UTF8Span(validating: bytes)) != nil else { throw .notUTF8 }
    var shape = JSONShape(depthLimit: depthLimit)
    var index = 0
    while index < bytes.count {
      index = try shape.step(bytes, at: index)
    }
    guard shape.isClosed else { throw .notJSON }
  }

  private init(depthLimit: Int) { self.depthLimit = depthLimit }

  /// Takes the token at `index` and gives the index after it.
  private mutating func step(_ bytes: Span<UInt8>, at index: Int) throws(WireError) -> Int {
    let byte = bytes[index]
    if byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d { return index + 1 }
    guard !isClosed, byte > 0x20, !open.isEmpty || byte == UInt8(ascii: "{") else {
      throw .notJSON
    }
    switch byte {
    case UInt8(ascii: "\""): return try string(bytes, from: index + 1)
    case UInt8(ascii: "{"), UInt8(ascii: "["): try enter(isObject: byte == UInt8(ascii: "{"))
    case UInt8(ascii: "}"), UInt8(ascii: "]"): try leave(isObject: byte == UInt8(ascii: "}"))
    case UInt8(ascii: ","): expectsKey = open.last?.isObject ?? false
    default: break
    }
    return index + 1
  }

  private mutating func enter(isObject: Bool) throws(WireError) {
    guard open.count < depthLimit else { throw .nesting(limit: depthLimit) }
    open.append((isObject, keys.count))
    expectsKey = isObject
  }

  private mutating func leave(isObject: Bool) throws(WireError) {
    guard let last = open.popLast(), last.isObject == isObject else { throw .notJSON }
    keys.removeSubrange(last.firstKey...)
    expectsKey = false
    isClosed = open.isEmpty
  }

  private mutating func string(_ bytes: Span<UInt8>, from start: Int) throws(WireError) -> Int {
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
      guard bytes[end] >= 0x20 else { throw .notJSON }
      let isEscape = bytes[end] == UInt8(ascii: "\\")
      if isEscape && expectsKey { throw .escapedField }
      end += isEscape ? 2 : 1
    }
    guard end < bytes.count else { throw .notJSON }
    if expectsKey { try record(start..<end, bytes) }
    return end + 1
  }

  private mutating func record(_ key: Range<Int>, _ bytes: Span<UInt8>) throws(WireError) {
    expectsKey = false
    let first = open.last?.firstKey ?? 0
    guard keys.count - first < Self.mostFields else { throw .fieldCount(limit: Self.mostFields) }
    for other in keys[first...] where other.count == key.count {
      if zip(other, key).allSatisfy({ bytes[$0] == bytes[$1] }) { throw .repeatedField }
    }
    keys.append(key)
  }
}
