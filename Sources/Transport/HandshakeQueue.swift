/// Sockets whose request has not come yet, the oldest first, at the price of one array entry each.
///
/// Those that are over stay in it until everything before them is over too.
struct HandshakeQueue {
  private var ids: [ConnectionID] = []
  private var start = 0

  /// The oldest one.
  var first: ConnectionID? { start < ids.count ? ids[start] : nil }

  mutating func append(_ id: ConnectionID) { ids.append(id) }

  /// Forgets those at the front that are over.
  mutating func forget(while isOver: (ConnectionID) -> Bool) {
    while let first, isOver(first) { start += 1 }
    // Half of it at a time, so that each entry is moved once on average.
    guard start > ids.count / 2 else { return }
    ids.removeFirst(start)
    start = 0
  }
}
