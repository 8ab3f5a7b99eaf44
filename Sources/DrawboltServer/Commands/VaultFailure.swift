import Vault

extension VaultError {
  /// How a command ends that met this error.
  var exitStatus: ExitStatus {
    switch self {
    case .file, .keyExists, .backupExists: .cannotCreate
    case .adminName: .usage
    case .directoryInUse, .backupInUse: .unavailable
    case .keyMissing, .keyLost, .unknownLock, .unknownSecret, .unknownAdmin: .noInput
    case .keyReadable, .untrusted: .noPermission
    case .keyDamaged, .keyUnknown, .keyForeign, .damagedRows, .damagedLock, .lockRefused,
      .codeRefused, .toy, .scheduleTooLoose, .ownerLabel, .lockExists, .tooManySecrets,
      .tooManyOrigins, .tooManyRevocations, .tooManyAdmins, .adminExists, .backupDamaged:
      .badData
    case .database: .inputOutput
    case .schemaTooNew, .cryptography: .software
    case .hashMemory: .systemError
    }
  }
}
