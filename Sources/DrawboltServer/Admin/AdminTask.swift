import Foundation
import Gestures
import PadModel
import Rooms
import Transport
import Vault

/// One request of an administrator, on the office's thread.
struct AdminTask {
  let vault: VaultAdministration
  let request: HTTPRequest
  let parameters: [String]
  let configuration: Configuration
  let actor: String

  private func change(_ event: RoomEvent, _ action: LockChange.Action) throws(AdminRefusal)
    -> AdminAnswer
  {
    guard let room = try? RoomName(parameters[0]) else { throw .notFound("room") }
    return .change(RoomChange(room: room, event: event, action: action, actor: actor))
  }

  private var lock: LockID {
    get throws(AdminRefusal) {
      guard let lock = try? LockID(parameters[0]) else { throw .notFound("lock") }
      return lock
    }
  }

  /// Does what is the vault's to do, and says what is the rooms'.
  func perform(_ task: AdminRoute.Task) throws(AdminRefusal) -> AdminAnswer {
    switch task {
    case .listLocks, .addLock, .showLock, .removeLock, .resetLock, .setMirror:
      .now(try performOnLocks(task))
    case .listSecrets, .addSecret, .revokeSecret, .endTrust: .now(try performOnSecrets(task))
    case .listAudit: .now(try entries(of: nil))
    case .listLockAudit: .now(try entries(of: try lock))
    case .listTokens: .now(try tokens())
    case .revokeToken: .now(try revokeToken())
    case .listRooms: .rooms
    case .closeRoom: try change(.closed(.roomClosed), .roomClosed)
    case .takePen: try change(.penWithdrawn, .penTaken)
    }
  }

  /// Runs a piece of administration, whose errors are told.
  private func administer<Result>(_ work: () throws(VaultError) -> Result) throws(AdminRefusal)
    -> Result
  {
    do throws(VaultError) { return try work() } catch { throw AdminRefusal(error) }
  }

  // MARK: - Locks

  private func performOnLocks(_ task: AdminRoute.Task) throws(AdminRefusal) -> HTTPResponse {
    switch task {
    case .listLocks:
      let (good, damaged) = try administer { () throws(VaultError) in try vault.locks() }
      return .answer(
        AdminView.Locks(locks: good.map(AdminView.Lock.init), damaged: damaged.map(\.text)))
    case .addLock:
      let lock = try NewLock(try AdminBody.read(request))
      try administer { () throws(VaultError) in try vault.addLock(lock) }
      return try show(lock.id, status: 201)
    case .removeLock:
      let lock = try lock
      try administer { () throws(VaultError) in try vault.removeLock(lock) }
    case .resetLock:
      let lock = try lock
      try administer { () throws(VaultError) in try vault.resetLock(lock) }
    case .setMirror:
      let (lock, body) = (try lock, try AdminBody.read(request) as AdminBody.Mirror)
      guard let mode = MirrorMode(rawValue: body.mirror) else {
        throw .invalid("mirror is \(MirrorMode.names).")
      }
      try administer { () throws(VaultError) in try vault.setMirror(mode, of: lock) }
    default: return try show(try lock, status: 200)
    }
    return .done
  }

  private func show(_ lock: LockID, status: Int) throws(AdminRefusal) -> HTTPResponse {
    let summary = try administer { () throws(VaultError) in try vault.lock(lock) }
    return .answer(AdminView.Lock(summary), status: status)
  }

  // MARK: - Secrets

  private func performOnSecrets(_ task: AdminRoute.Task) throws(AdminRefusal) -> HTTPResponse {
    let lock = try lock
    switch task {
    case .addSecret: return try addSecret(to: lock)
    case .revokeSecret, .endTrust:
      guard let number = Int(parameters[1]), "\(number)" == parameters[1] else {
        throw .notFound("secret")
      }
      try administer { () throws(VaultError) in
        task == .endTrust
          ? try vault.endTrust(lock: lock, number: number)
          : try vault.revokeSecret(lock: lock, number: number)
      }
      return .done
    default:
      let secrets = try administer { () throws(VaultError) in try vault.secrets(of: lock) }
      return .answer(AdminView.Secrets(secrets: secrets.map(AdminView.Secret.init)))
    }
  }

  private func addSecret(to id: LockID) throws(AdminRefusal) -> HTTPResponse {
    let body: AdminBody.NewSecret = try AdminBody.read(request)
    let lock = try administer { () throws(VaultError) in try vault.lock(id) }
    let code: Path
    do throws(GesturesError) { code = try PathText(for: lock.pad).parse(body.code) } catch {
      throw .invalid("code: \(error.message)")
    }
    if body.allowWeak != true, let objection = CodeStrength.objection(to: code, at: lock) {
      throw .invalid("\(objection); allowWeak takes it")
    }
    let secret = NewSecret(
      lock: id, nodes: code.nodes, owner: body.owner ?? "",
      expires: try Self.positive(body.expiresInSeconds, "expiresInSeconds", upTo: Self.longestLife)
        .map { Int64(Date().timeIntervalSince1970) + Int64($0) },
      uses: try Self.positive(body.uses, "uses", upTo: NewSecret.mostUses))
    let number = try administer { () throws(VaultError) in try vault.addSecret(secret) }
    return .answer(
      AdminView.SecretNumber(number: number, advice: CodeStrength.advice(on: code, at: lock)),
      status: 201)
  }

  /// A hundred years, in seconds.
  static let longestLife = 100 * 365 * 86_400

  private static func positive(_ number: Int?, _ name: String, upTo most: Int)
    throws(AdminRefusal) -> Int?
  {
    guard let number else { return nil }
    guard (1...most).contains(number) else { throw .invalid("\(name) is 1 to \(most).") }
    return number
  }

  // MARK: - Audit and tokens

  private func entries(of lock: LockID?) throws(AdminRefusal) -> HTTPResponse {
    let page = try AuditPage(request.query)
    let entries = try administer { () throws(VaultError) in
      try vault.audit(of: lock, before: page.before, limit: page.limit)
    }
    return .answer(AdminView.Entries(entries: entries.map(AdminView.Entry.init)))
  }

  private func tokens() throws(AdminRefusal) -> HTTPResponse {
    let revoked = try administer { () throws(VaultError) in try vault.revocations() }
    return .answer(
      AdminView.Tokens(
        keys: configuration.tokenKeys.map(AdminView.Key.init),
        revoked: revoked.map { AdminView.Revoked(id: $0.token, until: $0.expires) }))
  }

  private func revokeToken() throws(AdminRefusal) -> HTTPResponse {
    let body: AdminBody.Revocation = try AdminBody.read(request)
    guard TokenClaims.isText(body.id) else { throw .invalid("id is no token's number.") }
    let life = TokenKey.allowedLives.upperBound.components.seconds
    let expires = Int64(Date().timeIntervalSince1970) + life
    try administer { () throws(VaultError) in try vault.revokeToken(body.id, expires: expires) }
    return .done
  }
}
