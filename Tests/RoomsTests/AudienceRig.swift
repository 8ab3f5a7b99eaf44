import PadModel
import Rooms
import Testing

/// An audience under a virtual clock, with sockets that can be full.
struct AudienceRig {
  struct Frame: Equatable {
    var at: Instant
    var projection: Projection
    var format: FrameFormat
    var version: UInt32
  }

  var audience: Audience
  var now = Instant.zero + .seconds(100)
  var versions: [Projection: UInt32] = [.open: 0, .stealth: 0]
  var slots: [ConnectionKey: Audience.Slot] = [:]
  var frames: [ConnectionKey: [Frame]] = [:]
  var fullSockets: Set<ConnectionKey> = []
  /// Who got a frame in the last turn, in that order.
  private(set) var order: [ConnectionKey] = []
  private var sent = 0

  init(_ limits: Limits = .standard) { audience = Audience(limits: limits) }

  mutating func add(
    _ key: ConnectionKey, _ projection: Projection = .open, _ format: FrameFormat = .binary,
    rate: Int? = nil, acknowledges: Bool = false
  ) {
    frames[key] = []
    slots[key] = audience.add(
      key: key, projection: projection, format: format, maxRate: rate, acknowledges: acknowledges,
      at: now)
  }

  mutating func remove(_ key: ConnectionKey) {
    if let slot = slots.removeValue(forKey: key) { audience.remove(slot) }
  }

  /// The room has something new.
  mutating func change(_ projection: Projection = .open) {
    versions[projection, default: 0] &+= 1
    audience.changed(projection, version: versions[projection] ?? 0, at: now)
  }

  @discardableResult
  mutating func acknowledge(_ key: ConnectionKey, _ version: UInt32) -> Bool {
    guard let slot = slots[key] else { return false }
    return audience.acknowledge(slot, version: version, at: now)
  }

  mutating func draws(_ key: ConnectionKey) {
    if let slot = slots[key] { audience.draws(slot) }
  }

  mutating func drain(_ key: ConnectionKey) {
    fullSockets.remove(key)
    if let slot = slots[key] { audience.writable(slot, at: now) }
  }

  mutating func show(_ key: ConnectionKey, _ projection: Projection) {
    if let slot = slots[key] { audience.setProjection(slot, projection, at: now) }
  }

  /// Ends a turn of the loop; answers who got a frame.
  @discardableResult
  mutating func turn() -> [ConnectionKey] {
    var got: [ConnectionKey] = []
    audience.collect(at: now) { key, projection, format in
      guard !fullSockets.contains(key) else { return false }
      got.append(key)
      sent += 1
      frames[key, default: []].append(
        Frame(at: now, projection: projection, format: format, version: versions[projection] ?? 0))
      return true
    }
    order = got
    got.sort()
    if zip(got, got.dropFirst()).contains(where: { $0 == $1 }) {
      Issue.record("more than one frame a member and turn")
    }
    expectBalance()
    return got
  }

  /// Checks the books; the plain comparison first, since this runs after every turn.
  func expectBalance() {
    let all = audience.counters
    let accounted = all.sent + all.coalesced + all.withheld + all.pending + all.departed
    if all.offered == accounted, all.pending <= audience.count, all.sent + all.repeated == sent {
      return
    }
    Issue.record("offered \(all.offered), accounted \(accounted), really sent \(sent)")
  }

  /// Lets time pass, taking turns when one is due.
  mutating func pass(_ time: Duration) {
    let end = now + time
    while let due = audience.nextDue, due <= end {
      now = max(now, due)
      let got = turn()
      if got.isEmpty, let next = audience.nextDue, next <= now {
        Issue.record("due at once and nothing to do")
        return
      }
    }
    now = end
  }

  /// Changes `count` times, `step` apart, each in its own turn.
  mutating func stream(_ count: Int, every step: Duration) {
    for _ in 0..<count {
      change()
      turn()
      pass(step)
    }
  }

  func count(_ key: ConnectionKey) -> Int { frames[key]?.count ?? 0 }
  func last(_ key: ConnectionKey) -> UInt32? { frames[key]?.last?.version }
}
