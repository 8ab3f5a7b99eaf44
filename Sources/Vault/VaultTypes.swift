public import PadModel

/// What a server must know of a lock to open its room.
public struct LockProfile: Equatable, Sendable {
  /// Its id.
  public let lock: LockID
  /// The pad that is drawn on.
  public let pad: Pad
  /// Fewer nodes than this are too short.
  public let minimumNodes: Int
  /// How strokes are shown to those who did not draw them.
  public let mirror: MirrorMode
  /// Whether its grants are for show.
  public let givesDemoGrants: Bool
  /// The bucket of the drawer who was asked about.
  public let own: BucketID
  /// Where all its buckets stand.
  public let buckets: [BucketStanding]
}

/// What is to be said of a lock.
public enum LockAnswer: Equatable, Sendable {
  /// What it is.
  case found(LockProfile)
  /// There is none.
  case missing
  /// Whether there is one is not known: the storage failed, or the lock was edited outside drawbolt.
  case unreadable
}

/// Attempts on a lock that were turned away before they came to the vault.
public struct Refusals: Equatable, Sendable {
  let lock: LockID
  let bucket: BucketID
  let outcome: Outcome
  let count: Int

  /// Makes a value.
  ///
  /// - Parameters:
  ///   - lock: the lock.
  ///   - bucket: the drawers' bucket.
  ///   - outcome: what the drawers were told, `lockedOut` or `unavailable`.
  ///   - count: how many they were.
  public init(lock: LockID, bucket: BucketID, outcome: Outcome, count: Int) {
    self.lock = lock
    self.bucket = bucket
    self.outcome = outcome
    self.count = count
  }
}

/// Where a bucket stands.
public struct BucketReading: Equatable, Sendable {
  /// Failures counted.
  public let failures: Int
  /// When the next attempt may be made, on `CLOCK_BOOTTIME`.
  public let retryAt: Instant
}

/// A finished stroke to be put before a lock's secrets.
public struct VaultAttempt: Sendable, Redacted {
  let lock: LockID
  let bucket: BucketID
  let nodes: [NodeIndex]
  let address: UInt64?
  let connection: UInt64
  let actuators: Int
  let judgeBy: Instant

  /// Makes an attempt.
  ///
  /// - Parameters:
  ///   - lock: the lock.
  ///   - bucket: the bucket that the drawer belongs to, as ``LockProfile/own`` or
  ///     ``AttemptAnswer/home`` said.
  ///   - nodes: the code, at least the lock's minimum of nodes.
  ///   - address: the peer's address as limits count it; nil exempts it.
  ///   - connection: the connection that drew it, unique in the process.
  ///   - actuators: how many wait to open; without one no grant is made and no use is spent.
  ///   - judgeBy: the last moment for a verdict, on `CLOCK_BOOTTIME`; whoever drew it may have been
  ///     told something else after it, so it is not judged.
  public init(
    lock: LockID, bucket: BucketID = .strangers, nodes: [NodeIndex], address: UInt64?,
    connection: UInt64, actuators: Int, judgeBy: Instant
  ) {
    self.lock = lock
    self.bucket = bucket
    self.nodes = nodes
    self.address = address
    self.connection = connection
    self.actuators = actuators
    self.judgeBy = judgeBy
  }
}

/// How an attempt ended.
public struct AttemptAnswer: Equatable, Sendable {
  /// One of `accepted`, `rejected`, `lockedOut`, `unavailable`.
  public let outcome: Outcome
  /// Where the bucket that the attempt was put with stands now, if that is known.
  public internal(set) var bucket: BucketReading?
  /// The bucket that the drawer belongs to from now on, if it is another.
  public internal(set) var home: BucketStanding?
  /// When the peer's address may try again, if that is why it was refused.
  public internal(set) var retryAt: Instant?
  /// The grant that waits for an actuator.
  public internal(set) var grant: GrantID?
  /// What the drawer's device is trusted by from now on, if that is new.
  public internal(set) var device: BearerToken?
  /// Whether the lock's other buckets were put back.
  public internal(set) var easesOthers = false
  /// Whether the bucket's delay has come to a quarter of an hour by this.
  public internal(set) var raisesAlarm = false

  init(_ outcome: Outcome) { self.outcome = outcome }

  /// An answer about a bucket, which is the one asked about unless that has died.
  init(_ outcome: Outcome, asked: BucketID, _ counted: BucketStanding) {
    self.outcome = outcome
    if counted.id == asked { bucket = counted.reading } else { home = counted }
  }
}

/// A lock to be added.
public struct NewLock: Equatable, Sendable {
  /// Its id.
  public var id: LockID
  /// Where its pad comes from.
  public var preset: Preset
  /// Its grid.
  public var grid: Grid
  /// The width in view points that a seed preset is laid out for.
  public var viewWidth: Int
  /// What a jump adds.
  public var rule: SelectionRule
  /// What a cancelled stroke comes to.
  public var cancel: CancelRule
  /// Fewest nodes of a code.
  public var minimumNodes: Int
  /// How strokes are shown.
  public var mirror: MirrorMode
  /// How delays grow.
  public var schedule: SchedulePreset
  /// Whether it may be easily guessed and gives demo grants only.
  public var isToy: Bool
  /// Whether its pad and rule allow fewer codes than ``VaultAdministration/fewestCodes``; the caller
  /// counts them, since the vault knows no gestures.
  public var hasFewCodes: Bool
  /// The origins whose pages may connect to its room; empty leaves that to the server's.
  public var origins: [WebOrigin]

  /// Makes a lock; without a rule for cancelled strokes it has its preset's.
  public init(
    id: LockID, preset: Preset = .android, grid: Grid = .threeByThree,
    viewWidth: Int = Preset.standardViewWidth, rule: SelectionRule = .fill,
    cancel: CancelRule? = nil, minimumNodes: Int = 4, mirror: MirrorMode = .stealth,
    schedule: SchedulePreset = .standard, isToy: Bool = false, hasFewCodes: Bool = false,
    origins: [WebOrigin] = []
  ) {
    self.id = id
    self.preset = preset
    self.grid = grid
    self.viewWidth = viewWidth
    self.rule = rule
    self.cancel = cancel ?? preset.pad().finish.cancel
    self.minimumNodes = minimumNodes
    self.mirror = mirror
    self.schedule = schedule
    self.isToy = isToy
    self.hasFewCodes = hasFewCodes
    self.origins = origins
  }
}

/// What is shown of a lock.
public struct LockSummary: Equatable, Sendable {
  /// Its id.
  public let id: LockID
  /// Where its pad comes from.
  public let preset: Preset
  /// The pad.
  public let pad: Pad
  /// How strokes are shown.
  public let mirror: MirrorMode
  /// Fewest nodes of a code.
  public let minimumNodes: Int
  /// Whether it was declared a toy.
  public let isToy: Bool
  /// Number of secrets that may still open.
  public let secrets: Int
  /// Failures counted against its strangers.
  public let failures: Int
  /// The origins whose pages may connect to its room; empty leaves that to the server's.
  public let origins: [WebOrigin]
}

/// A code to be enrolled.
public struct NewSecret: Sendable, Redacted {
  /// The most uses that one may have.
  public static let mostUses = 1_000_000

  var lock: LockID
  var nodes: [NodeIndex]
  var owner: String
  var expires: Int64?
  var uses: Int?

  /// Makes a secret.
  ///
  /// - Parameters:
  ///   - lock: the lock that it opens.
  ///   - nodes: the code, a path that the lock's pad allows.
  ///   - owner: whose it is.
  ///   - expires: the second since 1970 from which on it is not valid.
  ///   - uses: how often it may open.
  public init(
    lock: LockID, nodes: [NodeIndex], owner: String = "", expires: Int64? = nil, uses: Int? = nil
  ) {
    self.lock = lock
    self.nodes = nodes
    self.owner = owner
    self.expires = expires
    self.uses = uses
  }
}

/// What is shown of a secret.
public struct SecretSummary: Equatable, Sendable {
  /// Its number in the lock.
  public let number: Int
  /// Whose it is.
  public let owner: String
  /// The second since 1970 from which on it is not valid.
  public let expires: Int64?
  /// How often it may still open.
  public let usesLeft: Int?
  /// Whether its time is over.
  public let hasExpired: Bool
}
