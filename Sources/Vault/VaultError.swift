public import PadModel

/// Why something about locks and secrets cannot be done.
///
/// No case holds a code, a key or anything derived from them.
public enum VaultError: Error, Equatable, Sendable {
  /// A file or folder cannot be used; `errno`.
  case file(path: String, doing: String, errno: Int32)
  /// A file or folder is somebody else's, or others may write to it.
  case untrusted(path: String, owner: UInt32, mode: UInt32)
  /// Another server works on the data directory.
  case directoryInUse(path: String)
  /// There is no server key.
  case keyMissing(path: String)
  /// There is no server key, but there are data that one sealed.
  case keyLost(path: String, directory: String)
  /// The key is another one than that which sealed the data.
  case keyForeign(path: String, directory: String)
  /// The key file exists and would be overwritten.
  case keyExists(path: String)
  /// Others than its owner can read the key file.
  case keyReadable(path: String, mode: UInt32)
  /// The key file is no key: wrong size or content.
  case keyDamaged(path: String, byteCount: Int)
  /// The database names a key that the key file does not have.
  case keyUnknown(path: String, id: UInt32)
  /// SQLite failed; its extended result code.
  case database(code: Int32, doing: String)
  /// The database was written by a newer program.
  case schemaTooNew(found: Int, known: Int)
  /// A backup is not written over a file that is there.
  case backupExists(path: String)
  /// A file is no whole database of this program.
  case backupDamaged(path: String)
  /// A file is a database in use, of which a part is in its log.
  case backupInUse(path: String)
  /// Rows that are sealed with a key don't open with it: they were edited.
  case damagedRows(lock: LockID, count: Int)
  /// A lock's row was edited, or none of its secrets opens with it.
  case damagedLock(LockID)
  /// There is no such lock.
  case unknownLock(LockID)
  /// There is such a lock already.
  case lockExists(LockID)
  /// The lock's minimum, pad or hash cost is not possible.
  case lockRefused(LockID)
  /// The lock has no secret of this number.
  case unknownSecret(lock: LockID, number: Int)
  /// The lock has as many enabled secrets as it may.
  case tooManySecrets(lock: LockID, limit: Int)
  /// A lock would list more origins than it may.
  case tooManyOrigins(lock: LockID, limit: Int)
  /// As many revoked tokens are remembered as may be.
  case tooManyRevocations(limit: Int)
  /// An administrator's name is none.
  case adminName(String)
  /// There is an administrator of that name.
  case adminExists(String)
  /// There is no administrator of that name.
  case unknownAdmin(String)
  /// There are as many administrators as may be.
  case tooManyAdmins(limit: Int)
  /// A code has fewer nodes than the lock's minimum, or one that is not on its pad; how many it has is
  /// nobody's business.
  case codeRefused(minimum: Int)
  /// The lock is easily guessed and was not declared a toy.
  case toy(reason: ToyReason)
  /// A schedule allows more guesses a day than may be.
  case scheduleTooLoose(guessesPerDay: Int, limit: Int)
  /// An owner's label is too long or has control characters.
  case ownerLabel(byteCount: Int, limit: Int)
  /// The library that hashes and seals does not start.
  case cryptography
  /// A hash needs more memory than there is.
  case hashMemory(bytes: Int)

  /// Why a lock is a toy.
  public enum ToyReason: Equatable, Sendable {
    /// Fewer than four nodes are enough.
    case shortCodes(minimum: Int)
    /// Its pad and rule allow too few codes.
    case fewCodes(limit: Int)
    /// A cancelled stroke is put before its secrets.
    case submitsOnCancel
  }
}

extension VaultError {
  /// One line for people: what happened, where, and what to do.
  public var message: String { message(at: "") }

  /// The same, with the options that say where the data are, each behind a blank, in the commands that
  /// it names.
  public func message(at place: String) -> String {
    switch self {
    case .file, .untrusted, .directoryInUse, .database, .schemaTooNew: storageMessage
    case .backupExists, .backupDamaged, .backupInUse: backupMessage
    case .keyMissing, .keyLost, .keyForeign, .keyExists, .keyReadable, .keyDamaged, .keyUnknown:
      keyMessage(at: place)
    case .toy, .scheduleTooLoose: guessMessage
    default: lockMessage(at: place)
    }
  }

  private var storageMessage: String {
    switch self {
    case .file(let path, let doing, let errno):
      "cannot \(doing) \(path): \(systemText(errno)); check its owner and mode"
    case .untrusted(let path, let owner, let mode):
      "\(path) can't be trusted (owner \(owner), mode \(String(mode, radix: 8))): it must be the "
        + "server's user's or root's, no link, and writable by its owner only"
    case .directoryInUse(let path):
      "another drawbolt serves from \(path); stop it or choose another --data-directory"
    case .database(let code, let doing):
      "the database failed (SQLite \(code)) while \(doing); check the disk's space and the file's mode"
    case .schemaTooNew(let found, let known):
      "the database has schema \(found), but this program knows \(known); use the newer program"
    default: "\(self)"
    }
  }

  private var backupMessage: String {
    switch self {
    case .backupExists(let path): "\(path) exists; name a file that does not"
    case .backupDamaged(let path):
      "\(path) is no whole backup; make backups with drawbolt backup and try an older one"
    case .backupInUse(let path):
      "\(path) is a database in use (\(path)-wal is beside it); copy it with drawbolt backup"
    default: "\(self)"
    }
  }

  private func keyMessage(at place: String) -> String {
    switch self {
    case .keyMissing(let path):
      "there is no server key at \(path); make one with drawbolt key create\(place)"
    case .keyLost(let path, let directory):
      "\(path) is missing, which the data in \(directory) were sealed with; restore it, or delete "
        + "\(directory) to start anew"
    case .keyForeign(let path, let directory):
      "\(path) is not the key that the data in \(directory) were sealed with; restore that one, or "
        + "delete \(directory) to start anew"
    case .keyExists(let path): "\(path) exists; a key is never overwritten"
    case .keyReadable(let path, let mode):
      "others may read the server key \(path) (mode \(String(mode, radix: 8))); run chmod 600 \(path)"
    case .keyDamaged(let path, let count):
      "\(path) is no server key (\(count) bytes); put the right file there"
    case .keyUnknown(let path, let id):
      "the database needs key \(id), which \(path) does not hold; put the right key file there"
    default: "\(self)"
    }
  }

  private var guessMessage: String {
    switch self {
    case .toy(.shortCodes(let minimum)):
      "codes of \(minimum) nodes are too easily guessed; --toy makes a lock that opens demos only"
    case .toy(.fewCodes(let limit)):
      "the pad allows fewer than \(limit) codes; --toy makes a lock that opens demos only"
    case .toy(.submitsOnCancel):
      "cancelled strokes are put before the secrets; choose --cancel discard, or --toy for a lock that opens demos only"
    case .scheduleTooLoose(let guesses, let limit):
      "the schedule allows \(guesses) guesses a day; at most \(limit) are allowed"
    default: "\(self)"
    }
  }

  private func lockMessage(at place: String) -> String {
    switch self {
    case .damagedRows(let lock, let count):
      "\(count) \(count == 1 ? "secret" : "secrets") of \(lock) changed outside drawbolt, so nothing is "
        + "done; revoke and enrol anew what should open"
    case .damagedLock(let lock):
      "\(lock) was edited outside drawbolt and can't be trusted; remove the lock and add it anew"
    case .unknownLock(let lock): "there is no lock \(lock); see drawbolt lock list\(place)"
    case .lockExists(let lock): "there is a lock \(lock) already"
    case .lockRefused(let lock):
      "\(lock) can't be added: choose a minimum, a grid and a width that its preset allows, and a lower hash cost"
    case .unknownSecret(let lock, let number):
      "\(lock) has no secret \(number); see drawbolt secret list \(lock)\(place)"
    case .tooManySecrets(let lock, let limit):
      "\(lock) has \(limit) secrets, as many as it may; revoke one or raise limits.secretsPerLock"
    case .tooManyOrigins(let lock, let limit):
      "\(lock) may list at most \(limit) origins; name fewer or raise limits.originsPerRoom"
    case .tooManyRevocations(let limit):
      "\(limit) revoked tokens are remembered, as many as may be; raise limits.revocations, or change "
        + "the key that signed them"
    case .adminName:
      "an administrator's name has 1 to 64 of a-z 0-9 - _ . with a letter or digit first"
    case .adminExists(let name): "there is an administrator \(name) already; revoke it first"
    case .unknownAdmin: "there is no administrator of that name"
    case .tooManyAdmins(let limit):
      "there are \(limit) administrators, as many as may be; revoke one or raise limits.admins"
    case .codeRefused(let minimum):
      "the code does not fit the lock: at least \(minimum) nodes of its pad"
    case .ownerLabel(let count, let limit):
      "the owner's name has \(count) bytes or control characters; at most \(limit) plain ones"
    case .cryptography: "libsodium does not start"
    case .hashMemory(let bytes): "hashing needs \(bytes) bytes of memory, which are not to be had"
    default: "\(self)"
    }
  }
}
