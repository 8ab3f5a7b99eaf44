import CSQLite
import Foundation

extension VaultAdministration {
  /// Copies the database, and nothing else, into a new file that only its owner can read.
  ///
  /// Works while a server runs: the copy is one state of the database. It has no free pages, so nothing
  /// of what was revoked. Without the server key it opens nothing.
  ///
  /// - Throws: ``VaultError/backupExists(path:)`` or a storage error, after which no file is left.
  public func backUp(to path: String) throws(VaultError) {
    let made = Foundation.open(
      path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard made >= 0 else {
      throw errno == EEXIST
        ? .backupExists(path: path) : .file(path: path, doing: "make", errno: errno)
    }
    defer { close(made) }
    do throws(VaultError) {
      // An empty file is as good to it as none.
      try store.database.run("VACUUM INTO ?", [.text(path)])
      guard fsync(made) == 0, Restoration.syncFolder(of: path) else {
        throw .file(path: path, doing: "write", errno: errno)
      }
    } catch {
      unlink(path)
      throw error
    }
  }
}
