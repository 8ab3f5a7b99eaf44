import Dispatch
import Glibc
import PadModel
import Synchronization
import Testing
import Vault

/// A desk of two patient threads with a patience of 250 ms, asked at times in milliseconds.
private final class Shift {
  private var desk = HashDesk<String, Int, String>(hands: 2, patience: .milliseconds(250))

  init(_ jobs: Int) {
    for job in 0..<jobs { desk.append("job\(job)", id: job, of: "lock\(job)", at: .zero) }
  }

  var waitingCount: Int { desk.waitingCount }

  func take(at time: Int64) -> String? { desk.take(at: instant(time))?.job }
  func finish(_ job: Int, at time: Int64) -> Bool { desk.finish(job, at: instant(time)) }
  func answer(_ job: Int) -> Bool { desk.answer(job) }
  func removeWaiting() -> [String] { desk.removeWaiting() }

  func rescue(at time: Int64) -> String {
    switch desk.rescue(at: instant(time)) {
    case .again(_, let job): "again \(job)"
    case .next(let job): "next \(job)"
    case .look(let moment): "look at \(moment.nanoseconds / 1_000_000)"
    case .rest: "rest"
    }
  }

  private func instant(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }
}

/// Who hashes what when the patient threads are starved.
@Suite struct HashDeskTests {
  @Test("While the patient threads get on, the rescuer only looks, and rests when nothing is there")
  func patient() {
    let desk = Shift(3)
    #expect(desk.waitingCount == 3)
    #expect(desk.take(at: 0) == "job0")
    #expect(desk.take(at: 0) == "job1")
    #expect(desk.take(at: 0) == nil)
    #expect(desk.rescue(at: 249) == "look at 250")
    for job in [0, 1] { #expect(desk.finish(job, at: 249)) }
    #expect(desk.rescue(at: 250) == "look at 499")
    #expect(desk.take(at: 250) == "job2")
    #expect(desk.waitingCount == 0)
    #expect(desk.finish(2, at: 260))
    #expect(desk.rescue(at: 10_000) == "rest")
  }

  @Test("A hash that takes too long is made again, and only the first of the two answers")
  func again() {
    for rescuerIsFirst in [true, false] {
      let desk = Shift(1)
      #expect(desk.take(at: 0) != nil)
      #expect(desk.rescue(at: 250) == "again job0")
      if rescuerIsFirst { #expect(desk.answer(0)) }
      #expect(desk.finish(0, at: 300) == !rescuerIsFirst)
      if !rescuerIsFirst { #expect(!desk.answer(0)) }
      #expect(desk.rescue(at: 1000) == "rest")
    }
  }

  @Test("The rescuer takes what waits for as long as a patient thread is late")
  func next() {
    let desk = Shift(4)
    #expect(desk.take(at: 0) == "job0")
    #expect(desk.rescue(at: 250) == "again job0")
    #expect(desk.rescue(at: 260) == "again job1")
    #expect(desk.answer(0) && desk.answer(1))
    #expect(desk.rescue(at: 270) == "next job2")
    #expect(desk.waitingCount == 1)
    // Both come back: one ends what was answered, the other wakes up for what was answered.
    #expect(!desk.finish(0, at: 280))
    #expect(desk.take(at: 280) == "job3")
    #expect(desk.rescue(at: 281) == "look at 530")
    #expect(desk.finish(3, at: 300))
  }

  @Test("What nobody hashes yet is given up, the rest is not")
  func givingUp() {
    let desk = Shift(5)
    #expect(desk.take(at: 0) == "job0")
    #expect(desk.removeWaiting() == ["job1", "job2", "job3", "job4"])
    #expect(desk.waitingCount == 0)
    #expect(desk.take(at: 0) == nil)
    #expect(desk.finish(0, at: 0))
  }

  @Test("A verdict comes although both patient threads get nowhere, and is written once")
  func starved() async throws {
    let world = try World()
    world.configure { $0.hashPatience = .zero }
    let lock = try world.addLock()
    let vault = try world.vault()
    let starving = DispatchSemaphore(value: 0)
    let calls = Mutex(0)
    // Of the first two calls one is a patient thread's and one the rescuer's, in either order.
    vault.setHashHook {
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      if call == 1 { starving.wait() }
    }
    #expect(try await world.draw(at: lock).outcome == .accepted)
    starving.signal()
    world.stop()
    let outcomes = try world.outcomes()
    #expect(outcomes.filter { $0 == "accepted" }.count == 1)
    #expect(!outcomes.contains("abandoned"))
    #expect(calls.withLock { $0 } == 2)
  }

  @Test("A patient thread gets the processor only when nothing else wants it")
  func idleScheduling() async throws {
    let world = try World()
    world.configure { $0.hashesWhenIdle = true }
    let lock = try world.addLock()
    let policies = Mutex<Set<Int32>>([])
    try world.vault().setHashHook {
      policies.withLock { _ = $0.insert(sched_getscheduler(0)) }
    }
    #expect(try await world.draw(at: lock).outcome == .accepted)
    // sched.h's SCHED_IDLE, which Swift's import leaves out.
    #expect(policies.withLock { $0 } == [5])
  }
}
