import DrawboltServer
import Dispatch
import PadModel
import Synchronization
import Testing
import Vault

@Suite("The log")
struct LogTests {
  @Test("cannot be made to begin a line by a member's name")
  func injection() throws {
    let room = try RoomName("demo")
    let event = LogEvent.badMessage(reason: "x\n2026 error forged\r\u{2028}\u{1b}[2J\" =\\")
    for format in LogFormat.allCases {
      let line = LogLine.render(event, time: "T", format: format)
      #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x2028 })
    }
    let name = try MemberName("a b=\"c\"")
    let joined = LogEvent.memberJoined(room: room, member: MemberID(1), role: .viewer, name: name)
    #expect(
      LogLine.render(joined, time: "T", format: .text)
        == #"T debug memberJoined room=demo member=m1 role=viewer name="a b=\"c\"""#)
    #expect(
      LogLine.render(joined, time: "T", format: .json)
        == #"{"time":"T","level":"debug","event":"memberJoined","room":"demo","member":"m1","#
        + #""role":"viewer","name":"a b=\"c\""}"#)
  }

  @Test("writes what its level lets through, in order, before it closes")
  func levels() throws {
    let lines = LockedLines()
    let log = Log(level: .info, format: .text) { lines.append($0) }
    log(.roomDropped(try RoomName("demo")))
    for count in 0..<100 { log(.secretsRaised(to: count)) }
    log.close()
    #expect(lines.all.count == 100)
    #expect(lines.all.first?.hasSuffix(" warning secretsRaised secretsPerLock=0\n") == true)
    #expect(lines.all.last?.hasSuffix(" warning secretsRaised secretsPerLock=99\n") == true)
  }

  @Test("drops what a stuck reader leaves no room for, and says how much")
  func dropped() {
    let lines = LockedLines()
    let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let log = Log(level: .info, format: .text) { line in
      if line.contains("=0\n") {
        entered.signal()
        gate.wait()
      }
      lines.append(line)
    }
    log(.secretsRaised(to: 0))
    entered.wait()
    for count in 1...5000 { log(.secretsRaised(to: count)) }
    gate.signal()
    log.close()
    #expect(lines.all.count == 1 + 4096 + 1)
    #expect(lines.all[4096].hasSuffix(" secretsPerLock=4096\n"))
    #expect(lines.all.last?.hasSuffix(" warning dropped lines=904\n") == true)
  }

  @Test("has written all that came before when it is flushed, and waits for no stuck reader")
  func flushed() {
    let lines = LockedLines()
    let log = Log(level: .info, format: .text) { lines.append($0) }
    for count in 1...100 { log(.secretsRaised(to: count)) }
    log.flush()
    #expect(lines.all.count == 100)
    log.close()
    let gate = DispatchSemaphore(value: 0)
    let stuck = Log(level: .info, format: .text) { _ in gate.wait() }
    stuck(.secretsRaised(to: 1))
    stuck.flush(by: .now)
    gate.signal()
    stuck.close()
  }

  @Test("names the lock that was changed and what was done, and no secret")
  func changes() throws {
    for (lock, text) in [
      ("front-door", "lock=front-door action=\"secret added\""), (nil, "action=\"secret added\""),
    ] {
      let change = LockChange(.secretAdded, lock: try lock.map { try LockID($0) })
      #expect(
        LogLine.render(.lockChanged(change), time: "T", format: .text)
          == "T info lockChanged \(text)")
    }
  }

  @Test("closes in time though its reader is stuck")
  func stuck() {
    let gate = DispatchSemaphore(value: 0)
    let log = Log(level: .info, format: .text) { _ in gate.wait() }
    log(.secretsRaised(to: 0))
    log.close(by: .now)
    gate.signal()
  }
}

private final class LockedLines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func append(_ line: String) { lines.withLock { $0.append(line) } }
}
