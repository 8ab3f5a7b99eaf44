package import PadModel

/// What the hashing threads share: what waits, what is theirs to hash, and whether they are starved.
///
/// Patient threads get the processor only when nothing else wants it, so on a busy machine a hash may
/// take them for ever. A rescuer of ordinary priority steps in as soon as one has had a job for longer
/// than `patience`, and stays until that is over: it makes the late hashes again, then takes what waits.
/// Whoever ends a job first answers it.
package struct HashDesk<Key: Hashable & Sendable, ID: Equatable & Sendable, Job: Sendable>: Sendable
{
  /// What the rescuer is to do.
  package enum Rescue {
    /// Hash a job that a patient thread has too; ``HashDesk/answer(_:)`` tells who was first.
    case again(ID, Job)
    /// Hash a job that is nobody else's.
    case next(Job)
    /// Ask again then, or when a job comes.
    case look(at: Instant)
    /// Ask again when a job comes.
    case rest
  }

  /// A job that a patient thread has, or has yet to wake up for.
  private struct Begun: Sendable {
    let id: ID
    let job: Job
    let at: Instant
    var isTaken = false
    var isRescued = false
    var isAnswered = false
  }

  private var waiting = VerifyQueue<Key, (id: ID, job: Job)>()
  /// Of trusted devices, before all others: few can be, each by its own throttle.
  private var urgent = VerifyQueue<Key, (id: ID, job: Job)>()
  private var begun: [Begun] = []
  private let hands: Int
  private let patience: Duration

  /// Makes an empty desk for this many patient threads, each of which should end a hash within
  /// `patience`.
  package init(hands: Int, patience: Duration) {
    self.hands = hands
    self.patience = patience
  }

  /// Jobs that nobody hashes yet.
  package var waitingCount: Int {
    urgent.count + waiting.count + begun.count { !$0.isTaken && !$0.isRescued }
  }

  /// Puts a job at the end of its lock's, which take turns; those that go first have turns of their own.
  package mutating func append(
    _ job: Job, id: ID, of key: Key, first: Bool = false, at now: Instant
  ) {
    if first { urgent.append((id, job), of: key) } else { waiting.append((id, job), of: key) }
    handOut(at: now)
  }

  /// Gives a patient thread that woke up its job, if there still is one.
  package mutating func take(at now: Instant) -> (id: ID, job: Job)? {
    begun.removeAll { $0.isAnswered && !$0.isTaken }
    handOut(at: now)
    guard let index = begun.firstIndex(where: { !$0.isTaken }) else { return nil }
    begun[index].isTaken = true
    return (begun[index].id, begun[index].job)
  }

  /// A patient thread ended its hash; whether it is the one to answer.
  package mutating func finish(_ id: ID, at now: Instant) -> Bool {
    guard let index = begun.firstIndex(where: { $0.id == id }) else {
      preconditionFailure("a patient thread ends only what it took")
    }
    let ended = begun.remove(at: index)
    handOut(at: now)
    return !ended.isAnswered
  }

  /// The rescuer ended a hash that a patient thread has too; whether it is the one to answer.
  package mutating func answer(_ id: ID) -> Bool {
    guard let index = begun.firstIndex(where: { $0.id == id }) else { return false }
    begun[index].isAnswered = true
    return true
  }

  /// Tells the rescuer what to do.
  package mutating func rescue(at now: Instant) -> Rescue {
    if begun.contains(where: { isLate($0, now) }) {
      if let index = begun.firstIndex(where: { isLate($0, now) && !$0.isRescued }) {
        begun[index].isRescued = true
        return .again(begun[index].id, begun[index].job)
      }
      if let next = popFirst() { return .next(next.job) }
    }
    let next = begun.filter { !isLate($0, now) }.map(\.at).min()
    return next.map { .look(at: $0 + patience) } ?? .rest
  }

  /// Takes out all jobs that nobody hashes yet.
  package mutating func removeWaiting() -> [Job] {
    let idle = begun.filter { !$0.isTaken && !$0.isRescued }.map(\.job)
    begun.removeAll { !$0.isTaken && !$0.isRescued }
    return idle + (urgent.removeAll() + waiting.removeAll()).map(\.job)
  }

  private mutating func popFirst() -> (id: ID, job: Job)? {
    urgent.popFirst() ?? waiting.popFirst()
  }

  private func isLate(_ entry: Begun, _ now: Instant) -> Bool { entry.at + patience <= now }

  /// A job's time begins when a thread is free for it, not while others are before it.
  private mutating func handOut(at now: Instant) {
    while begun.count < hands, let next = popFirst() {
      begun.append(Begun(id: next.id, job: next.job, at: now))
    }
  }
}
