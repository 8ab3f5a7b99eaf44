package import PadModel

/// What is due when: a binary heap in which an entry may be outdated.
///
/// Whoever arms something anew just inserts again and ignores what comes out too early; so arming costs
/// no search. A loop has one timer, for the first entry.
package struct DueQueue<Item> {
  private var entries: [(due: Instant, item: Item)] = []

  /// Makes an empty queue.
  package init() {}

  /// When the first entry is due.
  package var first: Instant? { entries.first?.due }

  /// Number of entries, outdated ones included.
  package var count: Int { entries.count }

  /// Inserts an entry.
  package mutating func insert(_ item: Item, due: Instant) {
    entries.append((due, item))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].due < entries[parent].due else { return }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the first entry out if it is due.
  package mutating func popDue(at now: Instant) -> (due: Instant, item: Item)? {
    guard let first = entries.first, first.due <= now else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    sink()
    return first
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = 2 * parent + 1
      guard least < entries.count else { return }
      if least + 1 < entries.count, entries[least + 1].due < entries[least].due { least += 1 }
      guard entries[least].due < entries[parent].due else { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
