import Foundation
import PadModel
import Synchronization
import Vault

/// Clocks that go only when a test says so.
final class TestClock: VaultClock {
  private let now: Mutex<ClockReading>

  init(boot: Int64 = 1_000, bootID: String = "boot-1", wall: Int64 = 1_800_000_000) {
    now = Mutex(
      ClockReading(boot: Instant(nanoseconds: boot * 1_000_000_000), bootID: bootID, wall: wall))
  }

  func read() -> ClockReading { now.withLock { $0 } }
  func set(_ change: (inout ClockReading) -> Void) { now.withLock { change(&$0) } }

  /// Lets both clocks go on.
  func advance(_ time: Duration) {
    set { reading in
      reading.boot = reading.boot + time
      reading.wall += time.components.seconds
    }
  }

  /// Lets the clocks go on to this instant.
  func advance(to instant: Instant) { advance(instant - read().boot) }
}

/// A vault in a folder of its own, with hashes that cost next to nothing.
final class World {
  static let right: [NodeIndex] = [1, 4, 7, 8, 5]

  let folder: String
  let clock: TestClock
  private(set) var configuration: VaultConfiguration
  private var running: Vault?

  /// Makes a folder with a key, or goes on in one that is there.
  init(clock: TestClock = TestClock(), in folder: String? = nil) throws {
    self.clock = clock
    self.folder = folder ?? NSTemporaryDirectory() + "drawbolt-test-" + UUID().uuidString
    configuration = VaultConfiguration(
      directory: self.folder + "/data", keyPath: self.folder + "/key/server.key")
    configuration.hashCost = HashCost(memory: 8192, passes: 1)
    configuration.hashThreads = 2
    // Not in a test's life: each hook is called once.
    configuration.hashPatience = .seconds(86_400)
    configuration.hashesWhenIdle = false
    configuration.clock = clock
    if folder == nil { try VaultAdministration.createKey(at: configuration.keyPath) }
  }

  deinit {
    running?.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func configure(_ change: (inout VaultConfiguration) -> Void) { change(&configuration) }

  func administration() throws -> VaultAdministration {
    try VaultAdministration.open(configuration)
  }

  /// A second connection to the database.
  func database() throws -> Database {
    try Database(path: configuration.directory + "/drawbolt.sqlite")
  }

  /// The running vault, opened at the first use.
  func vault() throws -> Vault {
    if let running { return running }
    let vault = try Vault.open(configuration)
    running = vault
    return vault
  }

  func stop() {
    running?.close()
    running = nil
  }

  /// Adds a lock with the right code.
  @discardableResult
  func addLock(
    _ id: String = "door", schedule: SchedulePreset = .standard, mirror: MirrorMode = .stealth,
    isToy: Bool = false, expires: Int64? = nil, uses: Int? = nil, origins: [WebOrigin] = []
  ) throws -> LockID {
    let lock = try LockID(id)
    let administration = try administration()
    try administration.addLock(
      NewLock(id: lock, mirror: mirror, schedule: schedule, isToy: isToy, origins: origins))
    _ = try administration.addSecret(
      NewSecret(lock: lock, nodes: Self.right, owner: "ann", expires: expires, uses: uses))
    return lock
  }

  /// Draws a code and waits for the answer.
  func draw(
    _ nodes: [NodeIndex] = World.right, at lock: LockID, as bucket: BucketID = .strangers,
    connection: UInt64 = 1, address: UInt64? = nil, actuators: Int = 1, judgeBy: Instant? = nil
  ) async throws -> AttemptAnswer {
    let vault = try vault()
    let attempt = VaultAttempt(
      lock: lock, bucket: bucket, nodes: nodes, address: address, connection: connection,
      actuators: actuators,
      judgeBy: judgeBy ?? clock.read().boot + configuration.limits.verdictTime)
    return await replied { vault.judge(attempt, reply: $0) }
  }

  func profile(of lock: LockID, for drawer: Drawer = .stranger) async throws -> LockProfile? {
    guard case .found(let profile) = try await answer(about: lock, for: drawer) else { return nil }
    return profile
  }

  func answer(about lock: LockID, for drawer: Drawer = .stranger) async throws -> LockAnswer {
    let vault = try vault()
    return await replied { vault.profile(of: lock, for: drawer, reply: $0) }
  }

  func claim(_ id: GrantID, at lock: LockID, nonce: UInt64 = 7) async throws -> Grant? {
    let vault = try vault()
    let claim = GrantClaim(id: id, nonce: GrantNonce(high: 1, low: nonce))
    return await replied { vault.claim(claim, lock: lock, audience: MemberID(3), reply: $0) }
  }

  /// One number from the database.
  func number(_ sql: String) throws -> Int64? { try database().first(sql) { $0.integer(0) } }

  func failures(of lock: LockID) throws -> Int64 {
    try number("SELECT failures FROM bucket WHERE lock = '\(lock)' AND kind = 0") ?? 0
  }

  /// What the audit says, oldest first.
  func outcomes() throws -> [String] {
    try database().all("SELECT outcome FROM audit ORDER BY id") { $0.text(0) }
  }
}

/// The n-th of many codes, none of which is the right one.
func wrongCode(_ number: Int) -> [NodeIndex] {
  var rest = number
  var free: [NodeIndex] = [0, 1, 2, 3, 4, 5, 6, 8]
  var code: [NodeIndex] = [7]
  for _ in 0..<4 {
    code.append(free.remove(at: rest % free.count))
    rest /= 9 - code.count + 1
  }
  return code
}

extension Duration {
  static let aMillisecond = Duration.milliseconds(1)
}

extension World {
  /// The contents of all files in the data folder and of the key's.
  func files() throws -> [[UInt8]] {
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return files.compactMap { FileManager.default.contents(atPath: folder + "/" + $0) }
      .map { [UInt8]($0) }
  }
}

extension [UInt8] {
  /// Whether `part` stands somewhere in it.
  func holds(_ part: [UInt8]) -> Bool {
    Data(self).range(of: Data(part)) != nil
  }
}

extension LockProfile {
  /// Where the bucket stands that the drawer belongs to.
  var bucket: BucketReading { buckets[0].reading }
}

/// What the vault replies to what is asked.
///
/// It is handed over by a lock, which the thread sanitizer sees; Swift's continuations are hidden from it.
func replied<Value: Sendable>(
  _ ask: (_ reply: @escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
  let kept = Kept<Value>()
  await withCheckedContinuation { continuation in
    ask { value in
      kept.value.withLock { $0 = value }
      continuation.resume()
    }
  }
  guard let value = kept.value.withLock({ $0 }) else {
    preconditionFailure("resumed without a reply")
  }
  return value
}

private final class Kept<Value: Sendable>: Sendable {
  let value = Mutex<Value?>(nil)
}
