/// The one thing of a loop that other threads may hold.
public final class LoopHandle: Sendable {
  /// What the loop runs with: the listeners' ports are the bound ones.
  public let configuration: TransportConfiguration

  init(configuration: TransportConfiguration) { self.configuration = configuration }

  /// Starts a loop on a thread of its own and returns once it listens.
  ///
  /// - Parameters:
  ///   - configuration: What to listen on and all limits.
  ///   - first: Another loop of this process whose ports, limits and web files this one shares.
  ///   - handlerFactory: Makes the handler, on the loop's thread. The loop keeps the handler.
  /// - Returns: The running loop.
  /// - Throws: ``TransportError`` if it cannot listen or start.
  public static func start(
    _ configuration: TransportConfiguration, sharing first: LoopHandle? = nil,
    handlerFactory: @escaping @Sendable (EventLoop) -> any TransportHandler
  ) throws(TransportError) -> LoopHandle {
    LoopHandle(configuration: configuration)
  }

  /// Runs something on the loop's thread, soon; `false` if the loop has stopped.
  @discardableResult
  public func submit(_ work: @escaping @Sendable (EventLoop) -> Void) -> Bool { false }

  /// Ends the loop at once: connections are dropped, the thread ends.
  public func stop() {}

  /// Waits until the thread has ended; not to be called on the loop's own thread.
  public func join() {}
}
