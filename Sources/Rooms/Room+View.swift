import Gestures
public import PadModel

extension Room {
  /// The state as a projection shows it; its path shares the room's storage.
  public func state(_ projection: Projection) -> RoomState {
    let version = version(projection)
    switch projection {
    case .open: return openState(version)
    case .stealth:
      return RoomState(version: version, phase: notice?.ending.phase ?? .idle, hidesPath: true)
    }
  }

  private func openState(_ version: UInt32) -> RoomState {
    switch stage {
    case .idle: RoomState(version: version, phase: .idle)
    case .drawing(let stroke):
      drawn(version, .drawing, stroke, showsTail: tracker.showsTail)
    case .checking(let stroke, _): drawn(version, .checking, stroke)
    case .ended(let stroke, .cancelled, _):
      RoomState(version: version, phase: .cancelled, stroke: stroke.number)
    case .ended(let stroke, let ending, _): drawn(version, ending.phase, stroke)
    }
  }

  private func drawn(
    _ version: UInt32, _ phase: Phase, _ stroke: Stroke, showsTail: Bool = false
  ) -> RoomState {
    RoomState(
      version: version, phase: phase, stroke: stroke.number, path: tracker.path.nodes,
      pointer: tracker.pointer, showsTail: showsTail)
  }

  /// The newest version of a projection.
  public func version(_ projection: Projection) -> UInt32 {
    switch projection {
    case .open: bookkeeping.openVersion
    case .stealth: bookkeeping.stealthVersion
    }
  }

  /// Whether the room still holds anything of a stroke but the attempts that wait, for tests.
  package var remembersStroke: Bool {
    !tracker.path.isEmpty || tracker.pointer != .zero || lastMove != nil
  }

  /// How many entries each list of those who are here has: as many as members, if none is forgotten.
  package var rosterEntries: [Int] { roster.entries }

  /// Lets the numbers of members go on from here, for tests of their wrapping.
  package mutating func setLastMember(_ number: UInt32) { roster.setLastNumber(number) }

  /// Lets versions go on from here, for tests of their wrapping.
  package mutating func setVersions(_ version: UInt32) {
    bookkeeping.openVersion = version
    bookkeeping.stealthVersion = version
  }

  /// What a connection sees: in a stealth room everybody the stealth projection, but the connection
  /// that draws until its verdict.
  public func projection(of connection: ConnectionKey) -> Projection {
    isStealth && insider != connection ? .stealth : .open
  }

  /// The connection that sees a stealth room's open projection.
  ///
  /// From its press to its verdict. A cancelled stroke gets none, so its end is shown for a while,
  /// without path; whoever draws next ends that too.
  var insider: ConnectionKey? {
    guard isStealth else { return nil }
    return switch stage {
    case .drawing(let stroke), .checking(let stroke, _), .ended(let stroke, .cancelled, _):
      roster[stroke.connection] == nil ? nil : stroke.connection
    case .idle, .ended: nil
    }
  }

  /// Who is here, for a `members` message; without names in a stealth room.
  public var members: Members {
    let listed = roster.controllers.prefix(limits.controllersListed).map { id in
      Members.Controller(member: id, name: isStealth ? nil : roster.name(of: id))
    }
    return Members(
      viewers: roster.viewers, controllers: listed, actuators: roster.actuators.count)
  }

  /// Who has the pen as all are told, for a `pen` message.
  ///
  /// It is what the last ``RoomAction/penChanged`` meant, even if the pen has changed hands since and
  /// may not be told yet. Were it the newest, a change that is undone while the message waits to be
  /// sent would be told and its undoing not.
  public var penStatus: PenStatus { bookkeeping.penShown }

  /// Who has the pen; in a stealth room nobody is shown to have it.
  package var currentPen: PenStatus {
    if isBoard {
      let id = pen.holder?.id
      return PenStatus(
        holder: id, name: id.flatMap(roster.name(of:)), waiting: pen.queue.count)
    }
    guard !isStealth, case .drawing(let stroke) = stage else { return PenStatus(holder: nil) }
    return PenStatus(holder: stroke.member, name: roster.name(of: stroke.member))
  }

  /// To a controller of a lock room: its bucket, for `welcome`.
  public func lockout(of connection: ConnectionKey, at now: Instant) -> Lockout? {
    guard !isBoard, let member = roster[connection], member.role.mayDraw else { return nil }
    let status = buckets[member.bucket] ?? .clean
    return Lockout(
      retryAfterMilliseconds: now.millisecondsUntil(status.retryAt), failures: status.failures)
  }

  /// What the room holds, so that a leak shows.
  public var counts: RoomCounts {
    RoomCounts(
      members: roster.count, departed: roster.departed.count,
      verdictsKept: roster.departed.reduce(0) { $0 + $1.kept.count }, attempts: gate.count,
      grants: grants.count, penQueue: pen.queue.count)
  }
}

/// What a room holds.
public struct RoomCounts: Equatable, Sendable {
  /// Members that are here.
  public internal(set) var members = 0
  /// Members that left and for whose resume key something waits.
  public internal(set) var departed = 0
  /// Verdicts that wait for a resume key.
  public internal(set) var verdictsKept = 0
  /// Attempts in flight or waiting.
  public internal(set) var attempts = 0
  /// Grants that are offered.
  public internal(set) var grants = 0
  /// Members that wait for the pen.
  public internal(set) var penQueue = 0

  /// Whether it holds nothing.
  package var isEmpty: Bool { self == RoomCounts() }
}
