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

  /// Makes the folder if it is missing and keeps other servers away from it.
  ///
  /// - Throws: ``VaultError/directoryInUse(path:)`` if one works there already.
  public static func lock(_ path: String) throws(VaultError) -> DataDirectoryLock {
    try make(path)
    let file = path + "/lock"
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
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
