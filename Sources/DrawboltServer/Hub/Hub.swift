import PadModel
import Rooms
import Transport
import Vault
import Wire

/// One loop's sessions, rooms and branches: takes bytes in, lets rooms decide, and does what they ask.
///
/// Everything here runs on the loop's thread. Nothing waits: what takes time is asked of the vault
/// and comes back through the loop's inbox.
final class Hub: TransportHandler {
  unowned let loop: EventLoop
  let service: Service
  let decoder: ClientMessageDecoder
  private let rates: RateLimits
  var sessions: [ConnectionID: Session] = [:]
  /// The rooms that are at home here, and those that only have members here.
  var rooms: [RoomName: RoomBranch] = [:]
  /// Sessions that are members of a room.
  var memberCount = 0
  /// Members, on other loops, of the rooms that are at home here.
  var membersAway = 0
  /// Rooms opened so far: the number of the newest one.
  var roomNumber: UInt64 = 0
  /// Who is being taken in by a room.
  var guest: Guest?
  /// All loops of the process by their index, this one too.
  var peers: [Peer] = []
  /// Whether this turn has something for one of them.
  var hasMail = false
  /// Metrics that other loops have not reported for yet, by who asked.
  var surveys: [ConnectionID: Survey] = [:]
  var statistics = HubStatistics()
  /// The rooms that want to be looked at, by when.
  var dues = DueQueue<RoomBranch>()
  /// When the timer fires next.
  var timerAt: Instant?
  lazy var timer = loop.makeTimer { [unowned self] _ in timeCame() }
  /// Refusals that the vault was not told of yet.
  var refusals: [RefusalKey: Int] = [:]
  lazy var refusalTimer = loop.makeTimer { [unowned self] _ in writeRefusals() }
  /// Asks for the locks again when they could not be read.
  lazy var lockTimer = loop.makeTimer { [unowned self] _ in locksChanged() }
  /// Set while leaving: ends the wait for verdicts.
  var drain: Drain?

  /// The second in which the first token of a connection ends; `max` without one.
  var firstPassEnd = Int64.max
  lazy var passTimer = loop.makeTimer { [unowned self] _ in endPasses() }

  private var touched: [RoomBranch] = []
  private var batch = SampleBatch(stroke: 0, action: .move)
  private var actions: [RoomAction] = []
  private var buffer: [UInt8] = []

  init(_ loop: EventLoop, service: Service) {
    self.loop = loop
    self.service = service
    decoder = ClientMessageDecoder(limits: service.configuration.limits)
    rates = RateLimits(service.configuration.limits)
    batch.samples.reserveCapacity(service.configuration.limits.samplesPerFrame)
  }

  var limits: Limits { service.configuration.limits }
  var now: Instant { Instant(nanoseconds: Int64(clamping: loop.now)) }

  func connectionOpened(_ opening: ConnectionOpening) {
    sessions[opening.id] = Session(opening, rates: rates)
  }

  func connectionClosed(_ id: ConnectionID, reason: Transport.CloseReason) {
    guard let session = sessions.removeValue(forKey: id) else { return }
    if let reason = reason.byTransport { noteClose(reason) }
    if let branch = session.branch { leave(session, branch) }
    session.stage = .closing
    goOnDraining()
  }

  func messageReceived(_ id: ConnectionID, bytes: Span<UInt8>, isText: Bool) {
    guard let session = sessions[id] else { return }
    if case .closing = session.stage { return }
    let claimed = ClientMessageDecoder.claimedSamples(bytes, isText: isText)
    let textBytes = isText ? bytes.count : 0
    switch session.meter.count(samples: claimed, textBytes: textBytes, at: now) {
    case .allowed: read(bytes, isText: isText, from: session)
    case .dropped: answerDropped(bytes, isText: isText, from: session)
    case .tooFast: rateBroken(session)
    case .tooOften: close(session, .tooFast)
    }
  }

  private func read(_ bytes: Span<UInt8>, isText: Bool, from session: Session) {
    do throws(WireError) {
      let decoded = try decoder.decode(
        bytes, isText: isText, format: session.format, into: &batch)
      receive(decoded, from: session)
    } catch {
      service.log(.badMessage(reason: error.message))
      tell(
        session, .error(Failure(.badMessage, error.message)))
      close(session, error.closeReason)
    }
  }

  private func receive(_ message: ClientMessageDecoder.Decoded, from session: Session) {
    switch session.stage {
    case .greeting: greet(message, from: session)
    case .joining:
      if case .message(.hello) = message { return refuseHello(session) }
      // A client that does not wait for its welcome draws into nothing.
      session.messagesBeforeHello += 1
      if session.messagesBeforeHello > limits.messagesBeforeHello { close(session, .policy) }
    case .member(let branch, _, _, let slot): receive(message, from: session, in: branch, slot)
    case .closing: break
    }
  }

  private func refuseHello(_ session: Session) {
    tell(session, .error(Failure(.badMessage, "hello was said already")))
    close(session, .badMessage)
  }

  private func greet(_ message: ClientMessageDecoder.Decoded, from session: Session) {
    if case .message(.hello(let hello)) = message {
      greeted(hello, by: session)
      return
    }
    tell(session, .error(Failure(.badMessage, "the first message must be hello")))
    close(session, .badMessage)
  }

  private func receive(
    _ message: ClientMessageDecoder.Decoded, from session: Session, in branch: RoomBranch,
    _ slot: Audience.Slot?
  ) {
    switch message {
    case .samples:
      if let slot { branch.audience.draws(slot) }
      run(.sampled(session.key, batch), in: branch)
    case .acknowledge(let version):
      guard let slot else { return }
      if branch.audience.acknowledge(slot, version: version, at: now) { touch(branch) }
    case .message(.pen(let command)): run(.penCommanded(session.key, command), in: branch)
    case .message(.claimGrant(let claim)): run(.grantClaimed(session.key, claim), in: branch)
    case .message(.enrol):
      tell(
        session,
        .error(Failure(.denied, "codes are enrolled by the command line: drawbolt secret add")))
    case .message(.hello): refuseHello(session)
    case .message(.samples), .message(.acknowledge): break
    }
  }

  /// Tells a drawer that its press came to nothing; no other sample of a breach is answered.
  private func answerDropped(_ bytes: Span<UInt8>, isText: Bool, from session: Session) {
    guard session.branch != nil, ClientMessageDecoder.mayPress(bytes, isText: isText),
      let wait = session.meter.answerPress(at: now)
    else { return }
    tell(
      session,
      .error(
        Failure(
          .rate, "too fast a moment ago; this stroke is not taken", retryable: true,
          retryAfterMilliseconds: wait)))
  }

  private func rateBroken(_ session: Session) {
    if let branch = session.branch {
      run(.rateBroken(session.key), in: branch)
    } else {
      close(session, .tooFast)
    }
  }

  func connectionWritable(_ id: ConnectionID) {
    guard let session = sessions[id], let branch = session.branch else { return }
    if let slot = session.slot { branch.audience.writable(slot, at: now) }
    branch.owesFlags = true
    touch(branch)
  }

  func turnEnded(now: UInt64) {
    guard !touched.isEmpty || hasMail else { return }
    let now = self.now
    // First what other loops need, so that they send at the same time as this one.
    for branch in touched { pack(branch) }
    postMail()
    for branch in touched {
      branch.isTouched = false
      if branch.owesFlags { sendFlags(of: branch) }
      emit(branch, at: now)
      arm(branch)
    }
    touched.removeAll(keepingCapacity: true)
    armTimer()
  }

  /// Gives the newest state to every member that is due one; it is encoded once.
  private func emit(_ branch: RoomBranch, at now: Instant) {
    let loop = self.loop
    branch.audience.collect(at: now) { branch.send($1, $2, to: $0, by: loop) }
  }

  /// Lets the room take up what happened and does what it asks, or writes to the room's home.
  func run(_ event: RoomEvent, in branch: RoomBranch) {
    guard let home = branch.home else {
      return write(.happened(event, branch.address), to: branch.homeLoop)
    }
    var actions = self.actions
    self.actions = []
    let now = self.now
    home.room.handle(event, at: now, into: &actions)
    for action in actions { perform(action, in: branch, at: now) }
    actions.removeAll(keepingCapacity: true)
    self.actions = actions
    touch(branch)
  }

  /// Has the end of the turn look at the room.
  func touch(_ branch: RoomBranch) {
    guard !branch.isTouched else { return }
    branch.isTouched = true
    touched.append(branch)
  }

  /// Queues a message that must not be lost.
  func tell(_ session: Session, _ message: ServerMessage) {
    let isText = ServerMessageEncoder.encode(message, as: session.format, into: &buffer)
    let frame = isText ? Frame.text(buffer.span) : Frame.binary(buffer.span)
    loop.send(frame, to: session.id, .queued)
  }

  /// Closes the connection with the reason's code.
  func close(_ session: Session, _ reason: PadModel.CloseReason) {
    if case .closing = session.stage { return }
    noteClose(reason)
    if let branch = session.branch {
      // The last state goes out before the close frame: how its stroke ended, for example.
      if let slot = session.slot {
        branch.audience.serveLast(slot, at: now) { branch.send($1, $2, to: $0, by: loop) }
      }
      leave(session, branch)
    }
    session.stage = .closing
    if reason == .restart {
      tell(session, .goAway(reason: reason, reconnectAfter: Self.returnWindow))
    }
    loop.close(session.id, code: reason.code, reason: reason.text)
  }

  private func noteClose(_ reason: PadModel.CloseReason) {
    service.log(.connectionClosed(reason: reason))
    statistics.closes[reason, default: 0] += 1
  }

  private func leave(_ session: Session, _ branch: RoomBranch) {
    memberCount -= 1
    if case .member(_, let member, _, _) = session.stage {
      service.log(.memberLeft(room: branch.name, member: member))
    }
    if let slot = session.slot { branch.audience.remove(slot) }
    branch.sessions[session.key] = nil
    session.stage = .closing
    run(.left(session.key), in: branch)
    branch.forgetUnseen()
    fell(branch)
  }
}

extension Transport.CloseReason {
  /// What the transport closes by itself, as clients are told it.
  fileprivate var byTransport: PadModel.CloseReason? {
    switch self {
    case .messageTooBig: .tooBig
    case .notReady: .helloTimeout
    case .tooFast: .tooFast
    case .tooSlow: .tooSlow
    case .peer, .closed, .dead, .dropped, .lost: nil
    }
  }
}
