import Vault

extension VaultError {
  /// How a command ends that met this error.
  var exitStatus: ExitStatus { .unavailable }
}
