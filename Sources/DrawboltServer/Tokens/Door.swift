package import PadModel
package import Vault

/// Who may come into which room, as what, and from which pages.
///
/// | server | room | without a token | with one |
/// |---|---|---|---|
/// | without keys | any | every role but admin | refused |
/// | with keys | a lock's | refused, but `demo` under `--dev` | its role, in its room |
/// | with keys | a board whose rule says `open` | every role but admin | its role, in its room |
/// | with keys | any other board | refused | its role, in its room |
package struct Door: Sendable {
  private let configuration: Configuration
  private let ring: TokenRing
  private let boardOrigins: Set<String>

  /// Makes a door for these settings.
  package init(_ configuration: Configuration, ring: TokenRing) {
    self.configuration = configuration
    self.ring = ring
    boardOrigins = Set(configuration.boards.flatMap(\.origins))
  }

  /// What the token of a hello gives; nil if the room needs none and there is none.
  ///
  /// - Parameters:
  ///   - hello: what is asked for, and the token.
  ///   - rules: what is revoked.
  ///   - wall: the second since 1970.
  /// - Returns: what the token says.
  /// - Throws: why it does not count.
  package func pass(
    for hello: Hello, by rules: EntryRules, at wall: Int64
  ) throws(TokenError) -> TokenClaims? {
    guard let token = hello.token else {
      guard !needsToken(hello.room) else { throw .missing }
      return nil
    }
    guard !ring.isEmpty else { throw .notTaken }
    let claims = try ring.verify(token, at: max(wall, rules.wall))
    guard !rules.revoked.contains(claims.id) else { throw .revoked }
    guard claims.room == hello.room else { throw .otherRoom }
    guard claims.role == hello.role else { throw .otherRole }
    return claims
  }

  /// Whether a room is closed to everybody: the demo lock is, unless it is for a demo, since everybody
  /// knows its code.
  package func isClosed(_ room: RoomName) -> Bool {
    room == .lock(VaultAdministration.demoLock) && !configuration.dev
  }

  private func needsToken(_ room: RoomName) -> Bool {
    guard !ring.isEmpty else { return false }
    switch room {
    case .board(let name): return configuration.boardRule(name)?.access != .open
    case .lock(let lock): return !(configuration.dev && lock == VaultAdministration.demoLock)
    }
  }

  /// Whether pages of an origin may join a room.
  ///
  /// Those may that its lock or rule lists, or else the server's own. What is no page has no origin
  /// and is not asked for one.
  package func admits(
    origin: String?, to room: RoomName, by rules: EntryRules, own: [String]
  ) -> Bool {
    guard let origin else { return true }
    return listed(for: room, by: rules).map { $0.contains(origin) } ?? own.contains(origin)
  }

  /// Whether pages of an origin may join any room, so that it is worth hearing which.
  package func knows(origin: String, by rules: EntryRules) -> Bool {
    boardOrigins.contains(origin) || rules.allOrigins.contains(origin)
  }

  /// The origins of a room that has its own; nil without them.
  private func listed(for room: RoomName, by rules: EntryRules) -> [String]? {
    switch room {
    case .board(let name):
      let origins = configuration.boardRule(name)?.origins ?? []
      return origins.isEmpty ? nil : origins
    case .lock(let lock): return rules.origins[lock]?.map(\.text)
    }
  }
}
