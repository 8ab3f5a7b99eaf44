public import PadModel

/// What a room is made with.
public struct RoomSettings: Equatable, Sendable {
  /// What the room is called.
  public var name: RoomName
  /// Whether it is a board or a lock's room.
  public var kind: RoomKind
  /// The pad that is drawn on.
  public var pad: Pad
  /// The limits in force.
  public var limits: Limits

  /// Makes settings.
  public init(name: RoomName, kind: RoomKind, pad: Pad, limits: Limits = .standard) {
    self.name = name
    self.kind = kind
    self.pad = pad
    self.limits = limits
  }
}

/// What a room is for.
public enum RoomKind: Equatable, Sendable {
  /// It mirrors only and checks nothing.
  case board
  /// It has a lock, whose policy this is.
  case lock(LockPolicy)
}

/// What a room must know of its lock; it never knows a secret.
public struct LockPolicy: Equatable, Sendable {
  /// How strokes are shown to those who did not draw them.
  public var mirror: MirrorMode
  /// Fewer nodes than this are too short: not checked, not counted.
  public var minimumNodes: Int
  /// Where the lock's buckets stand; one that is missing has no failures.
  public var buckets: [BucketKey: BucketStatus]

  /// Makes a policy.
  public init(
    mirror: MirrorMode, minimumNodes: Int, buckets: [BucketKey: BucketStatus] = [:]
  ) {
    self.mirror = mirror
    self.minimumNodes = minimumNodes
    self.buckets = buckets
  }
}

/// Whom a lock's failures are counted against; opaque to the room.
public struct BucketKey: Hashable, Sendable {
  /// The number by which whoever makes buckets knows it.
  public var number: UInt64

  /// Makes a key.
  public init(_ number: UInt64) { self.number = number }

  /// A lock's strangers together.
  public static let strangers = BucketKey(0)
}

/// A bucket and where it stands.
public struct BucketHome: Equatable, Sendable {
  /// Which it is.
  public var key: BucketKey
  /// Where it stands.
  public var status: BucketStatus

  /// Makes a value.
  public init(_ key: BucketKey, _ status: BucketStatus) {
    self.key = key
    self.status = status
  }
}

/// Where a bucket stands.
public struct BucketStatus: Equatable, Sendable {
  /// Failures counted against it.
  public var failures: Int
  /// When the next attempt may be made; in the past if it may be made now.
  public var retryAt: Instant

  /// Makes a status.
  public init(failures: Int = 0, retryAt: Instant = .zero) {
    self.failures = failures
    self.retryAt = retryAt
  }

  /// A bucket without failures.
  public static let clean = BucketStatus()
}
