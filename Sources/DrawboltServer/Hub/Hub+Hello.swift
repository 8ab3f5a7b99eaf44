import PadModel
import Rooms
import Transport
import Vault
import Wire

/// From a valid hello to membership.
extension Hub {
  /// Decides on a hello, and asks the vault for a lock that has no room yet.
  func greeted(_ hello: Hello, by session: Session) {
    loop.markReady(session.id)
    guard !isDraining else { return close(session, .restart) }
    guard let hello = vouched(hello, by: session) else { return }
    guard hello.role != .admin, comesFromWhereItMay(session, to: hello.room) else {
      return refuse(session, .denied, Self.refusal)
    }
    if let host = rooms[hello.room] { return join(session, hello, host) }
    guard rooms.count < limits.rooms else { return refuseRoom(session) }
    switch hello.room {
    case .board(let name): openBoard(name, hello, session)
    case .lock(let lock):
      session.stage = .joining(hello)
      let reference = HubReference(self)
      let id = session.id
      service.vault.profile(of: lock) { answer in
        reference.submit { $0.lockCame(answer, for: id) }
      }
    }
  }

  /// One text for an unknown lock and a forbidden one, so that it tells neither.
  private static let refusal = "there is no such room, or it is not open to you"

  func refuse(_ session: Session, _ reason: PadModel.CloseReason, _ text: String) {
    tell(session, .error(Failure(reason == .badToken ? .badToken : .denied, text)))
    close(session, reason)
  }

  private func putOff(_ session: Session, _ text: String) {
    tell(session, .error(Failure(.busy, text, retryable: true)))
    close(session, .busy)
  }

  private func refuseRoom(_ session: Session) {
    putOff(session, "the server has as many rooms as it may")
  }

  private func openBoard(_ name: String, _ hello: Hello, _ session: Session) {
    guard let pad = service.configuration.boardPad(name) else {
      return refuse(session, .denied, Self.refusal)
    }
    let opener = addressKey(session.peer)
    if let opener, boardsOpened[opener, default: 0] >= limits.boardsPerAddress {
      return putOff(session, "your address has as many boards open as it may")
    }
    let settings = RoomSettings(name: hello.room, kind: .board, pad: pad, limits: limits)
    join(session, hello, open(settings, opener: opener))
  }

  /// The vault's answer about a lock that somebody wants to join.
  private func lockCame(_ answer: LockAnswer, for id: ConnectionID) {
    guard let session = sessions[id], case .joining(let hello) = session.stage else { return }
    if let host = rooms[hello.room] { return join(session, hello, host) }
    if case .unreadable = answer { return putOff(session, "the lock can't be read now") }
    guard case .found(let profile) = answer else { return refuse(session, .denied, Self.refusal) }
    // Others may have opened rooms meanwhile.
    guard rooms.count < limits.rooms else { return refuseRoom(session) }
    let settings = RoomSettings(
      name: hello.room, kind: .lock(profile.policy), pad: profile.pad, limits: limits)
    join(session, hello, open(settings, opener: nil))
  }

  private func open(_ settings: RoomSettings, opener: UInt64?) -> RoomHost {
    let name = settings.name
    roomNumber += 1
    let host = RoomHost(settings, number: roomNumber, opener: opener, at: now)
    rooms[name] = host
    if let opener { boardsOpened[opener, default: 0] += 1 }
    statistics.roomsOpened += 1
    service.log(.roomOpened(name))
    return host
  }

  private func join(_ session: Session, _ hello: Hello, _ host: RoomHost) {
    session.stage = .joining(hello)
    host.sessions[session.key] = session
    var random = SystemRandomNumberGenerator()
    let fresh = ResumeKey(high: random.next(), low: random.next())
    run(
      .joined(
        Joining(
          connection: session.key, role: hello.role, name: hello.name, shown: hello.resume,
          fresh: fresh, origin: addressKey(session.peer) ?? Self.exemptOrigin)),
      in: host)
  }

  /// The origin of peers that no limit by address holds for.
  static let exemptOrigin: UInt64 = 0

  /// The peer's address as limits count it, or nil for loopback under `--dev`.
  private func addressKey(_ peer: ListenAddress) -> UInt64? {
    service.configuration.dev && peer.isLoopback ? nil : peer.limitKey.number
  }
}
