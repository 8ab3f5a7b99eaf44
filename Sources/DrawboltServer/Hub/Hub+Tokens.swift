import PadModel
import Transport
import Vault

/// Who comes in by a token, and goes when it ends.
extension Hub {
  /// How often ended tokens are looked for, in milliseconds: their members must be gone within a
  /// second, and the wall clock may be set.
  private static let passInterval = 500

  /// The hello as its token allows it; nil if it doesn't, which the client was told.
  func vouched(_ hello: Hello, by session: Session) -> Hello? {
    let rules = service.vault.entryRules
    do throws(TokenError) {
      guard let pass = try service.door.pass(for: hello, by: rules, at: service.wall.now) else {
        return hello
      }
      session.pass = Pass(
        token: pass.id, expires: pass.expires, sharedPad: pass.isShared ? pass.subject : nil)
      keep(session)
      var hello = hello
      hello.token = nil
      hello.name = pass.name ?? hello.name
      return hello
    } catch {
      service.log(.tokenRefused(error))
      refuse(session, .badToken, error == .notTaken ? Self.noTokens : Self.badToken)
      return nil
    }
  }

  /// Whether the page that opened the connection may join the room.
  func comesFromWhereItMay(_ session: Session, to room: RoomName) -> Bool {
    service.door.admits(
      origin: session.origin, to: room, by: service.vault.entryRules,
      own: loop.configuration.names(of: .site).origins)
  }

  func mayConnect(fromOrigin origin: String) -> Bool {
    service.door.knows(origin: origin, by: service.vault.entryRules)
  }

  /// One text for every token that does not count, so that it tells nothing of why.
  private static let badToken = "a good token for this room and role is needed"
  private static let noTokens = "this server takes no tokens"

  private func keep(_ session: Session) {
    guard let pass = session.pass else { return }
    if firstPassEnd == .max { passTimer.arm(afterMilliseconds: Self.passInterval) }
    firstPassEnd = min(firstPassEnd, pass.expires)
  }

  /// Sends away whose tokens have ended.
  ///
  /// Nothing is queued for each connection, since a token may live for a year and come back as often as
  /// it likes; all are looked through when the first one ends.
  func endPasses() {
    let wall = service.wall.now
    if wall >= firstPassEnd {
      firstPassEnd = .max
      for session in Array(sessions.values) {
        guard let pass = session.pass else { continue }
        if pass.expires > wall {
          firstPassEnd = min(firstPassEnd, pass.expires)
        } else {
          sendAway(session, "the token has expired")
        }
      }
    }
    if firstPassEnd != .max { passTimer.arm(afterMilliseconds: Self.passInterval) }
  }

  /// Sends away whose tokens were revoked.
  func endRevoked() {
    let revoked = service.vault.entryRules.revoked
    guard !revoked.isEmpty else { return }
    for session in Array(sessions.values) {
      guard let pass = session.pass, revoked.contains(pass.token) else { continue }
      sendAway(session, "the token was revoked")
    }
  }

  private func sendAway(_ session: Session, _ text: String) {
    if case .closing = session.stage { return }
    refuse(session, .badToken, text)
  }
}

/// What a session's token gave, of which nothing else is kept.
struct Pass {
  /// The token's own number.
  let token: String
  /// The second since 1970 in which it ends.
  let expires: Int64
  /// The name of a pad that many use; nil if it is nobody's but one person's.
  let sharedPad: String?
}
