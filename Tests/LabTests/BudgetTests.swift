import CLab
import DrawboltServer
import Foundation
import PadModel
import Synchronization
import Testing
import Transport
import drawbolt_lab

/// What a loop's thread has asked the system for.
private struct Calls: Equatable {
  var sends: UInt64
  var epollChanges: UInt64
  var allocations: UInt64

  /// Those of the calling thread.
  static var own: Calls {
    Calls(
      sends: lab_sends(), epollChanges: lab_epoll_changes(), allocations: lab_allocations())
  }

  static func - (later: Calls, earlier: Calls) -> Calls {
    Calls(
      sends: later.sends - earlier.sends,
      epollChanges: later.epollChanges - earlier.epollChanges,
      allocations: later.allocations - earlier.allocations)
  }
}

/// Where a loop's thread leaves its answer.
private final class Answer: Sendable {
  private let calls = Mutex<Calls?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func give(_ value: Calls) {
    calls.withLock { $0 = value }
    isThere.signal()
  }

  func wait() throws -> Calls {
    isThere.wait()
    return try #require(calls.withLock { $0 })
  }
}

extension LabServer {
  /// The calls of its only loop until now.
  fileprivate func calls() throws -> Calls {
    let answer = Answer()
    server.submit { _ in answer.give(.own) }
    return try answer.wait()
  }
}

extension LoadRun {
  /// Sends one sample and reads until every member has been shown it.
  fileprivate func showSample() throws {
    sent += 1
    putSample(sent)
    flush(0)
    let end = monotonicNanoseconds() + 20_000_000_000
    while members.contains(where: { $0.newest != sent }) {
      let losses = members.compactMap(\.loss)
      try #require(losses.isEmpty, "\(losses) \(complaint ?? "")")
      let late = members.indices.filter { members[$0].newest != sent }
      try #require(monotonicNanoseconds() < end, "sample \(sent) was not shown to \(late)")
      wait(until: end)
    }
  }
}

@Suite("One sample", .serialized)
struct BudgetTests {
  private static let samples = 60

  /// What each of many samples costs the loop, asking for it included, with so many members.
  private func costs(members: Int, acknowledges: Bool = false) throws -> [Calls] {
    let server = try LabServer(pinned: false)
    defer { server.stop() }
    var plan = LoadPlan(address: server.address, room: .board("budget"))
    plan.viewers = members - 1
    plan.acknowledges = acknowledges
    let run = try LoadRun.connected(plan)
    // To accept and to watch so many takes calls, so they are counted.
    #expect(try server.calls().epollChanges >= members)
    var costs: [Calls] = []
    for _ in 0..<Self.samples {
      let before = try server.calls()
      try run.showSample()
      costs.append(try server.calls() - before)
    }
    return costs
  }

  private func median(_ values: [UInt64]) -> UInt64 { values.sorted()[values.count / 2] }

  @Test("shown to 100 members is 100 sends, no epoll_ctl, and no allocation for a member more")
  func hundredMembers() throws {
    let many = try costs(members: 100)
    let few = try costs(members: 10)
    // Now and then a message about members or the pen, or a tick, costs something of its own.
    #expect(median(many.map(\.sends)) == 100)
    #expect(median(few.map(\.sends)) == 10)
    #expect(many.allSatisfy { $0.sends >= 100 && $0.epollChanges == 0 })
    if lab_counts_allocations() != 0 {
      let least = (many: many.map(\.allocations).min(), few: few.map(\.allocations).min())
      #expect(least.many == least.few)
      #expect(least.many ?? 0 > 0)
    }
  }

  @Test("shown to members that acknowledge takes no allocation for a member more either")
  func acknowledging() throws {
    guard lab_counts_allocations() != 0 else { return }
    let many = try costs(members: 100, acknowledges: true).map(\.allocations).min()
    let few = try costs(members: 10, acknowledges: true).map(\.allocations).min()
    #expect(many == few)
  }
}
