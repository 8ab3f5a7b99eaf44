import Gestures
import PadModel

extension Room {
  /// The usual case in the fewest steps: more samples of the stroke that is being drawn.
  ///
  /// Answers whether that was it and the stroke goes on.
  mutating func goOnDrawing(_ connection: ConnectionKey, _ batch: SampleBatch) -> Bool {
    guard case .drawing(let stroke) = stage, stroke.connection == connection,
      stroke.number == batch.stroke, batch.action == .move
    else { return false }
    tracker.handle(batch.action, batch.samples, into: &steps)
    noteChange()
    steps.removeAll(keepingCapacity: true)
    return true
  }

  /// Reads from the steps whether they moved anything.
  ///
  /// Asking the tracker before and after would copy it each time. The first move always counts: the
  /// tail may appear by it.
  private mutating func noteChange() {
    for step in steps {
      switch step {
      case .moved(let position):
        guard position != lastMove else { continue }
        lastMove = position
        bookkeeping.openChanged = true
      case .pressed, .entered, .finished, .cancelled: bookkeeping.openChanged = true
      }
    }
  }

  mutating func takeSamples(_ connection: ConnectionKey, _ batch: SampleBatch) {
    guard let member = roster[connection], batch.hasFittingCount, batch.stroke != 0 else { return }
    guard member.role.maySend(.samples) else {
      return refuse(connection, member, batch, Refusal.mayNotDraw)
    }
    switch batch.action {
    case .press, .tap: press(connection, member, batch)
    case .move: break
    case .release, .cancel:
      if member.refused == batch.stroke { roster.setRefused(0, of: connection) }
      if case .drawing(let stroke) = stage, stroke.connection == connection,
        stroke.number == batch.stroke
      {
        draw(stroke, batch)
      }
    }
  }

  private mutating func press(
    _ connection: ConnectionKey, _ member: Member, _ batch: SampleBatch
  ) {
    guard batch.stroke != member.refused else {
      if batch.action == .tap { roster.setRefused(0, of: connection) }
      return
    }
    let bucket = buckets[member.bucket] ?? .clean
    if isDraining || (!isBoard && now < bucket.retryAt) {
      return turnAway(connection, member, batch)
    }
    guard takesPen(connection, member) else { return refuseBusy(connection, member, batch) }
    if member.refused != 0 { roster.setRefused(0, of: connection) }
    let stroke = Stroke(
      number: batch.stroke, member: member.id, connection: connection, bucket: member.bucket,
      origin: member.origin, endsAt: strokeEnd(of: connection))
    stage = .drawing(stroke)
    draw(stroke, batch)
  }

  /// When a stroke that is pressed now must be over.
  ///
  /// In a lock room a press in the presser's own stroke wins it no time, or it could keep the others
  /// out for ever.
  private func strokeEnd(of connection: ConnectionKey) -> Instant {
    if isBoard { return now + limits.boardStrokeTime }
    if case .drawing(let stroke) = stage, stroke.connection == connection { return stroke.endsAt }
    return now + limits.lockStrokeTime
  }

  /// Whether the presser may draw now; on a board that takes a free pen.
  private mutating func takesPen(_ connection: ConnectionKey, _ member: Member) -> Bool {
    if isBoard { return pen.press(by: member.id) }
    if case .drawing(let stroke) = stage { return stroke.connection == connection }
    let mustRest = rests.map { $0.member == member.id && now < $0.until } ?? false
    return !mustRest || roster.controllers.count == 1
  }

  /// Tells a presser that somebody else draws, in a stealth room at most once a second: the answers
  /// would time the other one's stroke.
  private mutating func refuseBusy(
    _ connection: ConnectionKey, _ member: Member, _ batch: SampleBatch
  ) {
    if isStealth, now < member.busyToldUntil { return noteRefused(connection, member, batch) }
    roster.setBusyTold(until: now + .seconds(1), of: connection)
    refuse(connection, member, batch, Refusal.penBusy)
  }

  /// Answers a press that cannot become an attempt; nothing moves that anybody sees.
  private mutating func turnAway(
    _ connection: ConnectionKey, _ member: Member, _ batch: SampleBatch
  ) {
    // Its pointer is up, whatever becomes of this press.
    cancelStroke(of: connection)
    guard !isBoard else { return refuse(connection, member, batch, Refusal.stopping) }
    noteRefused(connection, member, batch)
    let outcome = isDraining ? Outcome.unavailable : .lockedOut
    actions.append(.noteVerdict(outcome, member.bucket, isRefusal: true))
    tell(connection, .verdict(verdict(batch.stroke, outcome, bucket: member.bucket)))
  }

  /// Tells once a stroke why its samples are ignored.
  private mutating func refuse(
    _ connection: ConnectionKey, _ member: Member, _ batch: SampleBatch, _ refusal: Failure
  ) {
    guard batch.stroke != member.refused else { return }
    noteRefused(connection, member, batch)
    tell(connection, refusal)
  }

  /// A refused press is remembered until its stroke ends, which a tap does in itself.
  private mutating func noteRefused(
    _ connection: ConnectionKey, _ member: Member, _ batch: SampleBatch
  ) {
    if batch.action == .tap && member.role.mayDraw { return }
    roster.setRefused(batch.stroke, of: connection)
  }

  /// Lets the tracker follow the batch and takes up how the stroke ended, if it did.
  private mutating func draw(_ stroke: Stroke, _ batch: SampleBatch) {
    tracker.handle(batch.action, batch.samples, into: &steps)
    let last = steps.last
    steps.removeAll(keepingCapacity: true)
    lastMove = nil
    bookkeeping.openChanged = true
    switch last {
    case .finished: finish(stroke)
    case .cancelled: end(stroke, .cancelled)
    case .pressed, .moved, .entered, nil: break
    }
  }

  private mutating func finish(_ stroke: Stroke) {
    guard !tracker.path.isEmpty else { return end(stroke, .cancelled) }
    guard let policy else { return end(stroke, .finished) }
    guard tracker.path.count >= policy.minimumNodes else {
      actions.append(.noteVerdict(.tooShort, stroke.bucket, isRefusal: false))
      tell(stroke.connection, .verdict(verdict(stroke.number, .tooShort, bucket: stroke.bucket)))
      return end(stroke, .tooShort)
    }
    putBeforeSecrets(stroke)
  }

  /// The stroke is over: shown on, or in a stealth room forgotten.
  mutating func end(_ stroke: Stroke, _ ending: Ending) {
    let until = isBoard ? Instant.distantFuture : now + limits.verdictShown
    stage = isStealth && ending != .cancelled ? .idle : .ended(stroke, ending, until: until)
    lastMove = nil
    if isStealth || ending == .cancelled { tracker = blankTracker }
    bookkeeping.openChanged = true
    pen.strokeEnded(freeAt: now + limits.pressedPenKept)
  }

  /// Cancels the stroke that is being drawn, if there is one.
  mutating func cancelStroke() {
    if case .drawing(let stroke) = stage { end(stroke, .cancelled) }
  }

  /// Cancels the stroke that the connection is drawing, if it is.
  mutating func cancelStroke(of connection: ConnectionKey) {
    if case .drawing(let stroke) = stage, stroke.connection == connection {
      end(stroke, .cancelled)
    }
  }

  mutating func breakRate(_ connection: ConnectionKey) {
    guard roster[connection] != nil else { return }
    cancelStroke(of: connection)
    tell(connection, Refusal.tooFast)
  }

  mutating func tell(_ connection: ConnectionKey, _ failure: Failure) {
    tell(connection, .error(failure))
  }

  /// Tells a member what its role may hear, and nothing else: it may have come back as another.
  mutating func tell(_ connection: ConnectionKey, _ message: ServerMessage) {
    guard roster[connection]?.role.mayReceive(message.kind) == true else { return }
    actions.append(.tell(connection, message))
  }
}
