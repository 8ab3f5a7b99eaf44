import Foundation
import PadModel
import Vault

extension Command {
  static let adminAdd = Command(
    name: "admin add", operands: "NAME",
    summary: "Make an administrator's token for the HTTP interface; it is printed once.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let name = try arguments.onlyWord("NAME")
    let token = try store(arguments).administer { vault throws(VaultError) in
      try vault.addAdmin(name)
    }
    console.print("\(token.text)\n")
  }

  static let adminList = Command(
    name: "admin list", summary: "List the administrators of the HTTP interface.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let admins = try store(arguments).administer { vault throws(VaultError) in try vault.admins() }
    guard !admins.isEmpty else { return console.print("There is no administrator.\n") }
    let rows = admins.map {
      [$0.name, Date(timeIntervalSince1970: Double($0.created)).formatted(.iso8601)]
    }
    console.print(table(["ADMIN", "ADDED"], rows))
  }

  static let adminRevoke = Command(
    name: "admin revoke", operands: "NAME",
    summary: "End what an administrator's token gives, at once.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let name = try arguments.onlyWord("NAME")
    try store(arguments).administer { vault throws(VaultError) in try vault.revokeAdmin(name) }
    console.print("Revoked \(name).\n")
  }

  static let lockMirror = Command(
    name: "lock mirror", operands: "LOCK MODE",
    summary: "Show strokes as stealth or open from now on; its room is closed for its members.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let id = try lockID(arguments)
    let text = try wordAt(1, arguments, "MODE")
    guard arguments.words.count == 2, let mode = MirrorMode(rawValue: text) else {
      throw CommandFailure(.usage, "MODE is \(MirrorMode.names)")
    }
    try store(arguments).administer { vault throws(VaultError) in try vault.setMirror(mode, of: id)
    }
    console.print("\(id) shows strokes as \(mode.rawValue).\n")
  }
}
