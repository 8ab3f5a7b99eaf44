package import Foundation

/// A file with a secret, which nobody but its owner may read.
package struct PrivateFile {
  /// Why it is not read.
  package enum Failure: Error, Equatable, Sendable {
    /// It is not there.
    case missing
    /// The system refuses; `errno`.
    case unreadable(Int32)
    /// It is no plain file.
    case noFile
    /// It is somebody else's.
    case foreign(owner: UInt32, mode: UInt32)
    /// Others than its owner can read it.
    case readable(mode: UInt32)
  }

  private let path: String
  private let limit: Int
  private let mayBeShownByRoot: Bool

  /// Names a file of which at most one byte more than `limit` is read.
  ///
  /// Root may show a file of its own to its group with `mayBeShownByRoot`.
  package init(path: String, limit: Int, mayBeShownByRoot: Bool = false) {
    self.path = path
    self.limit = limit
    self.mayBeShownByRoot = mayBeShownByRoot
  }

  /// The bytes.
  package func read() throws(Failure) -> [UInt8] {
    // Without O_NONBLOCK, a pipe in the file's place would be waited for before it is refused.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .unreadable(errno) }
    defer { close(descriptor) }
    try check(descriptor)
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    defer { Sodium.wipe(&bytes) }
    let count = Foundation.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .unreadable(errno) }
    return Array(bytes[..<count])
  }

  private func check(_ descriptor: Int32) throws(Failure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .noFile }
    guard DataDirectory.isOwn(status) else {
      throw .foreign(owner: status.st_uid, mode: UInt32(status.st_mode & 0o7777))
    }
    let others: mode_t = mayBeShownByRoot && status.st_uid == 0 ? 0o037 : 0o077
    guard status.st_mode & others == 0 else {
      throw .readable(mode: UInt32(status.st_mode & 0o777))
    }
  }

  /// Makes the file with mode 0600; one that is there is left, one that can't be written wholly removed.
  ///
  /// - Returns: nil, or the `errno` of what failed.
  package static func create(
    _ path: String, _ bytes: [UInt8], owner: (user: uid_t, group: gid_t)? = nil
  ) -> Int32? {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    if let owner { _ = fchown(descriptor, owner.user, owner.group) }
    guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0
    else {
      let reason = errno
      unlink(path)
      return reason
    }
    return nil
  }
}
