import PadModel

/// What a hub counts; see `/metrics`.
struct HubStatistics: Sendable {
  var roomsOpened = 0
  var roomsDropped = 0
  var grants = 0
  var verdicts: [Outcome: Int] = [:]
  var closes: [PadModel.CloseReason: Int] = [:]
}
