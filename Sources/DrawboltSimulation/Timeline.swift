import PadModel

/// What is to happen when, the soonest first; what is due at one moment comes in the order of adding.
struct Timeline<Event> {
  private struct Entry {
    let at: Instant
    let order: UInt64
    let event: Event

    func precedes(_ other: Entry) -> Bool {
      at == other.at ? order < other.order : at < other.at
    }
  }

  /// A heap: no entry precedes its parent, which stands at half its place.
  private var entries: [Entry] = []
  private var order: UInt64 = 0

  /// When the next event is due.
  var next: Instant? { entries.first?.at }

  mutating func add(_ event: Event, at instant: Instant) {
    order += 1
    entries.append(Entry(at: instant, order: order, event: event))
    var place = entries.count - 1
    while place > 0, entries[place].precedes(entries[(place - 1) / 2]) {
      entries.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func popFirst() -> (at: Instant, event: Event)? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      sink()
    }
    return (first.at, first.event)
  }

  private mutating func sink() {
    var place = 0
    while 2 * place + 1 < entries.count {
      let (left, right) = (2 * place + 1, 2 * place + 2)
      let isRight = right < entries.count && entries[right].precedes(entries[left])
      let soonest = isRight ? right : left
      guard entries[soonest].precedes(entries[place]) else { return }
      entries.swapAt(place, soonest)
      place = soonest
    }
  }
}
