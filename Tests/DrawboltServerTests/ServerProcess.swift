import CLinux
import Foundation
import Synchronization

/// What a test could not get.
struct Failed: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A folder that goes away with the value.
final class Scratch {
  let path: String

  init() throws {
    var template = Array((NSTemporaryDirectory() + "/drawbolt-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw Failed("mkdtemp \(errno)") }
    path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The real program as a child process.
final class ChildProcess {
  /// How a process ended.
  enum Ending: Equatable {
    case exited(Int32)
    case killed(Int32)
  }

  static let program: String = {
    let me = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (me as NSString).deletingLastPathComponent + "/drawbolt"
  }()

  let id: pid_t
  private let output: Int32
  private let errorPath: String
  private let reaper: Reaper
  private var text: [UInt8] = []

  /// Starts it; standard error goes into a file of `scratch` unless `errors` is another's path.
  ///
  /// It may be started through another program's words. Its standard input is the text or, with
  /// `terminal`, the terminal of this path. With `descriptors` it may open no more files than that.
  init(
    _ arguments: [String], scratch: Scratch, input: String = "", terminal: String? = nil,
    errors: String? = nil, descriptors: Int? = nil, through prefix: [String] = []
  ) throws {
    let name = scratch.path + "/" + UUID().uuidString
    errorPath = errors ?? name + ".err"
    let inputPath = terminal ?? name + ".in"
    if terminal == nil {
      try input.write(toFile: inputPath, atomically: false, encoding: .utf8)
    }
    var words = prefix + [Self.program] + arguments
    if let descriptors {
      words = ["/bin/sh", "-c", "ulimit -n \(descriptors) && exec \"$0\" \"$@\""] + words
    }
    var environment = ProcessInfo.processInfo.environment
    environment = environment.filter { !$0.key.hasPrefix("DRAWBOLT_") }
    // The worst case: a parent that asks for backtraces.
    environment["SWIFT_BACKTRACE"] = "enable=yes,color=no"
    let environmentWords = environment.map { "\($0.key)=\($0.value)" }
    let files = (inputPath, errorPath)
    (id, output) = try Self.spawning.withLock { _ in
      try Self.spawn(words, environmentWords, input: files.0, errors: files.1)
    }
    reaper = Reaper(id)
  }

  /// One at a time: a child that is made between another's pipe and its closing would keep the pipe
  /// open, and its end would be seen too late.
  private static let spawning = Mutex(())

  private static func spawn(
    _ words: [String], _ environment: [String], input: String, errors: String
  ) throws -> (pid_t, Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failed("pipe \(errno)") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY | O_NOCTTY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
    // Threads that run tests may hold signals back or ignore them, which a child would inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var child: pid_t = 0
    let code = withStrings(words) { words in
      withStrings(environment) { environment in
        posix_spawn(&child, words[0] ?? strdup(""), &actions, &attributes, words, environment)
      }
    }
    guard code == 0 else { throw Failed("posix_spawn \(code)") }
    return (child, ends[0])
  }

  deinit {
    reaper.kill(SIGKILL)
    _ = reaper.ending
    close(output)
  }

  private static func withStrings<Result>(
    _ strings: [String], _ work: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return work(copies + [nil])
  }

  /// All that was written on standard error so far.
  var errors: String {
    String(decoding: FileManager.default.contents(atPath: errorPath) ?? Data(), as: UTF8.self)
  }

  /// Whether this comes on standard error; a log is written by a thread that waits for nobody.
  func logs(_ text: String) -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
      if errors.contains(text) { return true }
      Patience.pause()
    }
    return false
  }

  /// All that was read of standard output so far.
  var printed: String { String(decoding: text, as: UTF8.self) }

  /// Reads more of standard output; false at its end.
  private func read() throws -> Bool {
    var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    // Only a failing test waits so long.
    guard Foundation.poll(&poll, 1, 30_000) == 1 else { throw Failed("nothing in 30 s") }
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = Foundation.read(output, &chunk, chunk.count)
    if count > 0 { text += chunk[..<count] }
    return count > 0
  }

  /// Waits until standard output has a line with this text, and returns that line.
  func line(with wanted: String) throws -> String {
    while true {
      let lines = printed.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      if let line = lines.first(where: { $0.contains(wanted) }) { return String(line) }
      guard try read() else { throw Failed("ended \(reaper.ending) without \(wanted): \(errors)") }
    }
  }

  /// Sends a signal.
  func signal(_ number: Int32) { reaper.kill(number) }

  /// Waits for its end, which closes standard output.
  func end() throws -> Ending {
    while try read() {}
    return reaper.ending
  }
}

/// Takes a child off the system's list as soon as it has ended.
///
/// The library of the tests looks through that list for children of its own, and does so without a
/// pause while there is one that has ended and that nobody has taken.
private final class Reaper: Sendable {
  private let id: pid_t
  private let result = Mutex<ChildProcess.Ending?>(nil)
  private let isOver = DispatchSemaphore(value: 0)

  init(_ id: pid_t) {
    self.id = id
    Thread.detachNewThread { [self] in
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7f
      result.withLock { $0 = signal == 0 ? .exited(status >> 8 & 0xff) : .killed(signal) }
      isOver.signal()
    }
  }

  /// Sends a signal unless it has ended.
  ///
  /// A thread that hashes when nothing else runs would not even die while all tests do, and the kernel
  /// waits for it without a pause: where that is allowed it is made like the others first.
  func kill(_ number: Int32) {
    result.withLock { ending in
      guard ending == nil else { return }
      let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")
      for thread in (threads ?? []).compactMap(Int32.init) {
        _ = clinux_set_normal_scheduling(thread)
      }
      _ = Foundation.kill(id, number)
    }
  }

  /// Waits for the end.
  var ending: ChildProcess.Ending {
    isOver.wait()
    isOver.signal()
    return result.withLock { $0 } ?? .exited(-1)
  }
}

/// A server of its own for a test, on ports that the system chooses; without `--dev` if it is given a
/// key.
final class TestServer {
  let process: ChildProcess
  let port: UInt16
  let adminPort: UInt16

  /// The folder of the pages.
  static let web =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path + "/web"

  static func flags(_ data: String, key: String? = nil) -> [String] {
    [
      "serve", key.map { "--key-file=\($0)" } ?? "--dev", "--listen", "127.0.0.1:0", "--admin",
      "127.0.0.1:0", "--data-directory",
      data, "--web-root", web,
      // A busy machine is no reason for an attempt to go unjudged.
      "--limits-verdict-time", "60s",
    ]
  }

  convenience init(
    _ scratch: Scratch, _ flags: String..., data: String? = nil, errors: String? = nil,
    descriptors: Int? = nil, through prefix: [String] = [], key: String? = nil
  ) throws {
    try self.init(
      scratch, flags, data: data, errors: errors, descriptors: descriptors, through: prefix,
      key: key)
  }

  init(
    _ scratch: Scratch, _ flags: [String], data: String? = nil, errors: String? = nil,
    descriptors: Int? = nil, through prefix: [String] = [], key: String? = nil
  ) throws {
    let data = data ?? scratch.path + "/data"
    process = try ChildProcess(
      Self.flags(data, key: key) + flags, scratch: scratch, errors: errors,
      descriptors: descriptors,
      through: prefix)
    let metrics = try process.line(with: "/metrics")
    adminPort = try Self.port(metrics)
    port = try Self.port(process.line(with: key == nil ? "/pad.html" : "  http://"))
  }

  private static func port(_ line: String) throws -> UInt16 {
    guard let colon = line.lastIndex(of: ":"),
      let port = UInt16(line[line.index(after: colon)...].prefix { $0.isNumber })
    else { throw Failed("no port in \(line)") }
    return port
  }

  /// Asks it to stop and waits until it has.
  func stop() throws -> ChildProcess.Ending {
    process.signal(SIGTERM)
    return try process.end()
  }

  /// The value of one metric, with its label if it has one.
  func metric(_ name: String) throws -> Int {
    let text = try HTTPAnswer.get(adminPort, "/metrics").body
    let line = text.split(separator: "\n").first { $0.hasPrefix("drawbolt_\(name) ") }
    guard let value = line.flatMap({ Int($0.split(separator: " ")[1]) }) else {
      throw Failed("no metric \(name)")
    }
    return value
  }

  /// Asks for metrics until all have these values; each look is a request of its own.
  func settles(_ wanted: [String: Int]) throws -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
      if try wanted.allSatisfy({ try metric($0.key) == $0.value }) { return true }
      Patience.pause()
    }
    return false
  }
}
