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
    guard hello.role != .admin, !service.door.isClosed(hello.room),
      comesFromWhereItMay(session, to: hello.room)
    else {
      return refuse(session, .denied, Self.refusal)
    }
    session.stage = .joining(hello)
    let guest = Guest(
      connection: session.key, room: hello.room, role: hello.role, name: hello.name,
      resume: hello.resume, drawer: drawer(of: hello, by: session),
      format: session.format.frameFormat, opener: addressKey(session.peer))
    let home = hello.room.home(among: peers.count)
    if home == loop.index { knocked(guest) } else { write(.knocked(guest), to: home) }
  }

  /// A shared pad is what its token says, whatever it shows.
  private func drawer(of hello: Hello, by session: Session) -> Drawer {
    guard case .lock = hello.room, hello.role.mayDraw else { return .stranger }
    if let pad = session.pass?.sharedPad { return .sharedPad(pad) }
    return hello.device.flatMap(BearerToken.init).map { .device($0.digest) } ?? .stranger
  }

  /// One text for an unknown lock and a forbidden one, so that it tells neither.
  private static let refusal = "there is no such room, or it is not open to you"

  func refuse(_ session: Session, _ reason: PadModel.CloseReason, _ text: String) {
    tell(session, .error(Failure(reason == .badToken ? .badToken : .denied, text)))
    close(session, reason)
  }

  /// Somebody wants to join a room that is or would be at home here.
  func knocked(_ guest: Guest) {
    guard !isDraining else { return turnAway(guest, nil, .restart) }
    let branch = rooms[guest.room]
    // A stranger is counted in a bucket that the room knows.
    if let branch, guest.drawer == .stranger { return join(guest, branch) }
    guard branch != nil || !service.census.isFull else { return putOff(guest, Self.tooManyRooms) }
    switch guest.room {
    case .board(let name): openBoard(name, for: guest)
    case .lock(let lock):
      let reference = HubReference(self)
      service.vault.profile(of: lock, for: guest.drawer) { answer in
        reference.submit { $0.lockCame(answer, for: guest) }
      }
    }
  }

  private static let tooManyRooms = "the server has as many rooms as it may"

  private func turnAway(_ guest: Guest, _ failure: Failure?, _ reason: PadModel.CloseReason) {
    let key = guest.connection
    if isHere(key) { return turnedAway(key, failure, reason) }
    write(.turnedAway(key, failure, reason), to: ConnectionID(rawValue: key).loop)
  }

  /// Closes a connection of this loop that may not join.
  func turnedAway(_ key: ConnectionKey, _ failure: Failure?, _ reason: PadModel.CloseReason) {
    guard let session = waiting(key) else { return }
    if let failure { tell(session, .error(failure)) }
    close(session, reason)
  }

  private func deny(_ guest: Guest) {
    turnAway(guest, Failure(.denied, Self.refusal), .denied)
  }

  private func putOff(_ guest: Guest, _ text: String) {
    turnAway(guest, Failure(.busy, text, retryable: true), .busy)
  }

  private func openBoard(_ name: String, for guest: Guest) {
    guard let pad = service.configuration.boardPad(name) else { return deny(guest) }
    let settings = RoomSettings(name: guest.room, kind: .board, pad: pad, limits: limits)
    open(settings, opener: guest.opener, for: guest)
  }

  /// The vault's answer about a lock that somebody wants to join.
  private func lockCame(_ answer: LockAnswer, for guest: Guest) {
    guard !isHere(guest.connection) || waiting(guest.connection) != nil else { return }
    guard !isDraining else { return turnAway(guest, nil, .restart) }
    if case .unreadable = answer { return putOff(guest, "the lock can't be read now") }
    guard case .found(let profile) = answer else { return deny(guest) }
    if let branch = rooms[guest.room] { return join(guest, branch, profile) }
    let settings = RoomSettings(
      name: guest.room, kind: .lock(profile.policy), pad: profile.pad, limits: limits)
    open(settings, opener: nil, for: guest, profile)
  }

  /// The session of a connection of this loop that said hello and waits.
  private func waiting(_ key: ConnectionKey) -> Session? {
    guard let session = sessions[ConnectionID(rawValue: key)], case .joining = session.stage else {
      return nil
    }
    return session
  }

  private func open(
    _ settings: RoomSettings, opener: UInt64?, for guest: Guest, _ profile: LockProfile? = nil
  ) {
    switch service.census.open(opener: opener) {
    // Others may have opened rooms meanwhile.
    case .full: return putOff(guest, Self.tooManyRooms)
    case .tooMany: return putOff(guest, "your address has as many boards open as it may")
    case .admitted: break
    }
    roomNumber += 1
    let address = RoomAddress(name: settings.name, number: roomNumber)
    let branch = RoomBranch(
      Room(settings, at: now), address, homeLoop: loop.index, opener: opener)
    rooms[settings.name] = branch
    statistics.roomsOpened += 1
    service.log(.roomOpened(settings.name))
    join(guest, branch, profile)
  }

  private func join(_ guest: Guest, _ branch: RoomBranch, _ profile: LockProfile? = nil) {
    let bucket = profile?.own ?? .strangers
    if let own = profile?.buckets.first(where: { $0.id == bucket }) {
      run(.bucketChanged(bucket.key, own.reading.status), in: branch)
    }
    self.guest = guest
    defer { self.guest = nil }
    var random = SystemRandomNumberGenerator()
    let fresh = ResumeKey(high: random.next(), low: random.next())
    run(
      .joined(
        Joining(
          connection: guest.connection, role: guest.role, name: guest.name, shown: guest.resume,
          fresh: fresh, bucket: bucket.key, origin: guest.opener ?? Self.exemptOrigin)),
      in: branch)
  }

  /// The origin of peers that no limit by address holds for.
  static let exemptOrigin: UInt64 = 0

  /// The peer's address as limits count it, or nil for loopback under `--dev`.
  private func addressKey(_ peer: ListenAddress) -> UInt64? {
    service.configuration.dev && peer.isLoopback ? nil : peer.limitKey.number
  }
}
