import Foundation

/// The folder of the database.
public enum DataDirectory {
  /// Makes the folder with mode 0700 if it is missing.
  package static func make(_ path: String) throws(VaultError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o700) != 0 && errno != EEXIST {
        throw .file(path: made, doing: "make the folder", errno: errno)
      }
    }
  }

  /// Refuses a folder in which others could put files in the place of ours.
  ///
  /// Root works on the folders of any user, such as a service's.
  package static func check(_ path: String) throws(VaultError) {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      throw .file(path: path, doing: "look at", errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR, isTrusted(status) else {
      throw .untrusted(path: path, status)
    }
  }

  /// Whether nobody but root and the process's user may write it.
  static func isTrusted(_ status: stat) -> Bool {
    status.st_mode & 0o022 == 0 && isOwn(status)
  }

  /// Whether it is nobody's but the process's user's and root's; all is root's own.
  static func isOwn(_ status: stat) -> Bool {
    status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0
  }

  /// Makes the folder if it is missing and keeps other servers away from it.
  ///
  /// - Throws: ``VaultError/directoryInUse(path:)`` if one works there already.
  public static func lock(_ path: String) throws(VaultError) -> DataDirectoryLock {
    try make(path)
    try check(path)
    let file = path + "/lock"
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .file(path: file, doing: "write", errno: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      close(descriptor)
      throw reason == EWOULDBLOCK
        ? .directoryInUse(path: path) : .file(path: file, doing: "lock", errno: reason)
    }
    return DataDirectoryLock(descriptor: descriptor)
  }
}

/// Keeps other servers away from a data directory until it is released or the process ends.
public struct DataDirectoryLock: Sendable {
  fileprivate let descriptor: Int32

  /// Lets others in.
  public func release() { close(descriptor) }
}

extension VaultError {
  /// The refusal of what is there.
  static func untrusted(path: String, _ status: stat) -> VaultError {
    .untrusted(path: path, owner: status.st_uid, mode: UInt32(status.st_mode & 0o7777))
  }
}
