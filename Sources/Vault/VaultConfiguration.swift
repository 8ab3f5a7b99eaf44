import CLinux
import Foundation
public import PadModel

/// What a vault is opened with.
public struct VaultConfiguration: Sendable {
  /// The folder of the database.
  public var directory: String
  /// The file of the server key.
  public var keyPath: String
  /// Whether that file is a credential that systemd made, which says in its own way who may read it.
  public var keyIsCredential = false
  /// Queue, times and number of secrets.
  public var limits = Limits.standard
  /// What hashes of new locks cost.
  public var hashCost = HashCost.standard
  /// How many threads hash when nothing else runs.
  ///
  /// Not two on one core: they would hash no faster, and a loop that shares it would wait up to a timer
  /// tick after they took turns.
  public var hashThreads = min(2, max(1, Int(clinux_usable_cores())))
  /// How long a hash may take threads that run only when nothing else does, before another helps.
  public var hashPatience = Duration.milliseconds(250)
  /// Whether those threads leave the processor to everything else; not in tests, which would wait until
  /// the whole machine rests.
  package var hashesWhenIdle = true
  /// Where time comes from.
  public var clock: any VaultClock = SystemClock()
  /// How long the owner's label of a secret may be, in bytes.
  public var ownerBytes = 64

  /// Makes a configuration for this folder and key.
  public init(directory: String, keyPath: String) {
    self.directory = directory
    self.keyPath = keyPath
  }

  /// The database's file.
  package var databasePath: String { directory + "/drawbolt.sqlite" }

  /// Whether there are data, which only the key that they were sealed with opens.
  public var hasData: Bool { access(databasePath, F_OK) == 0 }
}

/// What one Argon2id hash costs.
public struct HashCost: Equatable, Sendable {
  /// Bytes of memory.
  public var memory: Int
  /// Passes over it.
  public var passes: Int

  /// Makes a cost.
  public init(memory: Int, passes: Int) {
    self.memory = memory
    self.passes = passes
  }

  /// What a lock may be given: from the least that the same sheet advises to what a machine that also
  /// answers people can bear.
  public static let allowedMebibytes = 19...256
  /// The same for the passes.
  public static let allowedPasses = 2...10

  /// 19 MiB and two passes, the least that OWASP's password storage sheet advises.
  public static let standard = HashCost(memory: 19 * 1024 * 1024, passes: 2)
}
