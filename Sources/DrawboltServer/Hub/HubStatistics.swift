import PadModel
import Rooms

/// What a hub counts; see `/metrics`.
struct HubStatistics: Sendable {
  var roomsOpened = 0
  var roomsDropped = 0
  /// The counters of audiences whose rooms are gone.
  var departed = Audience.Counters()
  var grants = 0
  /// Buckets whose delay came to a quarter of an hour.
  var alarms = 0
  var verdicts: [Outcome: Int] = [:]
  var closes: [PadModel.CloseReason: Int] = [:]

  static func += (sum: inout HubStatistics, other: HubStatistics) {
    sum.roomsOpened += other.roomsOpened
    sum.roomsDropped += other.roomsDropped
    sum.departed += other.departed
    sum.grants += other.grants
    sum.alarms += other.alarms
    sum.verdicts.merge(other.verdicts, uniquingKeysWith: +)
    sum.closes.merge(other.closes, uniquingKeysWith: +)
  }
}
