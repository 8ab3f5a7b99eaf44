import PadModel

/// Which attempts are before the secrets and which wait.
///
/// One a bucket is in flight, so that each is judged after the delay that the one before it earned;
/// a few wait behind it in the order of their release; the rest is turned away at once. One that is
/// in flight holds its bucket until its answer comes, however late.
struct AttemptGate: Sendable {
  /// What became of an attempt at the door.
  enum Admission: Equatable, Sendable { case inFlight, waiting, refused }

  struct Entry: Equatable, Sendable {
    var attempt: Attempt
    let stroke: StrokeNumber
    /// When the drawer is told `unavailable`.
    let deadline: Instant
    fileprivate(set) var standing: Standing = .waiting
  }

  enum Standing: Equatable, Sendable {
    case waiting
    case inFlight
    /// In flight, and the drawer was told `unavailable`: the answer is for the bucket alone.
    case overdue
  }

  /// In the order of release; of each bucket the first is in flight.
  private var entries: [Entry] = []
  private let perBucket: Int
  private let perConnection: Int

  init(limits: Limits) {
    perBucket = limits.attemptsWaitingPerBucket
    perConnection = limits.attemptsWaitingPerConnection
  }

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  /// Whether a verdict is still to be told to the member.
  func awaitsVerdict(_ id: MemberID) -> Bool {
    entries.contains { $0.attempt.member == id && $0.standing != .overdue }
  }

  /// When the next drawer has waited too long.
  var nextDeadline: Instant {
    entries.reduce(.distantFuture) { $1.standing == .overdue ? $0 : min($0, $1.deadline) }
  }

  mutating func admit(_ attempt: Attempt, stroke: StrokeNumber, deadline: Instant) -> Admission {
    var entry = Entry(attempt: attempt, stroke: stroke, deadline: deadline)
    var (isBusy, waiting, own) = (false, 0, 0)
    for other in entries where other.attempt.bucket == attempt.bucket {
      isBusy = true
      guard other.standing == .waiting else { continue }
      waiting += 1
      if other.attempt.connection == attempt.connection { own += 1 }
    }
    if isBusy && (waiting >= perBucket || own >= perConnection) { return .refused }
    if !isBusy { entry.standing = .inFlight }
    entries.append(entry)
    return isBusy ? .waiting : .inFlight
  }

  /// Takes out the attempt that was answered.
  mutating func answer(_ ticket: AttemptTicket) -> Entry? {
    let place = entries.firstIndex { $0.attempt.ticket == ticket && $0.standing != .waiting }
    return place.map { entries.remove(at: $0) }
  }

  /// Takes out the bucket's next attempt if none is in flight.
  mutating func takeNext(in bucket: BucketKey) -> Entry? {
    guard let place = entries.firstIndex(where: { $0.attempt.bucket == bucket }),
      entries[place].standing == .waiting
    else { return nil }
    return entries.remove(at: place)
  }

  /// Puts an attempt that ``takeNext(in:)`` gave in flight.
  mutating func launch(_ entry: Entry) {
    var entry = entry
    entry.standing = .inFlight
    let first = entries.firstIndex { $0.attempt.bucket == entry.attempt.bucket }
    entries.insert(entry, at: first ?? entries.endIndex)
  }

  /// The next attempt whose drawer has waited too long; if it was only waiting it is taken out.
  mutating func takeOverdue(at now: Instant) -> Entry? {
    let late = entries.firstIndex { $0.standing != .overdue && $0.deadline <= now }
    guard let place = late else { return nil }
    if entries[place].standing == .waiting { return entries.remove(at: place) }
    entries[place].standing = .overdue
    return entries[place]
  }
}
