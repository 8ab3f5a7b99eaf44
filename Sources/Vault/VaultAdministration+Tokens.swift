import PadModel

/// A token that does not count any more.
public struct Revocation: Equatable, Sendable {
  /// The token's own number.
  public let token: String
  /// The second since 1970 at which the token ends, so that nothing needs to be remembered of it.
  public let expires: Int64
}

extension VaultAdministration {
  /// Lets a token not count any more; of one that is revoked already, until the later of both ends.
  ///
  /// - Parameters:
  ///   - token: its own number.
  ///   - expires: the second since 1970 at which it ends.
  /// - Throws: ``VaultError/tooManyRevocations(limit:)`` or a storage error.
  public func revokeToken(_ token: String, expires: Int64) throws(VaultError) {
    let limit = store.limits.revocations
    let now = now
    try store.database.transaction { () throws(VaultError) in
      // What ended by this clock must not come back by one that was set back.
      try store.noteWall(now)
      try store.database.run(
        "DELETE FROM revocation WHERE expires <= ?", [.integer(try store.validityWall(now))])
      try store.database.run(
        """
        INSERT INTO revocation (token, expires) VALUES (?, ?)
        ON CONFLICT (token) DO UPDATE SET expires = max(expires, excluded.expires)
        """, [.text(token), .integer(expires)])
      let count = try store.database.first("SELECT count(*) FROM revocation") { $0.integer(0) }
      guard count ?? 0 <= limit else { throw .tooManyRevocations(limit: limit) }
      try store.audit.action(.tokenRevoked, at: "", by: actor, at: now.wall)
    }
  }

  /// The revoked tokens that have not ended yet, the first to end first.
  ///
  /// - Throws: ``VaultError``.
  public func revocations() throws(VaultError) -> [Revocation] {
    try store.revocations(at: now)
  }
}
