import PadModel
import Vault

extension Command {
  static let backup = Command(
    name: "backup", operands: "FILE",
    summary: "Copy the database into a new file; works while a server runs.",
    details: """
      The server key is not in it: keep a copy of that elsewhere, since neither opens anything without
      the other.
      """,
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let file = try arguments.onlyWord("FILE")
    let store = try store(arguments)
    guard store.hasData else {
      throw CommandFailure(.noInput, "there are no data in \(store.configuration.dataDirectory)")
    }
    try store.administer { vault throws(VaultError) in try vault.backUp(to: file) }
    console.print("Copied the database to \(file).\n")
  }

  static let restore = Command(
    name: "restore", operands: "FILE",
    summary: "Put a backup in the place of the database, while no server runs.",
    details: """
      Failures are never fewer than now and every delay begins anew; revoked tokens stay revoked. If codes
      come alive again that do not open now, they are listed, and nothing is done without --yes.
      """,
    options: ConfigurationOptions.forData + [
      Option(name: "yes", value: nil, help: "Restore although codes come alive again.")
    ]
  ) { arguments, console throws(CommandFailure) in
    let file = try arguments.onlyWord("FILE")
    let store = try store(arguments)
    let lock = try store.lockDirectory()
    defer { lock.release() }
    let restoration = try store.restoration(from: file)
    let revived = restoration.revived
    if !revived.isEmpty {
      let rows = revived.map { ["\($0.lock)", "\($0.number)", quoted($0.owner)] }
      console.print("These codes open again:\n" + table(["LOCK", "SECRET", "OWNER"], rows))
      guard arguments.has("yes") else {
        throw CommandFailure(
          .badData, "nothing was done; add --yes to restore, and revoke what should not open")
      }
    }
    try store.commit(restoration)
    console.print("Restored \(restoration.locks) \(restoration.locks == 1 ? "lock" : "locks").\n")
  }
}

extension DataStore {
  fileprivate func restoration(from file: String) throws(CommandFailure) -> Restoration {
    do throws(VaultError) {
      return try Restoration.prepare(vaultConfiguration, from: file)
    } catch {
      throw failure(error)
    }
  }

  fileprivate func commit(_ restoration: Restoration) throws(CommandFailure) {
    do throws(VaultError) { try restoration.commit() } catch { throw failure(error) }
  }
}
