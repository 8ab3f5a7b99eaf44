import Foundation
import PadModel
import Vault
import Wire

extension Command {
  static let grantVerify = Command(
    name: "grant verify",
    summary: "Say whether a grant on standard input opens a lock, or why it does not.",
    details: """
      For devices that can start a program: KEY is the grantKey of their welcome, as ID:KEY, and NONCE the
      number that they claimed the offer with. That a grant is taken once is theirs to see to, by
      forgetting its nonce. Ends with status 0 if it opens and 65 if it does not.
      """,
    options: [
      Option(name: "key", value: "ID:KEY", help: "The key that must have signed it."),
      Option(name: "lock", value: "LOCK", help: "The device's own lock."),
      Option(name: "audience", value: "MEMBER", help: "Its own member id, such as m3."),
      Option(name: "nonce", value: "NONCE", help: "What it claimed the offer with."),
      Option(
        name: "age", value: "TIME",
        help: "How long ago it made the nonce, by a clock that nobody sets; such as 800ms."),
      Option(name: "demo", value: nil, help: "Open for demonstrations too."),
    ]
  ) { arguments, console throws(CommandFailure) in
    let wanted = try GrantWish(arguments)
    do throws(VaultError) { try Sodium.start() } catch {
      throw CommandFailure(error.exitStatus, error.message)
    }
    guard let text = console.readInput() else {
      throw CommandFailure(.noInput, "no grant came on standard input")
    }
    if let objection = wanted.objection(to: try grant(text)) {
      throw CommandFailure(.badData, "the grant does not open: \(objection)")
    }
    console.print("The grant opens \(wanted.lock).\n")
  }

  private static func grant(_ text: String) throws(CommandFailure) -> Grant {
    var decoder = ServerMessageDecoder()
    do throws(WireError) {
      let message = try decoder.decode(Array(text.utf8), isText: true, format: .json)
      if case .grant(let grant) = message { return grant }
    } catch {
      throw CommandFailure(.badData, "standard input is no message of the protocol: \(error)")
    }
    throw CommandFailure(.badData, "the message on standard input is no grant")
  }
}

/// The grant that a device waits for.
struct GrantWish {
  let key: GrantKey
  let lock: LockID
  let audience: MemberID
  let nonce: GrantNonce
  let age: Duration
  let acceptsDemo: Bool

  /// How old a nonce may be when its grant comes.
  static let nonceLife = Duration.seconds(5)

  fileprivate init(_ arguments: Arguments) throws(CommandFailure) {
    key = try Self.required("key", "a number, a colon and 43 letters", arguments, Self.key)
    lock = try Self.required("lock", "a lock's id", arguments) { try? LockID($0) }
    audience = try Self.required("audience", "a member's id", arguments) { try? MemberID($0) }
    nonce = try Self.required("nonce", "32 hexadecimal digits", arguments) {
      try? GrantNonce(hexadecimal: $0)
    }
    age =
      arguments.has("age")
      ? try Self.required("age", "a time like 800ms", arguments, DurationText.parse) : .zero
    acceptsDemo = arguments.has("demo")
  }

  private static func required<Value>(
    _ name: String, _ form: String, _ arguments: Arguments, _ read: (String) -> Value?
  ) throws(CommandFailure) -> Value {
    guard let text = arguments[name] else {
      throw CommandFailure(.usage, "--\(name) is missing; see drawbolt grant verify --help")
    }
    guard let value = read(text) else {
      throw CommandFailure(.usage, "--\(name) is \(quoted(text)), but must be \(form)")
    }
    return value
  }

  private static func key(_ text: String) -> GrantKey? {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let id = UInt32(parts[0]),
      let bytes = Base64URL.decode(String(parts[1])), bytes.count == 32
    else { return nil }
    return GrantKey(id: id, publicKey: bytes)
  }

  /// Why the grant does not open; nil if it does.
  func objection(to grant: Grant) -> String? {
    if grant.lock != lock { return "it is for the lock \(grant.lock)" }
    if grant.audience != audience { return "it is for another actuator, \(grant.audience)" }
    if grant.nonce != nonce { return "it answers another claim" }
    if age >= Self.nonceLife { return "its nonce is older than \(Self.nonceLife)" }
    if grant.isDemo, !acceptsDemo { return "it is a demonstration; --demo takes those" }
    return grant.isSigned(by: key) ? nil : "the key did not sign it"
  }
}
