import Foundation

/// The keys of a server: the newest seals, older ones only open what they sealed.
///
/// The file is `drawbolt-key-v1`, a line end, and one record a key: its number (u32, big-endian) and
/// 32 random bytes. It is readable by its owner only.
struct ServerKey: Sendable {
  private static let head = Array("drawbolt-key-v1\n".utf8)
  private static let recordBytes = 4 + Sodium.keyBytes
  private static let mostKeys = 16

  let path: String
  private var keys: [UInt32: [UInt8]]
  /// The number of the key that seals.
  private(set) var id: UInt32

  /// Makes the file with a first key.
  static func create(at path: String) throws(VaultError) {
    try Sodium.start()
    var contents = head + record(1, Sodium.random(Sodium.keyBytes))
    defer { Sodium.wipe(&contents) }
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty { try DataDirectory.make(folder) }
    try write(contents, to: path)
    try syncFolder(of: path)
  }

  /// Reads the file.
  init(at path: String, isCredential: Bool = false) throws(VaultError) {
    try Sodium.start()
    self.path = path
    var bytes = try Self.read(path, isCredential: isCredential)
    defer { Sodium.wipe(&bytes) }
    let body = bytes.count - Self.head.count
    guard body > 0, body % Self.recordBytes == 0, body / Self.recordBytes <= Self.mostKeys,
      bytes.starts(with: Self.head)
    else { throw .keyDamaged(path: path, byteCount: bytes.count) }
    keys = [:]
    id = 0
    for start in stride(from: Self.head.count, to: bytes.count, by: Self.recordBytes) {
      let number = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let key = Array(bytes[start + 4..<start + Self.recordBytes])
      guard number > 0, number < .max, keys[number] == nil, key.contains(where: { $0 != 0 }) else {
        throw .keyDamaged(path: path, byteCount: bytes.count)
      }
      keys[number] = key
      id = max(id, number)
    }
  }

  /// Whether the file holds the key of this number.
  func holds(_ id: UInt32) -> Bool { keys[id] != nil }

  /// The key of this number for one purpose; nil if the file does not hold it.
  func subkey(_ id: UInt32, for purpose: KeyPurpose) -> [UInt8]? {
    keys[id].map { Sodium.subkey(of: $0, purpose: purpose) }
  }

  /// What grants are signed with.
  var grantPair: (publicKey: [UInt8], secretKey: [UInt8]) {
    guard var seed = subkey(id, for: .grant) else {
      preconditionFailure("the newest key is in the ring")
    }
    defer { Sodium.wipe(&seed) }
    return Sodium.signingPair(seed: seed)
  }

  /// The ring with a newer key and, of the others, only those in use: its file was written.
  ///
  /// Rotations that failed half-way so leave no more keys than the file may hold.
  func addingKey(inUse: Set<UInt32>) throws(VaultError) -> ServerKey {
    var ring = self
    ring.keys = keys.filter { $0.key == id || inUse.contains($0.key) }
    ring.id = id + 1
    ring.keys[ring.id] = Sodium.random(Sodium.keyBytes)
    try ring.save()
    return ring
  }

  /// The ring with nothing but the newest key and those in use: its file was written.
  func forgettingOlder(inUse: Set<UInt32>) throws(VaultError) -> ServerKey {
    var ring = self
    ring.keys = keys.filter { $0.key == id || inUse.contains($0.key) }
    try ring.save()
    return ring
  }

  /// Writes a new file and puts it in the old one's place, so that a crash leaves one or the other.
  private func save() throws(VaultError) {
    var contents = Self.head
    for (number, key) in keys.sorted(by: { $0.key < $1.key }) {
      contents += Self.record(number, key)
    }
    defer { Sodium.wipe(&contents) }
    let fresh = path + ".new"
    unlink(fresh)
    try Self.write(contents, to: fresh, owner: Self.owner(of: path))
    guard rename(fresh, path) == 0 else {
      throw .file(path: path, doing: "replace", errno: errno)
    }
    try Self.syncFolder(of: path)
  }

  /// Whose the file is: a rotation by root must leave it readable by the server's user.
  private static func owner(of path: String) -> (user: uid_t, group: gid_t)? {
    var status = stat()
    return lstat(path, &status) == 0 ? (status.st_uid, status.st_gid) : nil
  }

  /// Puts the file's name on the disk: rows must not need a key that a power cut takes away.
  private static func syncFolder(of path: String) throws(VaultError) {
    let folder = (path as NSString).deletingLastPathComponent
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .file(path: folder, doing: "open the folder", errno: errno)
    }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw .file(path: folder, doing: "write the folder", errno: errno)
    }
  }

  private static func record(_ number: UInt32, _ key: [UInt8]) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
      + key
  }

  private static func write(
    _ bytes: [UInt8], to path: String, owner: (user: uid_t, group: gid_t)? = nil
  ) throws(VaultError) {
    guard let reason = PrivateFile.create(path, bytes, owner: owner) else { return }
    throw reason == EEXIST
      ? .keyExists(path: path) : .file(path: path, doing: "write the key", errno: reason)
  }

  private static func read(_ path: String, isCredential: Bool) throws(VaultError) -> [UInt8] {
    // Root's credentials name their one reader in an access list, whose mask stands as the group's.
    let file = PrivateFile(
      path: path, limit: head.count + mostKeys * recordBytes, mayBeShownByRoot: isCredential)
    do throws(PrivateFile.Failure) { return try file.read() } catch {
      switch error {
      case .missing: throw .keyMissing(path: path)
      case .unreadable(let errno): throw .file(path: path, doing: "read the key", errno: errno)
      case .noFile: throw .keyDamaged(path: path, byteCount: 0)
      case .foreign(let owner, let mode): throw .untrusted(path: path, owner: owner, mode: mode)
      case .readable(let mode): throw .keyReadable(path: path, mode: mode)
      }
    }
  }
}
