import CLab
import DrawboltServer
import Foundation
import PadModel
import Transport

// How members connect, and what they do with what they are sent.
extension LoadRun {
  /// RFC 6455 §1.3's own sample key, so that the right answer is known without a digest.
  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
  private static let answer = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
  private static let longestBacklog = 8 << 20

  /// Connects the controller and the viewers and waits until all have their welcome.
  func connectAll(_ progress: (String) -> Void) throws(CommandFailure) {
    let wanted = plan.viewers + 1
    let deadline = monotonicNanoseconds() + LoadPlan.connectNanoseconds
    var nextLine = monotonicNanoseconds() + 1_000_000_000
    while true {
      let ready = members.count { $0.stage == .ready }
      for member in members { if case .gone(let reason) = member.stage { throw refused(reason) } }
      if ready == wanted { return }
      // The first member is the controller, so that it has the board's pen to itself.
      while members.count < wanted, members.count - ready < (ready == 0 ? 1 : LoadPlan.connecting) {
        try connectOne()
      }
      let now = monotonicNanoseconds()
      guard now < deadline else {
        throw CommandFailure(
          .unavailable, "only \(ready) of \(wanted) members were welcomed in time")
      }
      if now >= nextLine {
        nextLine += 1_000_000_000
        progress("\(ready) of \(wanted) members are in")
      }
      wait(until: min(deadline, now + 100_000_000))
    }
  }

  private func refused(_ reason: String) -> CommandFailure {
    let ready = members.count { $0.stage == .ready }
    let hint = ready < 2 ? "" : "; a server without --dev takes few connections from one address"
    return CommandFailure(
      .unavailable, "member \(ready + 1) was not let in: \(complaint ?? reason)\(hint)")
  }

  private func connectOne() throws(CommandFailure) {
    let family = plan.address.isIPv6 ? AF_INET6 : AF_INET
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw Self.systemFailure("socket") }
    var one: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    let member = LoadMember(
      descriptor: descriptor, role: members.isEmpty ? .controller : .viewer)
    members.append(member)
    guard Self.connect(descriptor, plan.address) == 0 || errno == EINPROGRESS else {
      throw Self.systemFailure("connecting to \(plan.address)")
    }
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | EPOLLOUT.rawValue
    event.data.u64 = UInt64(members.count - 1)
    guard epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
      throw Self.systemFailure("epoll_ctl")
    }
    member.waitsForRoom = true
  }

  private static func connect(_ descriptor: Int32, _ address: ListenAddress) -> Int32 {
    if address.isIPv6 {
      var six = sockaddr_in6()
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = address.port.bigEndian
      withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: address.octets) }
      return connect(descriptor, &six)
    }
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_port = address.port.bigEndian
    withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: address.octets) }
    return connect(descriptor, &four)
  }

  private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  // MARK: - Events

  /// Something happened on a member's socket.
  func handle(_ index: Int, events: UInt32) {
    let member = members[index]
    if case .gone = member.stage { return }
    if member.stage == .connecting {
      guard events & EPOLLERR.rawValue == 0 else { return lose(index, "nobody listens there") }
      member.stage = plan.goal == .socket ? .ready : .upgrading
      if plan.goal != .socket { member.put(request.utf8) }
    }
    if events & EPOLLOUT.rawValue != 0 { flush(index) }
    if events & ~EPOLLOUT.rawValue != 0 { read(index) }
  }

  private var request: String {
    "GET \(plan.path) HTTP/1.1\r\nHost: \(plan.address)\r\nUpgrade: websocket\r\n"
      + "Connection: Upgrade\r\nSec-WebSocket-Key: \(Self.key)\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Protocol: drawbolt.v1\r\n\r\n"
  }

  /// Sends what waits, and asks to be told of room only while something does.
  package func flush(_ index: Int) {
    let member = members[index]
    if case .gone = member.stage { return }
    guard let isOut = member.flush() else { return lose(index, "its socket broke") }
    guard member.backlog <= Self.longestBacklog else {
      return lose(index, "the server reads too slowly")
    }
    guard member.waitsForRoom == isOut else { return }
    member.waitsForRoom = !isOut
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | (isOut ? 0 : EPOLLOUT.rawValue)
    event.data.u64 = UInt64(index)
    epoll_ctl(epoll, EPOLL_CTL_MOD, member.descriptor, &event)
  }

  private func lose(_ index: Int, _ reason: String) {
    members[index].stage = .gone(reason)
    epoll_ctl(epoll, EPOLL_CTL_DEL, members[index].descriptor, nil)
  }

  private func read(_ index: Int) {
    let member = members[index]
    let count = scratch.withUnsafeMutableBytes { bytes in
      recv(member.descriptor, bytes.baseAddress, bytes.count, 0)
    }
    let now = monotonicNanoseconds()
    guard count > 0 else {
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      return lose(index, count == 0 ? "the server closed it" : "its socket broke")
    }
    if member.unread.isEmpty {
      let used = take(scratch.span.extracting(first: count), of: index, at: now)
      if used < count { member.unread.append(contentsOf: scratch[used..<count]) }
    } else {
      member.unread.append(contentsOf: scratch[..<count])
      var all: [UInt8] = []
      swap(&all, &member.unread)
      let used = take(all.span, of: index, at: now)
      member.unread = Array(all[used...])
    }
    if member.backlog > 0 { flush(index) }
    sendDue(at: now)
  }

  /// Takes up all whole messages; answers how many bytes they had.
  private func take(_ bytes: Span<UInt8>, of index: Int, at now: Int64) -> Int {
    var used = 0
    if members[index].stage == .upgrading {
      guard let end = headEnd(bytes) else { return 0 }
      guard isUpgraded(bytes, end) else {
        lose(index, "the server did not upgrade")
        return bytes.count
      }
      used = end
      greet(members[index])
    }
    while used < bytes.count {
      switch ServerFrames.find(bytes, at: used) {
      case .nothing: return used
      case .malformed:
        lose(index, "the server sent a malformed frame")
        return bytes.count
      case .frame(let opcode, let payload):
        takeFrame(opcode, bytes, payload, of: index, at: now)
        used = payload.upperBound
      }
    }
    return used
  }

  private func headEnd(_ bytes: Span<UInt8>) -> Int? {
    let end: [UInt8] = [13, 10, 13, 10]
    var place = 0
    while place + 4 <= bytes.count {
      if (0..<4).allSatisfy({ bytes[place + $0] == end[$0] }) { return place + 4 }
      place += 1
    }
    return nil
  }

  private func isUpgraded(_ bytes: Span<UInt8>, _ end: Int) -> Bool {
    let head = text(bytes, 0..<end)
    return head.hasPrefix("HTTP/1.1 101 ") && head.contains(": \(Self.answer)\r\n")
  }

  private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    String(decoding: range.map { bytes[$0] }, as: UTF8.self)
  }

  private func greet(_ member: LoadMember) {
    guard plan.goal == .member else { return member.stage = .ready }
    member.stage = .joining
    let isViewer = member.role == .viewer
    put(
      .hello(
        Hello(
          room: plan.room, role: member.role, maxRate: isViewer ? plan.maxRate : nil,
          acknowledges: isViewer && plan.acknowledges)), by: member)
  }

  private func takeFrame(
    _ opcode: UInt8, _ bytes: Span<UInt8>, _ payload: Range<Int>, of index: Int, at now: Int64
  ) {
    let member = members[index]
    switch opcode {
    case 1:
      let message = text(bytes, payload)
      if message.hasPrefix(#"{"type":"welcome""#) { member.stage = .ready }
      if message.hasPrefix(#"{"type":"error""#) { complaint = message }
    case 2:
      if let number = SampleNumber.read(bytes, payload) { show(number, to: member, at: now) }
      if member.role == .viewer, plan.acknowledges { acknowledge(bytes, payload, by: member) }
    case 8: lose(index, "the server closed it" + closeCode(bytes, payload))
    case 9: member.putFrame(opcode: 10, payload.map { bytes[$0] })
    default: break
    }
  }

  private func closeCode(_ bytes: Span<UInt8>, _ payload: Range<Int>) -> String {
    guard payload.count >= 2 else { return "" }
    let start = payload.lowerBound
    return " with code \(Int(bytes[start]) << 8 | Int(bytes[start + 1]))"
  }

  /// A member was shown a sample: how long after it was due, and which ones it never saw.
  private func show(_ number: Int, to member: LoadMember, at now: Int64) {
    guard number <= sent else { return }
    guard number > member.newest else {
      if number < member.newest { reordered += 1 }
      return
    }
    defer { member.newest = number }
    guard member.role == .viewer else { return }
    for skipped in member.newest + 1..<number where isCounted(skipped) {
      superseded += 1
      replaced.add(now - due(skipped))
    }
    if isCounted(number) { latency.add(now - due(number)) }
  }

  /// As pages do: soon enough never to fill the window, and not for every state.
  private func acknowledge(_ bytes: Span<UInt8>, _ payload: Range<Int>, by member: LoadMember) {
    member.statesSinceAcknowledgement += 1
    guard member.statesSinceAcknowledgement >= 8, payload.count >= 14 else { return }
    member.statesSinceAcknowledgement = 0
    let version = (0..<4).reduce(UInt32(0)) {
      $0 | UInt32(bytes[payload.lowerBound + 5 + $1]) << UInt32(8 * $1)
    }
    put(.acknowledge(version: version), by: member)
  }
}
