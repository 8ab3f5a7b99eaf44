import Foundation
import Synchronization
package import Testing

extension Trait where Self == Waiting {
  /// For suites that mostly wait for a server.
  package static var waiting: Self { Waiting() }
}

/// Runs tests on threads of its own.
///
/// These tests block while a server does something, and the pool that tests run on has one thread for
/// each core: with two cores, two of them would hold up all others.
package struct Waiting: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Threads.shared) { try await function() }
  }
}

/// A few threads that take jobs in turn.
private final class Threads: TaskExecutor {
  static let shared = Threads(count: 8)

  private let jobs = Mutex<[UnownedJob]>([])
  private let waiting = DispatchSemaphore(value: 0)

  init(count: Int) {
    for _ in 0..<count { Thread.detachNewThread { self.run() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    waiting.signal()
  }

  private func run() {
    while true {
      waiting.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
