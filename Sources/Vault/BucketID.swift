public import PadModel

/// Whom failures are counted against, as the audit tells it.
enum BucketKind: Int64 {
  /// All who draw at the lock without being known.
  case strangers = 0
  /// The devices that a secret's owner has opened with before.
  case trusted = 1
  /// One pad that many people use.
  case sharedPad = 2
}

/// One of a lock's buckets.
///
/// A secret has one for all its devices, however many they are: each would be another twenty guesses
/// otherwise.
public struct BucketID: Hashable, Sendable {
  let kind: BucketKind
  /// The secret's number, or what a pad's name comes to in 56 bits; 0 for strangers.
  let holder: Int64

  private static let holderBits = 56

  private init(_ kind: BucketKind, _ holder: Int64) {
    self.kind = kind
    self.holder = holder
  }

  /// All who draw at the lock without being known.
  public static let strangers = BucketID(.strangers, 0)

  static func trusted(_ secret: Int) -> BucketID { BucketID(.trusted, Int64(secret)) }

  /// A pad's own; two pads whose names come to the same would share it, which is safe.
  static func sharedPad(_ name: String) -> BucketID {
    let digest = Sodium.digest(Array("drawbolt-shared-pad\0\(name)".utf8))
    let number = digest.prefix(holderBits / 8).reduce(0) { $0 << 8 | Int64($1) }
    return BucketID(.sharedPad, number)
  }

  /// Reads the columns of a row; nil if they are none of ours.
  init?(kind: Int64, holder: Int64) {
    guard let kind = BucketKind(rawValue: kind), (0..<1 << Self.holderBits).contains(holder),
      kind != .strangers || holder == 0
    else { return nil }
    self.init(kind, holder)
  }

  /// One number for both, opaque to whoever carries it.
  public var number: UInt64 { UInt64(kind.rawValue) << Self.holderBits | UInt64(holder) }

  /// Reads what ``number`` gave.
  public init?(number: UInt64) {
    let holder = number & (1 << Self.holderBits - 1)
    self.init(kind: Int64(number >> Self.holderBits), holder: Int64(holder))
  }

  /// The secret whose devices it is of.
  var secret: Int? { kind == .trusted ? Int(holder) : nil }
}

/// A bucket and where it stands.
public struct BucketStanding: Equatable, Sendable {
  /// Which it is.
  public let id: BucketID
  /// Where it stands.
  public let reading: BucketReading
}

/// Who draws, as far as somebody vouches for it.
public enum Drawer: Equatable, Sendable, Redacted {
  /// Nobody does.
  case stranger
  /// A device that says it opened the lock before.
  case device(TokenDigest)
  /// A pad that many people use, by the name in its token: it never earns trust.
  case sharedPad(String)
}
