import PadModel

/// A secret as the database holds it: what is known of it, and its sealed hash.
struct SecretRow {
  static let currentVersion: Int64 = 1

  let lock: LockID
  let number: Int
  let version: Int64
  let owner: String
  let created: Int64
  /// The second of the wall clock from which on it is not valid.
  let expires: Int64?
  /// How often it may still open.
  var usesLeft: Int64?
  /// Failures that successes with it gave back, which is limited if it expires.
  var givenBack: Int64
  /// 1 if it may be used; kept as it was read, so that no edit of it goes unnoticed.
  let enabled: Int64
  var key: UInt32
  var nonce: [UInt8]
  var sealed: [UInt8]

  static let columns =
    "lock, number, version, owner, created, expires, uses_left, given_back, enabled, key, nonce, sealed"

  /// Reads the columns in their order.
  init(_ row: Statement, lock: LockID) {
    self.lock = lock
    number = Int(row.integer(1))
    version = row.integer(2)
    owner = row.text(3)
    created = row.integer(4)
    expires = row.optionalInteger(5)
    usesLeft = row.optionalInteger(6)
    givenBack = row.integer(7)
    enabled = row.integer(8)
    key = UInt32(clamping: row.integer(9))
    nonce = row.blob(10)
    sealed = row.blob(11)
  }

  /// Makes a row whose hash must still be sealed.
  init(_ secret: NewSecret, number: Int, created: Int64) {
    lock = secret.lock
    self.number = number
    version = Self.currentVersion
    owner = secret.owner
    self.created = created
    expires = secret.expires
    usesLeft = secret.uses.map(Int64.init)
    givenBack = 0
    enabled = 1
    key = 0
    nonce = []
    sealed = []
  }

  /// The values of the columns in their order.
  var values: [SQLValue] {
    [
      .text(lock.text), .integer(number), .integer(version), .text(owner), .integer(created),
      .optional(expires), .optional(usesLeft), .integer(givenBack), .integer(enabled),
      .integer(Int(key)), .blob(nonce), .blob(sealed),
    ]
  }

  /// Every column but nonce and seal, and every column of the lock: none can be edited or swapped.
  private func bound(to lock: LockRow) -> [UInt8] {
    var bound = BoundBytes("drawbolt-secret")
    for value in values.dropLast(2) { bound.add(value) }
    lock.bind(into: &bound)
    return bound.bytes
  }

  /// Seals a hash under the newest key, with a fresh nonce.
  mutating func seal(_ hash: [UInt8], of lock: LockRow, with ring: ServerKey) {
    guard var sealing = ring.rowKey(ring.id) else {
      preconditionFailure("the newest key is in the ring")
    }
    defer { Sodium.wipe(&sealing) }
    key = ring.id
    nonce = Sodium.random(Sodium.nonceBytes)
    sealed = Sodium.seal(hash, bound: bound(to: lock), nonce: nonce, key: sealing)
  }

  /// The hash, or nil if the row was edited or its key is not in the ring.
  func open(of lock: LockRow, with ring: ServerKey) -> [UInt8]? {
    guard version == Self.currentVersion, var opening = ring.rowKey(key) else { return nil }
    defer { Sodium.wipe(&opening) }
    return Sodium.open(sealed, bound: bound(to: lock), nonce: nonce, key: opening)
  }

  var isEnabled: Bool { enabled == 1 }

  /// Whether it may open at this second of the (never decreasing) wall clock.
  func isValid(at wall: Int64) -> Bool {
    isEnabled && (expires.map { wall < $0 } ?? true) && (usesLeft.map { $0 > 0 } ?? true)
  }
}
