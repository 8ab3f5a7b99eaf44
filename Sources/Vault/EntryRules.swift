public import PadModel
import Synchronization

/// What a server must know of those who want to come in, without asking the database each time.
public struct EntryRules: Equatable, Sendable {
  /// The revoked tokens that have not ended yet, by their own numbers.
  public package(set) var revoked: Set<String> = []
  /// The locks that list origins of their own; an empty list lets no page in.
  public package(set) var origins: [LockID: [WebOrigin]] = [:] {
    didSet { allOrigins = Set(origins.values.joined().map(\.text)) }
  }
  /// The origins that any lock lists.
  public private(set) var allOrigins: Set<String> = []
  /// The newest wall clock that was ever written down: nothing that had ended then may be valid now.
  public package(set) var wall: Int64 = 0

  /// Makes rules that know nothing.
  public init() {}
}

/// Where the newest rules hang: one thread puts them there, any may read them.
final class EntryBoard: Sendable {
  private let state = Mutex(EntryRules())

  var rules: EntryRules { state.withLock { $0 } }

  func put(_ rules: EntryRules) { state.withLock { $0 = rules } }
}

extension Store {
  /// The rules as the database has them.
  func entryRules(at now: ClockReading) throws(VaultError) -> EntryRules {
    var rules = EntryRules()
    rules.wall = try validityWall(now)
    rules.revoked = Set(try revocations(at: now).map(\.token))
    let names = try database.all("SELECT id FROM lock WHERE origins <> ''") { $0.text(0) }
    var origins: [LockID: [WebOrigin]] = [:]
    for name in names {
      guard let id = try? LockID(name) else { continue }
      origins[id] = try listedOrigins(of: id)
    }
    rules.origins = origins
    return rules
  }

  /// The origins of a lock that lists some; none if its row was edited.
  private func listedOrigins(of id: LockID) throws(VaultError) -> [WebOrigin] {
    do throws(VaultError) {
      return try lock(id)?.origins ?? []
    } catch .damagedLock {
      return []
    }
  }

  /// The revoked tokens that have not ended yet, the first to end first.
  func revocations(at now: ClockReading) throws(VaultError) -> [Revocation] {
    try database.all(
      "SELECT token, expires FROM revocation WHERE expires > ? ORDER BY expires, token",
      [.integer(try validityWall(now))]
    ) { Revocation(token: $0.text(0), expires: $0.integer(1)) }
  }
}
