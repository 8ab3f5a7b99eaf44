import CLab
package import DrawboltServer
import Foundation
import PadModel
import Wire

/// A load on a server of this machine, from one thread.
///
/// Open loop: sample n is due at start + n · period whatever the server does, and a state's latency is
/// counted from when its sample was due, not from when it left. A late sender or a stuck server so
/// shows as latency and never as a lower rate.
package final class LoadRun {
  let plan: LoadPlan
  let epoll: Int32
  package var members: [LoadMember] = []
  var events = [epoll_event](repeating: epoll_event(), count: 512)
  var scratch = [UInt8](repeating: 0, count: 65_536)
  var acknowledgement: [UInt8] = []

  /// When sample 0 was due; samples count from 1.
  var start: Int64 = 0
  /// The sample that was sent last.
  package var sent = 0
  var stroke: StrokeNumber = 1
  /// The sample with which the stroke began.
  var strokeBegan = 0

  var latency = Histogram()
  var replaced = Histogram()
  var lateness = Histogram()
  var superseded = 0
  var reordered = 0
  package internal(set) var complaint: String?
  var otherWork: OtherWork?

  private init(_ plan: LoadPlan, epoll: Int32) {
    self.plan = plan
    self.epoll = epoll
  }

  deinit {
    for member in members { close(member.descriptor) }
    close(epoll)
  }

  /// Connects, draws, waits for the last states, and says what came of it.
  ///
  /// `progress` gets a line now and then.
  static func run(
    _ plan: LoadPlan, progress: (String) -> Void
  ) throws(CommandFailure) -> LoadReport {
    let run = try connected(plan, progress: progress)
    try run.draw(progress)
    return run.report()
  }

  /// Connects as far as the plan's goal; the members stay for as long as the value does.
  package static func connected(
    _ plan: LoadPlan, progress: (String) -> Void = { _ in }
  ) throws(CommandFailure) -> LoadRun {
    let descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard descriptor >= 0 else { throw systemFailure("epoll_create1") }
    let run = LoadRun(plan, epoll: descriptor)
    try run.connectAll(progress)
    return run
  }

  /// Reads what comes, for so long.
  func idle(nanoseconds: Int64) {
    let end = monotonicNanoseconds() + nanoseconds
    while monotonicNanoseconds() < end { wait(until: end) }
  }

  static func systemFailure(_ call: String) -> CommandFailure {
    CommandFailure(.systemError, "\(call) failed: \(String(cString: strerror(errno)))")
  }

  var periodNanoseconds: Double { 1e9 / Double(plan.rate) }
  var lastSample: Int {
    Int(Double(plan.seconds * 1_000_000_000 + Int(LoadPlan.warmUpNanoseconds)) / periodNanoseconds)
  }

  /// When a sample is due.
  func due(_ number: Int) -> Int64 { start + Int64(Double(number) * periodNanoseconds) }

  // MARK: - Drawing

  /// Sends every sample at its time and reads until the last states are in.
  private func draw(_ progress: (String) -> Void) throws(CommandFailure) {
    start = monotonicNanoseconds() + 10_000_000
    otherWork = OtherWork()
    var nextLine = start + 1_000_000_000
    while sent < lastSample {
      let now = monotonicNanoseconds()
      sendDue(at: now)
      if now >= nextLine {
        nextLine += 1_000_000_000
        progress(line(at: now))
        try checkController()
      }
      wait(until: due(sent + 1))
    }
    let end = monotonicNanoseconds() + LoadPlan.drainNanoseconds
    while monotonicNanoseconds() < end, !everyoneHasTheLast { wait(until: end) }
  }

  private func checkController() throws(CommandFailure) {
    if case .gone(let reason) = members[0].stage {
      throw CommandFailure(.unavailable, "the controller was lost: \(reason)")
    }
    guard members[0].newest > 0 || due(sent) - start < LoadPlan.patienceNanoseconds else {
      let reason = complaint.map { ": \($0)" } ?? "; does somebody else hold the pen?"
      throw CommandFailure(.unavailable, "no state came back\(reason)")
    }
  }

  private var everyoneHasTheLast: Bool {
    members.allSatisfy { $0.stage != .ready || $0.newest == lastSample }
  }

  private func line(at now: Int64) -> String {
    "\((now - start) / 1_000_000_000) s of \(plan.seconds + 1): \(sent) samples, "
      + "\(latency.count) states, p99 so far \(latency.quantile(0.99) / 1000) µs"
  }

  /// Sends what is due; called between reads too, so that much to read delays nothing.
  func sendDue(at now: Int64) {
    guard start > 0, sent < lastSample, due(sent + 1) <= now else { return }
    while sent < lastSample, due(sent + 1) <= now {
      sent += 1
      putSample(sent)
      if isCounted(sent) { lateness.add(now - due(sent)) }
    }
    flush(0)
  }

  func isCounted(_ number: Int) -> Bool { due(number) - start >= LoadPlan.warmUpNanoseconds }

  /// A stroke may not last for ever on a server, so a new one begins every minute.
  package func putSample(_ number: Int) {
    let place = SampleNumber.position(of: number)
    let sample = Sample(elapsed: 0, position: Point(x: place.x, y: place.y))
    let isNew = strokeBegan == 0 || number - strokeBegan >= 60 * plan.rate
    if isNew, strokeBegan > 0 {
      put(.samples(SampleBatch(stroke: stroke, action: .release)), by: members[0])
      stroke += 1
    }
    if isNew { strokeBegan = number }
    put(
      .samples(SampleBatch(stroke: stroke, action: isNew ? .press : .move, samples: [sample])),
      by: members[0])
  }

  func put(_ message: ClientMessage, by member: LoadMember) {
    var bytes: [UInt8] = []
    let isText = ClientMessageEncoder.encode(message, as: .binary, into: &bytes)
    member.putFrame(opcode: isText ? 1 : 2, bytes)
  }

  // MARK: - Waiting

  /// Handles what comes until then at the latest, or one round of it.
  ///
  /// The last fifth of a millisecond is spent asking, since the kernel wakes no finer.
  package func wait(until end: Int64) {
    let gap = end - monotonicNanoseconds()
    let timeout = Int32(clamping: max(0, gap - 200_000) / 1_000_000)
    let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
    guard count > 0 else { return }
    for place in 0..<Int(count) {
      let event = events[place]
      handle(Int(event.data.u64), events: event.events)
    }
  }
}
