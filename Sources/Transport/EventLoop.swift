import CLibUV
import CLibwebsockets
import Glibc

/// One loop thread's connections, timers and listeners.
///
/// It belongs to its thread: it is not `Sendable`, and every entry checks that it is called there.
/// Other threads reach it through ``LoopHandle/submit(_:)``.
@safe
public final class EventLoop {
  /// Which of the process's loops it is; part of the names of its connections.
  public let index: Int
  /// What it runs with; the listeners' ports are the bound ones.
  public let configuration: TransportConfiguration
  /// Counters since the start.
  public var statistics: TransportStatistics { counters }

  /// How other threads reach it; nil once it has ended.
  public internal(set) var handle: LoopHandle?

  let thread = pthread_self()
  let uv: UnsafeMutablePointer<uv_loop_t>
  let doors: [Door]
  let acceptsFromStart: Bool
  let admission: Admission
  let site: StaticSite
  package var handler: (any TransportHandler)?
  var library = Library()

  var slots: [Connection?] = []
  var generations: [UInt32] = []
  var freeSlots: [Int] = []
  /// Not public, so that the compiler sees every access and need not check them while running.
  var counters = TransportStatistics()
  var dirty: [Connection] = []
  var drainedConnections: [Connection] = []
  var wakes = WakeCount()
  var moderation = Moderation()
  var handshakes = HandshakeQueue()
  var wheel: DeadlineWheel
  var scratch = [UInt8](repeating: 0, count: 16_384)
  var gathered: [UInt8] = []
  /// The connection that the library is being given; its callbacks take it from here.
  var adopting: Connection?
  var tunnels: Tunnels

  var prepare: UnsafeMutablePointer<uv_prepare_t>
  var wheelTimer: UnsafeMutablePointer<uv_timer_t>
  var pauseTimer: UnsafeMutablePointer<uv_timer_t>
  var timers: [LoopTimer] = []
  var logLimit = LogLimit()
  let pieceAllowance: Allowance
  let byteAllowance: Allowance
  var watch = TrafficWatch()
  var drainDeadline: UInt64?
  var isDraining = false
  var isStopped = false
  /// Whether the handler adds what leaves at the end of this turn.
  var isEndingTurn = false
  private var cachedNow: UInt64?
  /// When ``now`` was first asked for in this turn.
  var wokeAt: UInt64?

  /// Messages received since the loop last slept, and when that or the last early sending was.
  var receivedThisTurn = 0
  var turnBegan: UInt64 = 0
  static let messagesBetweenLooks = 32
  /// Nanoseconds after which what there is to send does not wait for the rest of the turn.
  static let longTurn: UInt64 = 500_000

  init(
    _ parts: LoopParts, uv: UnsafeMutablePointer<uv_loop_t>
  ) {
    index = parts.index
    acceptsFromStart = parts.acceptsFromStart
    configuration = parts.configuration
    admission = parts.admission
    site = parts.site
    doors = parts.listeners.map { Door($0) }
    pieceAllowance = Allowance(
      perSecond: configuration.piecesPerSecond, burst: configuration.pieceBurst)
    byteAllowance = Allowance(
      perSecond: configuration.bytesPerSecond, burst: configuration.byteBurst)
    tunnels = Tunnels(identity: configuration.tls)
    unsafe self.uv = uv
    unsafe prepare = makeHandle()
    unsafe wheelTimer = makeHandle()
    unsafe pauseTimer = makeHandle()
    let shortest =
      [
        configuration.pingAfter, configuration.deadAfter, configuration.acceptToHead,
        configuration.acceptToReady, configuration.closeAcknowledgement,
        configuration.answerWithin,
      ].min() ?? 1000
    let tick = max(5, min(250, shortest / 8))
    wheel = DeadlineWheel(tick: tick, now: Int(bootTime() / 1_000_000))
  }

  /// Nanoseconds of `CLOCK_BOOTTIME`, read once a turn.
  public var now: UInt64 {
    if let cachedNow { return cachedNow }
    let now = bootTime()
    cachedNow = now
    if wokeAt == nil { wokeAt = now }
    return now
  }

  /// Makes the next use of ``now`` read the clock.
  ///
  /// Called before the loop sleeps and by timers.
  func beginCallback() { cachedNow = nil }

  /// Everything here is for one thread; a call from another one is our own bug.
  func checkThread() { precondition(pthread_equal(thread, pthread_self()) != 0) }

  func connection(_ id: ConnectionID) -> Connection? {
    checkThread()
    guard id.slot < slots.count, let connection = slots[id.slot], connection.id == id else {
      return nil
    }
    return connection
  }

  /// The WebSocket connection of an id, unless it is closing.
  func open(_ id: ConnectionID) -> Connection? {
    guard let connection = connection(id), connection.stage == .open, !connection.isClosing,
      !libraryCloses(connection)
    else { return nil }
    return connection
  }

  /// Gives a frame to a connection; it leaves at the end of the turn, with all others of that turn.
  @discardableResult
  public func send(_ frame: Frame, to id: ConnectionID, _ delivery: Delivery) -> SendOutcome {
    guard let connection = open(id) else { return .gone }
    if delivery == .replaceable {
      if isEndingTurn, connection.nextFrame == nil { return sendNow(frame, to: connection) }
      if connection.isBlocked {
        connection.owesWritable = true
        return .blocked
      }
    }
    let limit = configuration.maximumQueuedBytes
    // Subtraction, so that no sum can overflow.
    if connection.isBlocked, frame.bytes.count > limit - min(limit, connection.pendingBytes) {
      giveUp(connection)
      return .gone
    }
    append(frame, to: connection)
    return .accepted
  }

  /// Whether the connection takes no replaceable frame now: the kernel's buffer is full.
  public func isBlocked(_ id: ConnectionID) -> Bool { connection(id)?.isBlocked ?? false }

  /// Whether the connection takes a replaceable frame now; if not, the handler is told when it does.
  public func isWritable(_ id: ConnectionID) -> Bool {
    guard let connection = connection(id), connection.isBlocked else { return true }
    connection.owesWritable = true
    return false
  }

  /// Whether the connection is open and not closing.
  public func isOpen(_ id: ConnectionID) -> Bool { open(id) != nil }

  /// Ends the time limit between accept and a valid hello.
  @discardableResult
  public func markReady(_ id: ConnectionID) -> Bool {
    guard let connection = open(id) else { return false }
    connection.isReady = true
    return true
  }

  /// Sends a close frame after what is queued, and drops the connection if it is not answered.
  @discardableResult
  public func close(_ id: ConnectionID, code: UInt16, reason: String) -> Bool {
    guard let connection = open(id) else { return false }
    beginClosing(connection, code: code, text: reason, reason: .closed(code: code))
    return true
  }

  /// Ends the TCP connection without a close frame.
  @discardableResult
  public func drop(_ id: ConnectionID) -> Bool {
    guard let connection = connection(id), connection.stage == .open else { return false }
    cut(connection, reason: .dropped)
    return true
  }

  /// A timer of this loop that calls `action` when it is due.
  public func makeTimer(_ action: @escaping (EventLoop) -> Void) -> LoopTimer {
    checkThread()
    let timer = LoopTimer(loop: self, action: action)
    timers.append(timer)
    return timer
  }
}
