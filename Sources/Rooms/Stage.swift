import PadModel

/// The stroke that a room shows.
struct Stroke: Equatable, Sendable {
  /// The drawer's number for it.
  let number: StrokeNumber
  let member: MemberID
  /// The connection that draws it; after its loss the key fits nobody.
  let connection: ConnectionKey
  let bucket: BucketKey
  let origin: UInt64
  /// When it is cancelled if it still goes on.
  let endsAt: Instant
}

/// Where a room is in the life of its newest stroke.
enum Stage: Equatable, Sendable {
  case idle
  case drawing(Stroke)
  case checking(Stroke, AttemptTicket)
  /// It is over and shown until then, or until the next press.
  case ended(Stroke, Ending, until: Instant)

  /// When time alone moves it on.
  var deadline: Instant {
    switch self {
    case .idle, .checking: .distantFuture
    case .drawing(let stroke): stroke.endsAt
    case .ended(_, _, let until): until
    }
  }
}

/// How a stroke ended.
enum Ending: Equatable, Sendable {
  case accepted, rejected, tooShort, unavailable, cancelled, finished

  var phase: Phase {
    switch self {
    case .accepted: .accepted
    case .rejected: .rejected
    case .tooShort: .tooShort
    case .unavailable: .unavailable
    case .cancelled: .cancelled
    case .finished: .finished
    }
  }

  /// What a judged attempt shows.
  ///
  /// Being locked out is no phase; a stroke that was already seen must end in something all the same.
  init(_ judgement: Judgement) {
    switch judgement {
    case .accepted: self = .accepted
    case .rejected: self = .rejected
    case .lockedOut, .unavailable: self = .unavailable
    }
  }
}

/// What a stealth room shows to those who did not draw: how the last attempt ended, for a while.
///
/// It follows verdicts alone, never presses, so nothing of a newer stroke shows in it.
struct Notice: Equatable, Sendable {
  let ending: Ending
  let until: Instant
}
