/// What must be true after every step of a world.
public enum Invariant: String, CaseIterable, Sendable {
  /// One member draws in a room, and it has the pen.
  case onePenHolder
  /// A projection's version never falls, and nothing changes without a new one.
  case versionsGrow
  /// Every member that can hear gets the room's newest state soon, and what it shows is that state.
  case converges
  /// Nobody gets what its role may not have; of a stealth room that is all but verdicts.
  case seesItsOwn
  /// Attempts counted are strokes released with enough nodes, without those refused before.
  case reservations
  /// Failures counted are attempts counted, without the accepted ones and those taken back.
  case failures
  /// Each attempt is judged once, and its drawer is told once.
  case oneAnswer
  /// What a member costs does not grow, and is given back when it leaves.
  case memory
  /// A room is forgotten when nobody is there and nothing waits, and not before.
  case roomsDropped
  /// Every frame that an audience was offered is accounted for.
  case books
  /// A grant is offered to actuators that are there, and opens once.
  case grants
  /// No more frames than asked for: rate, window, one a turn.
  case pace
  /// What is decoded is what was encoded, and garbage is refused.
  case wire
  /// Nothing is done for ever without time going on, and what was begun comes to an end.
  case progress
}

/// An invariant that did not hold.
public struct Violation: Error, Equatable, Sendable {
  /// Which.
  public let invariant: Invariant
  /// In what way; never what was drawn.
  public let detail: String

  init(_ invariant: Invariant, _ detail: String) {
    self.invariant = invariant
    self.detail = detail
  }
}

/// A mistake that a simulated server makes on purpose, so that the invariants are seen to notice it.
public enum PlantedBug: String, CaseIterable, Sendable {
  /// Does not hear that a projection changed.
  case dropChange
  /// Sends an older state's frame again.
  case staleFrame
  /// Never notes that a socket takes bytes again.
  case forgetWritable
  /// Shows a stealth room's stroke to one who did not draw it.
  case showPath
  /// Sends `members` of a stealth room with names.
  case showNames
  /// Sends a stealth room's `pen`.
  case showPen
  /// Tells another member the verdict as well.
  case verdictToAnother
  /// Takes another's press for the drawer's.
  case sampleOfAnother
  /// Opens a second room of the same name.
  case secondRoom
  /// Goes on with versions of an older room.
  case versionFalls
  /// Judges an attempt that was never counted.
  case skipReservation
  /// Takes a wrong code's count back.
  case forgetFailure
  /// Answers one attempt twice.
  case answerTwice
  /// Loses an attempt's answer.
  case loseAnswer
  /// Does not tell a verdict.
  case loseVerdict
  /// Keeps a member's place among those that get frames after it left.
  case keepSlot
  /// Keeps a connection as a member that the room has lost.
  case keepMember
  /// Never forgets a room.
  case keepRoom
  /// Forgets a room that has members.
  case dropEarly
  /// Forgets to count a state that it sent.
  case uncountedFrame
  /// Offers a grant once more to an actuator that comes later.
  case queueGrant
  /// Sends a grant to a second actuator.
  case grantToAnother
  /// Sends more states than the member acknowledges.
  case ignoreWindow
  /// Sends a state before the member's rate allows it.
  case ignoreRate
  /// Changes a byte on its way.
  case damageByte
  /// Never forgets what a slow reader has not read.
  case endlessQueue
  /// Wakes a room at once, again and again.
  case spin

  /// The invariants that notice it, any of them first.
  public var noticedBy: Set<Invariant> {
    switch self {
    case .dropChange, .forgetWritable: [.converges]
    case .staleFrame: [.versionsGrow, .converges]
    case .showPath, .showNames, .showPen: [.seesItsOwn]
    case .verdictToAnother: [.seesItsOwn]
    case .sampleOfAnother, .secondRoom: [.onePenHolder]
    case .versionFalls: [.versionsGrow]
    case .skipReservation: [.reservations]
    case .forgetFailure: [.failures]
    case .answerTwice, .loseAnswer, .loseVerdict: [.oneAnswer]
    case .keepSlot, .keepMember, .endlessQueue: [.memory]
    case .keepRoom, .dropEarly: [.roomsDropped]
    case .uncountedFrame: [.books]
    case .queueGrant, .grantToAnother: [.grants]
    case .ignoreWindow, .ignoreRate: [.pace]
    case .damageByte: [.wire]
    case .spin: [.progress]
    }
  }
}

/// Strikes with the planted bug now and then, by a chance of its own, so that a world with one goes as
/// without it until then.
struct Planted {
  let bug: PlantedBug?
  private var random: SplitMix64
  private(set) var strikes = 0

  init(_ bug: PlantedBug?, seed: UInt64) {
    self.bug = bug
    random = SplitMix64(seed: ~seed)
  }

  mutating func strikes(_ candidate: PlantedBug) -> Bool {
    guard bug == candidate, random.once(in: 3) else { return false }
    strikes += 1
    return true
  }

  /// The same, but what has struck once strikes always.
  mutating func goesOnStriking(_ candidate: PlantedBug) -> Bool {
    bug == candidate && strikes > 0 || strikes(candidate)
  }
}
