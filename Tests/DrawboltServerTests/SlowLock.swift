import PadModel
import Vault

/// A lock whose hash takes so long that something else can come first.
enum SlowLock {
  /// Adds the lock `slow`; by default its hash takes as long as a row may ask for.
  ///
  /// It needs no secret, since right and wrong are hashed alike.
  static func add(to data: String, megabytes: Int = 256, passes: Int = 64) throws {
    var configuration = VaultConfiguration(directory: data, keyPath: data + "/server.key")
    configuration.hashCost = HashCost(memory: megabytes << 20, passes: passes)
    try VaultAdministration.open(configuration).addLock(NewLock(id: try LockID("slow")))
  }
}
