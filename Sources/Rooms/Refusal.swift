import PadModel

/// What a room says when it refuses something.
enum Refusal {
  static let mayNotDraw = Failure(.denied, "only controllers may draw")
  static let mayNotHoldPen = Failure(.denied, "your role may not do that with the pen")
  static let mayNotOpen = Failure(.denied, "only actuators may claim grants")
  static let penNotHeld = Failure(.denied, "you do not have the pen")
  static let penTakenByPress = Failure(.denied, "the pen of a lock is taken by pressing")
  static let penBusy = Failure(.penBusy, "somebody else has the pen", retryable: true)
  static let unknownMember = Failure(.unknownMember, "no such controller is here")
  static let unknownGrant = Failure(.unknownGrant, "no such grant is open")
  static let stopping = Failure(.unavailable, "the server is stopping", retryable: true)
  static let tooFast = Failure(
    .rate, "samples or messages came too fast; the stroke was cancelled", retryable: true)
}
