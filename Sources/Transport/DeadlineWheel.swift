/// Coarse deadlines of many connections at the price of one array entry each.
///
/// A connection is looked at when its bucket comes by; whoever owns the deadline then finds out
/// whether it still holds. So hearing from a peer, which moves its deadline, costs nothing here.
struct DeadlineWheel {
  /// Milliseconds of one bucket.
  let tick: Int
  private var buckets: [[ConnectionID]]
  private var current: Int

  /// A wheel that starts at a time in milliseconds.
  init(tick: Int, now: Int) {
    self.tick = tick
    current = now / tick
    buckets = Array(repeating: [], count: 128)
  }

  /// The bucket, counted from the start of time, in which a time has passed for sure.
  func bucket(of time: Int) -> Int { max(time / tick, current) + 1 }

  /// Puts an id into a bucket; one that is too far away comes by earlier and is put in again.
  mutating func insert(_ id: ConnectionID, at bucket: Int) -> Int {
    let reachable = min(bucket, current + buckets.count - 1)
    buckets[reachable % buckets.count].append(id)
    return reachable
  }

  /// Moves on to a time and takes out what was due until then.
  mutating func takeDue(at now: Int) -> [ConnectionID] {
    let target = now / tick
    let steps = min(target - current, buckets.count)
    guard steps > 0 else { return [] }
    current = target
    var due: [ConnectionID] = []
    for step in (target - steps + 1)...target {
      let index = step % buckets.count
      due.append(contentsOf: buckets[index])
      buckets[index].removeAll(keepingCapacity: buckets[index].count <= 1024)
    }
    return due
  }
}
