import Vault

extension VaultError {
  /// How a command ends that met this error.
  var exitStatus: ExitStatus {
    switch self {
    case .file, .keyExists: .cannotCreate
    case .directoryInUse: .unavailable
    case .keyMissing, .keyLost, .unknownLock, .unknownSecret: .noInput
    case .keyReadable, .untrusted: .noPermission
    case .keyDamaged, .keyUnknown, .keyForeign, .damagedRows, .damagedLock, .lockRefused,
      .codeRefused, .toy, .scheduleTooLoose, .ownerLabel, .lockExists, .tooManySecrets,
      .tooManyOrigins, .tooManyRevocations:
      .badData
    case .database: .inputOutput
    case .schemaTooNew, .cryptography: .software
    case .hashMemory: .systemError
    }
  }
}
