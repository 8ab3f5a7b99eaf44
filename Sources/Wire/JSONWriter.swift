import PadModel

/// Writes JSON at the end of a byte buffer.
///
/// Commas come by themselves: one is due before a name or a value unless an opening bracket or a
/// colon stands before it.
struct JSONWriter {
  private(set) var bytes: [UInt8]

  /// Makes a writer that replaces what `buffer` holds and keeps its storage.
  init(reusing buffer: inout [UInt8]) {
    bytes = []
    swap(&bytes, &buffer)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Gives the buffer back with what was written.
  mutating func finish(into buffer: inout [UInt8]) { swap(&bytes, &buffer) }

  mutating func openObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  mutating func closeObject() { bytes.append(UInt8(ascii: "}")) }

  mutating func openArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  mutating func closeArray() { bytes.append(UInt8(ascii: "]")) }

  /// Writes a field's name, which must need no escape.
  mutating func name(_ name: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes text that is JSON already.
  mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes text with the commas that it needs in it.
  mutating func literal(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

  mutating func integer(_ value: Int) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    digits(value.magnitude, atLeast: 1)
  }

  /// Writes `value` ten-thousandths with four decimals.
  mutating func decimal(_ value: Int) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let (whole, part) = value.magnitude.quotientAndRemainder(dividingBy: 10_000)
    digits(whole, atLeast: 1)
    bytes.append(UInt8(ascii: "."))
    digits(part, atLeast: 4)
  }

  /// Writes `value` as a string with the escapes that JSON needs.
  mutating func string(_ value: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(hexadecimal(byte >> 4))
        bytes.append(hexadecimal(byte & 15))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes spaces until there are `length` bytes.
  mutating func pad(to length: Int) {
    while bytes.count < length { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func separate() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }

  private mutating func digits(_ value: UInt, atLeast width: Int) {
    var divisor: UInt = 1
    var count = 1
    while count < width || value / divisor >= 10 {
      divisor *= 10
      count += 1
    }
    var rest = value
    while divisor > 1 {
      let (digit, below) = rest.quotientAndRemainder(dividingBy: divisor)
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit))
      rest = below
      divisor /= 10
    }
    bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest))
  }

  private func hexadecimal(_ digit: UInt8) -> UInt8 {
    digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}

extension JSONWriter {
  mutating func field(_ field: WireField, _ value: Int) {
    name(field)
    integer(value)
  }

  mutating func field(_ field: WireField, _ value: Bool) {
    name(field)
    bool(value)
  }

  mutating func field(_ field: WireField, _ value: String) {
    name(field)
    string(value)
  }

  mutating func name(_ field: WireField) { name(field.rawValue) }

  /// Opens a message: its type comes first.
  mutating func open(_ type: String) {
    openObject()
    field(.type, type)
  }
}
