import PadModel

/// The right to draw on a board.
///
/// A lock room needs none: there the pen is with whoever draws the current stroke.
struct Pen: Equatable, Sendable {
  /// How the holder came by it.
  enum Hold: Equatable, Sendable {
    /// By a press: it falls free soon after the stroke.
    case pressed
    /// By asking, being given it or taking it: it is kept until it is put down.
    case asked
  }

  struct Holder: Equatable, Sendable {
    let id: MemberID
    var hold: Hold
    /// When it falls free: after a stroke, or while the holder is away.
    var freeAt = Instant.distantFuture
  }

  private(set) var holder: Holder?
  private(set) var queue: [MemberID] = []

  /// When it falls free by itself.
  var deadline: Instant { holder?.freeAt ?? .distantFuture }

  func isHeld(by id: MemberID) -> Bool { holder?.id == id }

  /// Gives it to `id`, which waits no longer.
  mutating func hand(to id: MemberID, _ hold: Hold) {
    queue.removeAll { $0 == id }
    holder = Holder(id: id, hold: hold)
  }

  /// Takes a press: whether `id` has the pen, taking it if it is free.
  ///
  /// When nobody holds it nobody waits: ``free()`` hands it on at once.
  mutating func press(by id: MemberID) -> Bool {
    if holder == nil { hand(to: id, .pressed) }
    guard isHeld(by: id) else { return false }
    holder?.freeAt = .distantFuture
    return true
  }

  /// The holder's stroke is over.
  mutating func strokeEnded(freeAt: Instant) {
    if holder?.hold == .pressed { holder?.freeAt = freeAt }
  }

  /// Gives it to `id` if it is free, or puts `id` into the queue; a holder by press now keeps it.
  mutating func request(by id: MemberID) {
    if holder == nil || isHeld(by: id) { return hand(to: id, .asked) }
    if !queue.contains(id) { queue.append(id) }
  }

  /// Takes it from its holder; the first that waits has it then.
  mutating func free() {
    holder = nil
    if !queue.isEmpty { holder = Holder(id: queue.removeFirst(), hold: .asked) }
  }

  /// `id` waits no longer.
  mutating func dequeue(_ id: MemberID) { queue.removeAll { $0 == id } }

  /// The holder's connection is lost: what it asked for it keeps a while for its resume key.
  mutating func holderLeft(keepUntil: Instant) {
    if holder?.hold == .asked { holder?.freeAt = keepUntil } else { free() }
  }

  /// The holder is back.
  mutating func holderReturned() { holder?.freeAt = .distantFuture }
}
