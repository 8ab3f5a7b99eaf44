import Foundation
import PadModel
import Vault

/// The data directory and the key, as commands open them.
struct DataStore {
  let configuration: Configuration
  /// The options that say where it is, for the commands that messages name.
  private let place: String

  /// - Throws: a configuration failure if the key lies where the data are.
  init(_ configuration: Configuration, place: String) throws(CommandFailure) {
    do throws(ConfigurationError) { try configuration.checkKeyPlace() } catch {
      throw CommandFailure(.configuration, error.message)
    }
    self.configuration = configuration
    self.place = place
  }

  var vaultConfiguration: VaultConfiguration {
    var vault = VaultConfiguration(
      directory: configuration.dataDirectory, keyPath: configuration.keyPath)
    vault.limits = configuration.limits
    vault.hashCost = HashCost(
      memory: configuration.hashMebibytes << 20, passes: configuration.hashPasses)
    vault.keyIsCredential = configuration.keyIsCredential
    return vault
  }

  /// Makes sure that no other server works on the directory.
  func lockDirectory() throws(CommandFailure) -> DataDirectoryLock {
    do { return try DataDirectory.lock(configuration.dataDirectory) } catch { throw failure(error) }
  }

  /// Opens the vault; with `--dev`, makes the key and the demo lock where they are missing.
  func openVault(log: Log) throws(CommandFailure) -> Vault {
    try makeDemoKey()
    do throws(VaultError) {
      let administration = try VaultAdministration.open(vaultConfiguration)
      if configuration.dev {
        if try administration.ensureDemoLock() {
          log(.demoReady(lock: VaultAdministration.demoLock))
        }
      } else if try administration.hasDemoLock {
        log(.demoClosed(lock: VaultAdministration.demoLock))
      }
      return try Vault.open(vaultConfiguration)
    } catch {
      throw failure(error)
    }
  }

  /// Opens the office of administrators who work over HTTP; nil where that is off.
  func openOffice() throws(CommandFailure) -> AdminOffice? {
    guard configuration.adminAPI == .on else { return nil }
    do throws(VaultError) { return try AdminOffice(vaultConfiguration) } catch {
      throw failure(error)
    }
  }

  /// Whether there are data, which only the key that they were sealed with opens.
  var hasData: Bool { vaultConfiguration.hasData }

  /// Makes the key of `--dev` where it is missing, but never another one for data that are there.
  private func makeDemoKey() throws(CommandFailure) {
    let isThere = FileManager.default.fileExists(atPath: configuration.keyPath)
    if configuration.dev, !isThere, !hasData { try createKey() }
  }

  /// Runs one piece of administration, which works while a server runs too.
  func administer<Result>(
    _ work: (VaultAdministration) throws(VaultError) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(VaultError) {
      return try work(try VaultAdministration.open(vaultConfiguration))
    } catch {
      throw failure(error)
    }
  }

  /// The same for what needs no database.
  func createKey() throws(CommandFailure) {
    do throws(VaultError) {
      try VaultAdministration.createKey(at: configuration.keyPath)
    } catch {
      throw failure(error)
    }
  }

  func failure(_ error: VaultError) -> CommandFailure {
    CommandFailure(error.exitStatus, error.message(at: place))
  }
}
