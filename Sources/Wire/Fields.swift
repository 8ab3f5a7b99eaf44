import FoundationEssentials
import PadModel

extension CodingUserInfoKey {
  /// Where a decoder carries its ``Limits``.
  static var limits: CodingUserInfoKey {
    guard let key = CodingUserInfoKey(rawValue: "limits") else {
      preconditionFailure("every text is a key")
    }
    return key
  }
}

extension JSONDecoder {
  /// Decodes text whose shape was bounded first.
  ///
  /// Errors of the decoder hold what was sent, so only ours leave here.
  func decode<Message: Decodable>(
    _ type: Message.Type, from bytes: Span<UInt8>, depthLimit: Int
  ) throws(WireError) -> Message {
    guard bytes.count > 0 else { throw .empty }
    try JSONShape.check(bytes, depthLimit: depthLimit)
    let data = bytes.withUnsafeBufferPointer { Data($0) }
    do {
      return try decode(type, from: data)
    } catch let error as WireError {
      throw error
    } catch {
      throw .notJSON
    }
  }
}

/// The fields of one JSON object, read with errors that name the field and echo nothing.
///
/// A field that is null counts as absent.
struct Fields {
  let limits: Limits
  private let container: KeyedDecodingContainer<WireField>

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: WireField.self)
    limits = decoder.userInfo[.limits] as? Limits ?? .standard
  }

  private init(_ container: KeyedDecodingContainer<WireField>, _ limits: Limits) {
    self.container = container
    self.limits = limits
  }

  /// The message's type.
  func type() throws(WireError) -> String { try value(.type) }

  /// Whether the field is there and not null.
  func has(_ field: WireField) -> Bool {
    guard container.contains(field) else { return false }
    return (try? container.decodeNil(forKey: field)) != true
  }

  func optional<Value: Decodable>(_ field: WireField) throws(WireError) -> Value? {
    has(field) ? try value(field) : nil
  }

  func value<Value: Decodable>(_ field: WireField) throws(WireError) -> Value {
    guard has(field) else { throw .missing(field) }
    do {
      return try container.decode(Value.self, forKey: field)
    } catch let error as WireError {
      throw error
    } catch {
      throw .invalid(field)
    }
  }

  /// The object in `field`.
  func object(_ field: WireField) throws(WireError) -> Fields {
    guard has(field) else { throw .missing(field) }
    do {
      return Fields(try container.nestedContainer(keyedBy: WireField.self, forKey: field), limits)
    } catch {
      throw .invalid(field)
    }
  }

  /// Text that `make` turns into a value, or refuses by nil or an error.
  func made<Made>(_ field: WireField, _ make: (String) throws -> Made?) throws(WireError) -> Made {
    guard let made = try? make(try value(field) as String) else {
      throw has(field) ? .invalid(field) : .missing(field)
    }
    return made
  }

  func named<Made: RawRepresentable<String>>(_ field: WireField) throws(WireError) -> Made {
    try made(field) { Made(rawValue: $0) }
  }

  func random(_ field: WireField) throws(WireError) -> Random128 {
    try made(field) { try Random128(hexadecimal: $0) }
  }

  func memberName() throws(WireError) -> MemberName? {
    has(.name) ? try made(.name) { try MemberName($0, limit: limits.nameBytes) } : nil
  }

  /// A whole number that is not negative.
  func count(_ field: WireField) throws(WireError) -> Int {
    let number: Int = try value(field)
    guard number >= 0 else { throw .invalid(field) }
    return number
  }
}
