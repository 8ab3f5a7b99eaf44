import PadModel
import Rooms

/// What a hub counts; see `/metrics`.
struct HubStatistics: Sendable {
  var roomsOpened = 0
  var roomsDropped = 0
  /// The counters of audiences whose rooms are gone.
  var departed = Audience.Counters()
  var grants = 0
  var verdicts: [Outcome: Int] = [:]
  var closes: [PadModel.CloseReason: Int] = [:]
}
