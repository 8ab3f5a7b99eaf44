public import PadModel

extension VaultAdministration {
  /// The lock that `--dev` enrols.
  public static var demoLock: LockID {
    guard let id = try? LockID("demo") else { preconditionFailure("demo is a lock's id") }
    return id
  }

  /// 2-5-8-9-6 as people count.
  private static let demoCode: [NodeIndex] = [1, 4, 7, 8, 5]

  /// Whether there is a demo lock, also one that was edited.
  public var hasDemoLock: Bool {
    get throws(VaultError) { try store.lockIDs().contains(Self.demoLock) }
  }

  /// Adds the demo lock with its code if there is none; an existing one is left as it is, unless a
  /// crash came before its first code.
  ///
  /// - Returns: whether it was added.
  /// - Throws: ``VaultError``.
  public func ensureDemoLock() throws(VaultError) -> Bool {
    if let lock = try store.lock(Self.demoLock) {
      guard lock.lastSecret == 0 else { return false }
    } else {
      try addLock(NewLock(id: Self.demoLock, mirror: .open))
    }
    _ = try addSecret(NewSecret(lock: Self.demoLock, nodes: Self.demoCode, owner: "demo"))
    return true
  }
}
