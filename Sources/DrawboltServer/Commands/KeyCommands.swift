import PadModel
import Vault

extension Command {
  static let keyCreate = Command(
    name: "key create", summary: "Make the server key, readable by its owner only.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let store = try store(arguments)
    try store.createKey()
    if store.hasData {
      console.print(
        "Warning: there are data in \(store.configuration.dataDirectory) already, which need the key "
          + "that they were sealed with.\n")
    }
    console.print("Made \(store.configuration.keyPath). Keep a copy of it apart from the data.\n")
  }

  static let keyShowID = Command(
    name: "key show-id", summary: "Print the number of the key in use.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let id = try store(arguments).administer { vault throws(VaultError) in vault.keyID }
    console.print("\(id)\n")
  }

  static let keyRotate = Command(
    name: "key rotate", summary: "Seal everything with a new key; codes stay as they are.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let id = try store(arguments).administer { vault throws(VaultError) in try vault.rotateKey() }
    console.print("Key \(id) is in use; restart a running server so that it reads it.\n")
  }
}
