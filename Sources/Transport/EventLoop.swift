/// One loop thread's connections, timers and listeners.
///
/// It belongs to its thread: it is not `Sendable`, and every entry checks that it is called there.
/// Other threads reach it through ``LoopHandle/submit(_:)``.
public final class EventLoop {
  /// Counters since the start.
  public internal(set) var statistics = TransportStatistics()
  /// The addresses as bound, ports filled in.
  public let configuration: TransportConfiguration

  init(configuration: TransportConfiguration) {
    self.configuration = configuration
  }

  /// Nanoseconds of `CLOCK_BOOTTIME`, read once a turn.
  public var now: UInt64 { 0 }

  /// Gives a frame to a connection; it leaves at the end of the turn.
  @discardableResult
  public func send(_ frame: Frame, to id: ConnectionID, _ delivery: Delivery) -> SendOutcome {
    .gone
  }

  /// Whether the connection takes no replaceable frame now: the kernel's buffer is full.
  public func isBlocked(_ id: ConnectionID) -> Bool { false }

  /// Whether the connection is open and not closing.
  public func isOpen(_ id: ConnectionID) -> Bool { false }

  /// Ends the time limit between accept and a valid hello.
  @discardableResult
  public func markReady(_ id: ConnectionID) -> Bool { false }

  /// Sends a close frame after what is queued, and drops the connection if it is not answered.
  @discardableResult
  public func close(_ id: ConnectionID, code: UInt16, reason: String) -> Bool { false }

  /// Ends the TCP connection without a close frame.
  @discardableResult
  public func drop(_ id: ConnectionID) -> Bool { false }

  /// Closes the listening sockets; open connections go on.
  public func stopAccepting() {}

  /// Stops accepting, closes every connection, and drops what is left after some milliseconds;
  /// then the handler is told that it is drained.
  public func drain(code: UInt16, reason: String, within milliseconds: Int) {}

  /// A timer of this loop that calls `action` when it is due.
  public func makeTimer(_ action: @escaping (EventLoop) -> Void) -> LoopTimer { LoopTimer() }
}

/// A timer that is armed and disarmed cheaply (no system call, no allocation).
public final class LoopTimer {
  /// Calls the action once ``EventLoop/now`` has reached the deadline, never before it.
  public func arm(at deadline: UInt64) {}

  /// Calls the action after some milliseconds.
  public func arm(afterMilliseconds delay: Int) {}

  /// Forgets the deadline.
  public func disarm() {}
}
