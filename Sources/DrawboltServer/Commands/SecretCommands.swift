import Foundation
import Gestures
import PadModel
import Vault

extension Command {
  static let secretAdd = Command(
    name: "secret add", operands: "LOCK",
    summary: "Enrol a code, read from standard input.",
    details: """
      The code is one line such as 2-5-8-9-6-3, with nodes counted from 1 row by row, or the pad drawn
      in text with the order of the nodes and dots elsewhere. At a terminal it is asked for twice and
      not shown.
      """,
    options: ConfigurationOptions.forData + [
      Option(name: "owner", value: "NAME", help: "Whose code it is."),
      Option(name: "expires", value: "DURATION", help: "How long it is good, such as 12h or 30d."),
      Option(name: "uses", value: "N", help: "How often it opens."),
      Option(
        name: "allow-weak", value: nil, help: "Take a popular or very simple code all the same."),
    ]
  ) { arguments, console throws(CommandFailure) in
    let id = try lockID(arguments)
    let store = try store(arguments)
    let lock = try store.administer { vault throws(VaultError) in try vault.lock(id) }
    // Nobody is asked for a code that the other words don't let through.
    let expires = try expiry(arguments)
    let uses =
      arguments.has("uses")
      ? try arguments.integer("uses", in: 1...NewSecret.mostUses, default: 1) : nil
    let code = try readCode(for: lock, arguments, console)
    let secret = NewSecret(
      lock: id, nodes: code.nodes, owner: arguments["owner"] ?? "", expires: expires, uses: uses)
    let number = try store.administer { vault throws(VaultError) in try vault.addSecret(secret) }
    console.print("Enrolled secret \(number) of \(id).\n")
    if let advice = CodeStrength.advice(on: code, at: lock) { console.print("\(advice)\n") }
  }

  static let secretList = Command(
    name: "secret list", operands: "LOCK", summary: "List a lock's secrets, never their codes.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let id = try lockID(arguments)
    let secrets = try store(arguments).administer { vault throws(VaultError) in
      try vault.secrets(of: id)
    }
    guard !secrets.isEmpty else { return console.print("\(id) has no secret.\n") }
    let rows = secrets.map { secret in
      [
        "\(secret.number)", secret.owner.isEmpty ? "-" : quoted(secret.owner),
        secret.expires.map { Date(timeIntervalSince1970: Double($0)).formatted(.iso8601) }
          .map { secret.hasExpired ? "\($0) (expired)" : $0 } ?? "never",
        secret.usesLeft.map { $0 > 0 ? "\($0)" : "\($0) (used up)" } ?? "unlimited",
      ]
    }
    console.print(table(["SECRET", "OWNER", "EXPIRES", "USES LEFT"], rows))
  }

  static let secretRevoke = Command(
    name: "secret revoke", operands: "LOCK SECRET",
    summary: "Delete a secret; a running server refuses it at once.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let id = try lockID(arguments, word: 0)
    let text = try wordAt(1, arguments, "SECRET")
    guard arguments.words.count == 2, let number = Int(text) else {
      throw CommandFailure(
        .usage, "SECRET is a number from drawbolt secret list \(id)\(arguments.place)")
    }
    try store(arguments).administer { vault throws(VaultError) in
      try vault.revokeSecret(lock: id, number: number)
    }
    console.print("Revoked secret \(number) of \(id).\n")
  }

  /// Reads the code, at a terminal twice, and refuses what is too easily guessed.
  private static func readCode(
    for lock: LockSummary, _ arguments: Arguments, _ console: Console
  ) throws(CommandFailure) -> Path {
    let pad = lock.pad
    let code = try CodeInput.read(for: pad, console: console)
    if console.isInteractive {
      console.print("\nOnce more.\n")
      guard try CodeInput.read(for: pad, console: console) == code else {
        throw CommandFailure(.badData, "the two codes differ; nothing was enrolled")
      }
      console.print("\n")
    }
    guard code.count >= lock.minimumNodes else {
      throw CommandFailure(.badData, "the code is shorter than \(lock.minimumNodes) nodes")
    }
    if !arguments.has("allow-weak"), let objection = CodeStrength.objection(to: code, at: lock) {
      throw CommandFailure(.badData, "\(objection); --allow-weak takes it")
    }
    return code
  }

  /// The second of the wall clock at which the secret ends.
  private static func expiry(_ arguments: Arguments) throws(CommandFailure) -> Int64? {
    guard let text = arguments["expires"] else { return nil }
    guard let duration = DurationText.parse(text), duration > .zero else {
      throw CommandFailure(.usage, "--expires is \(text), but must be like 12h or 30d")
    }
    return Int64(Date().timeIntervalSince1970) + duration.components.seconds
  }
}
