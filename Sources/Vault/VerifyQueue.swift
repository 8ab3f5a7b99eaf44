/// What waits for a hashing thread: bounded, and the locks take turns.
///
/// One lock that is drawn at all the time must not make the others wait for all of its attempts.
package struct VerifyQueue<Key: Hashable & Sendable, Job: Sendable>: Sendable {
  private var turns: [Key] = []
  private var jobs: [Key: [Job]] = [:]
  /// Number of jobs.
  package private(set) var count = 0

  /// Makes an empty queue.
  package init() {}

  /// Appends a job of a lock.
  package mutating func append(_ job: Job, of key: Key) {
    if jobs[key] == nil { turns.append(key) }
    jobs[key, default: []].append(job)
    count += 1
  }

  /// Takes the job whose lock's turn it is; the lock's next one goes to the end of the turns.
  package mutating func popFirst() -> Job? {
    guard !turns.isEmpty else { return nil }
    let key = turns.removeFirst()
    guard var waiting = jobs.removeValue(forKey: key) else {
      preconditionFailure("a lock in the turns has jobs")
    }
    let job = waiting.removeFirst()
    if !waiting.isEmpty {
      jobs[key] = waiting
      turns.append(key)
    }
    count -= 1
    return job
  }

  /// Takes all jobs out.
  package mutating func removeAll() -> [Job] {
    var all: [Job] = []
    while let job = popFirst() { all.append(job) }
    return all
  }
}
