import PadModel
import Synchronization
import Transport
import Vault

/// The HTTP interface of administrators, for all loops of the process.
///
/// A loop hands it a request and goes on; the office's thread finds the answer.
final class AdminAPI: Sendable {
  /// Which requests may have bodies, how long, and for how long they are waited for.
  static let bodies = BodyRule(prefix: AdminRoute.root + "/")
  static let documentPath = AdminRoute.root + "/openapi.json"

  let configuration: Configuration
  private let office: AdminOffice
  private let wrongTokens = Mutex(WrongTokens())
  private let clock = SystemClock()

  init(_ configuration: Configuration, office: AdminOffice) {
    self.configuration = configuration
    self.office = office
  }

  /// Finds the answer; `reply` is called once, on the office's thread.
  func take(_ request: HTTPRequest, reply: @escaping @Sendable (AdminAnswer) -> Void) {
    let isOpen = office.submit { [self] vault in reply(answer(request, vault)) }
    if !isOpen { reply(.now(AdminRefusal.failed("The server is stopping.").response)) }
  }

  /// Has the audit know what was done to a room.
  func note(_ change: RoomChange) {
    _ = office.submit { vault in
      vault.actor = .admin(change.actor)
      // Done it is; a storage that fails is heard of by those who draw.
      try? vault.note(change.action, room: change.room)
    }
  }

  private func answer(_ request: HTTPRequest, _ vault: VaultAdministration) -> AdminAnswer {
    do throws(AdminRefusal) {
      let actor = try administrator(of: request, vault)
      let (route, parameters) = try AdminRoute.find(request)
      vault.actor = .admin(actor)
      let task = AdminTask(
        vault: vault, request: request, parameters: parameters, configuration: configuration,
        actor: actor)
      return try task.perform(route.task)
    } catch {
      return .now(error.response)
    }
  }

  /// Who asks.
  private func administrator(of request: HTTPRequest, _ vault: VaultAdministration)
    throws(AdminRefusal) -> String
  {
    let (address, now) = (request.peer.limitKey, clock.read().boot)
    if let wait = wrongTokens.withLock({ $0.wait(of: address, at: now) }) {
      throw .tooManyTokens(retryAfter: Int(wait.components.seconds) + 1)
    }
    let name: String?
    do throws(VaultError) {
      name = try Self.token(request.authorization).flatMap { token throws(VaultError) in
        try vault.admin(with: token)
      }
    } catch {
      throw AdminRefusal(error)
    }
    if let name { return name }
    // Who shows none has guessed nothing.
    if request.authorization != nil { wrongTokens.withLock { $0.note(address, at: now) } }
    throw .unauthorized
  }

  private static func token(_ authorization: String?) -> BearerToken? {
    let parts = (authorization ?? "").split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return BearerToken(String(parts[1]))
  }

  /// Ends the office's thread.
  func close() { office.close() }
}
