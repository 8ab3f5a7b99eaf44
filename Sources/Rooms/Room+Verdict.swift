import Gestures
import PadModel

extension Room {
  mutating func putBeforeSecrets(_ stroke: Stroke) {
    lastTicket += 1
    let attempt = Attempt(
      ticket: AttemptTicket(number: lastTicket), bucket: stroke.bucket, member: stroke.member,
      connection: stroke.connection, origin: stroke.origin,
      judgeBy: now + limits.verdictTime * 19 / 20, nodes: tracker.path.nodes,
      actuators: roster.actuators.count)
    let deadline = now + limits.verdictTime
    stage = .checking(stroke, attempt.ticket)
    switch gate.admit(attempt, stroke: stroke.number, deadline: deadline) {
    case .inFlight: actions.append(.submit(attempt))
    case .waiting: break
    case .refused:
      actions.append(.noteVerdict(.unavailable, stroke.bucket, isRefusal: true))
      tell(verdict(stroke.number, .unavailable, bucket: stroke.bucket), to: stroke.member)
      show(.unavailable, of: attempt.ticket)
    }
  }

  mutating func takeVerdict(_ ticket: AttemptTicket, _ report: VerdictReport) {
    guard let entry = gate.answer(ticket) else { return }
    let bucket = entry.attempt.bucket
    if let status = report.bucket { buckets[bucket] = status }
    if let home = report.home {
      buckets[home.key] = home.status
      roster.move(entry.attempt.member, to: home.key)
    }
    if entry.standing != .overdue {
      conclude(entry, report.judgement, retryAt: report.retryAt, told: report.home?.key)
    }
    // To the connection that drew, and no other that came back in its place.
    let drawer = entry.attempt.connection
    if let device = report.device, roster[drawer]?.id == entry.attempt.member {
      tell(drawer, .device(device))
    }
    submitNext(in: bucket)
  }

  /// Puts the bucket's next attempt in flight, unless the verdict before it locked the bucket.
  private mutating func submitNext(in bucket: BucketKey) {
    while var entry = gate.takeNext(in: bucket) {
      if now < (buckets[bucket] ?? .clean).retryAt {
        conclude(entry, .lockedOut, retryAt: nil)
        continue
      }
      if now > entry.attempt.judgeBy {
        conclude(entry, .unavailable, retryAt: nil)
        continue
      }
      entry.attempt.actuators = roster.actuators.count
      gate.launch(entry)
      return actions.append(.submit(entry.attempt))
    }
  }

  /// Tells those who have waited too long.
  ///
  /// After the event of the same call: a verdict that is here is told, however late the loop is.
  mutating func concludeOverdue() {
    while let entry = gate.takeOverdue(at: now) { conclude(entry, .unavailable, retryAt: nil) }
  }

  /// Tells the drawer how its attempt ended, offers the grant, and shows the others what they may see.
  ///
  /// `told` is the bucket of which it hears, if that is not the one that the attempt came with.
  mutating func conclude(
    _ entry: AttemptGate.Entry, _ judgement: Judgement, retryAt: Instant?, told: BucketKey? = nil
  ) {
    let (attempt, outcome) = (entry.attempt, Outcome(judgement))
    actions.append(
      .noteVerdict(outcome, attempt.bucket, isRefusal: entry.standing == .waiting))
    var verdict = verdict(
      entry.stroke, outcome, bucket: told ?? attempt.bucket, retryAt: retryAt)
    if case .accepted(let grant?) = judgement {
      verdict.actuators = roster.actuators.count
      offer(grant, drawer: attempt.member, verdict)
    }
    tell(verdict, to: attempt.member)
    show(judgement, of: attempt.ticket)
    if let connection = roster.connection(of: attempt.member) { expelIfDrained(connection) }
  }

  /// Shows how an attempt ended, unless a newer stroke has begun; a stealth room forgets the path.
  ///
  /// Its notice follows every verdict, since it shows nothing of strokes; but being locked out is
  /// the drawer's alone.
  private mutating func show(_ judgement: Judgement, of ticket: AttemptTicket) {
    let ending = Ending(judgement)
    if case .checking(let stroke, ticket) = stage { end(stroke, ending) }
    guard isStealth, judgement != .lockedOut else { return }
    notice = Notice(ending: ending, until: now + limits.verdictShown)
    bookkeeping.stealthChanged = true
  }

  /// Tells a member its verdict, and keeps it a while for its resume key: its connection may be dead
  /// without anybody knowing it yet.
  mutating func tell(_ verdict: Verdict, to member: MemberID) {
    let until = now + limits.verdictKept
    guard let connection = roster.connection(of: member) else {
      return roster.keep(verdict, for: member, until: until)
    }
    tell(connection, .verdict(verdict))
    roster.setTold(KeptVerdict(verdict: verdict, until: until), of: connection)
  }

  /// Tells a member that came back what it may have missed.
  mutating func tellAgain(_ verdicts: [KeptVerdict], to connection: ConnectionKey) {
    for one in verdicts where one.until > now {
      tell(connection, .verdict(one.verdict))
      roster.setTold(one, of: connection)
    }
  }

  func verdict(
    _ stroke: StrokeNumber, _ outcome: Outcome, bucket: BucketKey, retryAt: Instant? = nil
  ) -> Verdict {
    let status = buckets[bucket] ?? .clean
    return Verdict(
      stroke: stroke, outcome: outcome,
      retryAfterMilliseconds: now.millisecondsUntil(max(status.retryAt, retryAt ?? .zero)),
      failures: status.failures)
  }
}

extension Outcome {
  fileprivate init(_ judgement: Judgement) {
    switch judgement {
    case .accepted: self = .accepted
    case .rejected: self = .rejected
    case .lockedOut: self = .lockedOut
    case .unavailable: self = .unavailable
    }
  }
}
