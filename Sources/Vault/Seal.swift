/// What vouches for a row: the number of the key that it was sealed under, and the sealed text, which
/// is empty where nothing has to be kept secret.
struct Seal {
  let key: UInt32
  private let nonce: [UInt8]
  private let sealed: [UInt8]

  static let columns = "key, nonce, sealed"

  /// A row that nobody has sealed yet; it does not open.
  static let none = Seal(key: 0, nonce: [], sealed: [])

  private init(key: UInt32, nonce: [UInt8], sealed: [UInt8]) {
    self.key = key
    self.nonce = nonce
    self.sealed = sealed
  }

  /// Reads the columns, the first of which has this index.
  init(_ row: Statement, at first: Int32) {
    key = UInt32(clamping: row.integer(first))
    nonce = row.blob(first + 1)
    sealed = row.blob(first + 2)
  }

  /// Seals under the newest key, with a fresh nonce.
  init(_ text: [UInt8] = [], bound: BoundBytes, for purpose: KeyPurpose, with ring: ServerKey) {
    guard var sealing = ring.subkey(ring.id, for: purpose) else {
      preconditionFailure("the newest key is in the ring")
    }
    defer { Sodium.wipe(&sealing) }
    key = ring.id
    nonce = Sodium.random(Sodium.nonceBytes)
    sealed = Sodium.seal(text, bound: bound.bytes, nonce: nonce, key: sealing)
  }

  /// The text, or nil if anything was edited or the key is not in the ring.
  func open(bound: BoundBytes, for purpose: KeyPurpose, with ring: ServerKey) -> [UInt8]? {
    guard var opening = ring.subkey(key, for: purpose) else { return nil }
    defer { Sodium.wipe(&opening) }
    return Sodium.open(sealed, bound: bound.bytes, nonce: nonce, key: opening)
  }

  /// The values of the columns in their order.
  var values: [SQLValue] { [.integer(Int(key)), .blob(nonce), .blob(sealed)] }
}

/// What a key derived from the server's is for: eight characters each, and one key each.
enum KeyPurpose: String {
  /// Seals secrets.
  case secret = "row-seal"
  /// Seals locks.
  case lock = "lockseal"
  /// Seals buckets.
  case bucket = "bucketsl"
  /// Seals trusted devices.
  case device = "devicesl"
  /// Seals administrators.
  case admin = "adminsel"
  /// Shows whether it is the key that the data were sealed with.
  case check = "keycheck"
  /// Signs grants.
  case grant = "grantsig"
}

/// Values, each behind its kind and length, so that no two lists of values give the same bytes.
struct BoundBytes {
  private(set) var bytes: [UInt8]

  /// Begins with what the bytes are for.
  init(_ purpose: String, _ values: [SQLValue] = []) {
    bytes = Array(purpose.utf8) + [0]
    for value in values { add(value) }
  }

  mutating func add(_ value: SQLValue) {
    switch value {
    case .integer(let number):
      append(1, (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * Int64($0))) })
    case .text(let text): append(2, Array(text.utf8))
    case .blob(let blob): append(3, blob)
    case .null: append(4, [])
    }
  }

  private mutating func append(_ kind: UInt8, _ value: [UInt8]) {
    let count = UInt32(value.count)
    bytes.append(kind)
    bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) }
    bytes += value
  }
}
