import PadModel

/// A secret as the database holds it: what is known of it, and its sealed hash.
struct SecretRow {
  static let currentVersion: Int64 = 2
  /// Of a program whose locks had no seals of their own.
  static let oldVersion: Int64 = 1

  let lock: LockID
  let number: Int
  private(set) var version: Int64
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
  private(set) var seal: Seal

  static let columns =
    "lock, number, version, owner, created, expires, uses_left, given_back, enabled, "
    + Seal.columns

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
    seal = Seal(row, at: 9)
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
    seal = .none
  }

  /// The values of the columns in their order, but for the seal's.
  var values: [SQLValue] {
    [
      .text(lock.text), .integer(number), .integer(version), .text(owner), .integer(created),
      .optional(expires), .optional(usesLeft), .integer(givenBack), .integer(enabled),
    ]
  }

  /// Every column but nonce and seal, and every column of the lock: none can be edited or swapped.
  private func bound(to lock: LockRow, key: UInt32) -> BoundBytes {
    var bound = BoundBytes("drawbolt-secret", values + [.integer(Int(key))])
    lock.bind(into: &bound)
    return bound
  }

  /// Seals a hash under the newest key, with a fresh nonce.
  mutating func seal(_ hash: [UInt8], of lock: LockRow, with ring: ServerKey) {
    version = Self.currentVersion
    seal = Seal(hash, bound: bound(to: lock, key: ring.id), for: .secret, with: ring)
  }

  /// The hash, or nil if the row was edited, its key is not in the ring, or it is of another version.
  func open(of lock: LockRow, with ring: ServerKey, version: Int64 = Self.currentVersion)
    -> [UInt8]?
  {
    guard self.version == version else { return nil }
    return seal.open(bound: bound(to: lock, key: seal.key), for: .secret, with: ring)
  }

  var isEnabled: Bool { enabled == 1 }

  /// Whether it may open at this second of the (never decreasing) wall clock.
  func isValid(at wall: Int64) -> Bool {
    isEnabled && !hasExpired(at: wall) && (usesLeft.map { $0 > 0 } ?? true)
  }

  /// Whether its time is over at this second.
  func hasExpired(at wall: Int64) -> Bool { expires.map { wall >= $0 } ?? false }
}
