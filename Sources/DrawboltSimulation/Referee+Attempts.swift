import PadModel
import Rooms

// The attempts.
extension Referee {
  func take(
    _ action: RoomAction, of event: RoomEvent, _ call: inout Call
  ) throws(Violation) {
    switch action {
    case .admit(let connection, let member, _): ids[connection] = member
    case .close(let connection, _): ids[connection] = nil
    case .noteVerdict(let outcome, _, let isRefusal): try note(outcome, isRefusal: isRefusal, &call)
    case .submit(let attempt): try submit(attempt)
    case .tell(let connection, .verdict(let verdict)):
      try tell(verdict, to: connection, of: event, call)
    default: break
    }
  }

  private func note(
    _ outcome: Outcome, isRefusal: Bool, _ call: inout Call
  ) throws(Violation) {
    if call.isRefusedPress, isRefusal {
      call.refusedPresses += 1
      guard call.refusedPresses == 1 else {
        throw Violation(.oneAnswer, "two refusals of one press")
      }
      return
    }
    guard outcome != .tooShort else { return }
    concluded += 1
    if isRefusal { refused += 1 }
    guard outcome != .lockedOut else { return }
    notices += 1
    noticeAt = call.now
  }

  private func submit(_ attempt: Attempt) throws(Violation) {
    guard submitted.insert(attempt.ticket).inserted else {
      throw Violation(.oneAnswer, "attempt \(attempt.ticket.number) was submitted twice")
    }
    unanswered[attempt.ticket] = attempt.bucket
    guard unanswered.values.count(where: { $0 == attempt.bucket }) == 1 else {
      throw Violation(.oneAnswer, "two attempts of one bucket at once")
    }
    guard debts.contains(where: { $0.member == attempt.member && $0.nodes == attempt.nodes })
    else { throw Violation(.oneAnswer, "attempt \(attempt.ticket.number) is not what was drawn") }
  }

  private func tell(
    _ verdict: Verdict, to connection: ConnectionKey, of event: RoomEvent, _ call: Call
  ) throws(Violation) {
    guard let member = ids[connection] else {
      throw Violation(.seesItsOwn, "a verdict to one who is no member")
    }
    if verdict.outcome == .tooShort || call.isRefusedPress {
      guard Self.sampler(event) == connection else {
        throw Violation(.seesItsOwn, "a refusal to one who did not press")
      }
      return
    }
    let debt = debts.firstIndex { $0.member == member && $0.stroke == verdict.stroke }
    if let debt, verdict.opened == nil {
      debts.remove(at: debt)
      told[member, default: []].insert(verdict.stroke)
      return
    }
    let isReturn = if case .joined = event { true } else { false }
    if verdict.opened != nil, !isReturn {
      guard opened[member, default: []].insert(verdict.stroke).inserted else {
        throw Violation(.grants, "one was told twice whether its lock opened")
      }
    }
    // What it was told before it may hear again when it comes back, and once more when it opens.
    guard isReturn || verdict.opened != nil, told[member]?.contains(verdict.stroke) == true else {
      throw Violation(.oneAnswer, "a verdict too many for stroke \(verdict.stroke)")
    }
  }

  private static func sampler(_ event: RoomEvent) -> ConnectionKey? {
    if case .sampled(let connection, _) = event { connection } else { nil }
  }

  func checkCounts(_ room: Room) throws(Violation) {
    let waiting = room.counts.attempts
    guard concluded <= released, released - concluded <= waiting else {
      throw Violation(.oneAnswer, "\(released) strokes, \(concluded) verdicts, \(waiting) wait")
    }
    guard unanswered.count <= waiting, waiting == 0 || !unanswered.isEmpty else {
      throw Violation(.oneAnswer, "\(waiting) attempts wait behind \(unanswered.count)")
    }
    // A notice and its end are two versions; only verdicts make one.
    let versions = room.version(.stealth) &- firstVersion
    guard Int(versions) <= 2 * notices + policyChanges else {
      throw Violation(.seesItsOwn, "\(versions) stealth versions for \(notices) verdicts")
    }
  }

  /// A stroke that is being checked is shown as judged with its verdict, and not with an older one's.
  func checkChecking(_ event: RoomEvent, _ call: Call) throws(Violation) {
    guard call.after.open.phase != .checking, let debt = checking else { return }
    checking = nil
    switch event {
    case .sampled, .policyChanged, .closed: return
    default: break
    }
    guard debts.contains(debt), ids.values.contains(debt.member) else { return }
    throw Violation(.oneAnswer, "stroke \(debt.stroke) is shown as judged without a verdict")
  }

  /// What must have come by now, though nothing happened.
  func checkTime(_ now: Instant) throws(Violation) {
    if let late = debts.first(where: { $0.due < now && ids.values.contains($0.member) }) {
      throw Violation(.oneAnswer, "no verdict in time for stroke \(late.stroke)")
    }
    if states.stealth.phase != .idle, noticeAt + limits.verdictShown + Self.slack < now {
      throw Violation(.progress, "a verdict is shown for ever")
    }
    if let longest = longest(states.open.phase), phaseSince + longest + Self.slack < now {
      throw Violation(.progress, "\(states.open.phase) for more than \(longest)")
    }
  }

  /// The longest that a room shows a phase; nil for what only an event ends.
  private func longest(_ phase: Phase) -> Duration? {
    switch phase {
    case .idle, .checking, .finished: nil
    case .drawing: isBoard ? nil : limits.lockStrokeTime
    case .accepted, .rejected, .tooShort, .unavailable, .cancelled:
      isBoard ? nil : limits.verdictShown
    }
  }

  /// Whether a member that is here waits for a verdict that nobody will give.
  func checkRest(_ room: Room) throws(Violation) {
    guard room.counts.attempts == 0 else {
      throw Violation(.oneAnswer, "\(room.counts.attempts) attempts without an answer to come")
    }
    let here = Set(ids.values)
    if let debt = debts.first(where: { here.contains($0.member) }) {
      throw Violation(.oneAnswer, "no verdict for stroke \(debt.stroke)")
    }
  }
}
