import Glibc
import Synchronization
import Transport

/// A real loop on loopback, stopped when the test lets go of it.
final class TestServer: Sendable {
  let handle: LoopHandle
  let journal: Journal

  init(
    marksReady: Bool = true, sharing first: TestServer? = nil, index: Int = 0,
    accepting: Bool = true,
    _ configure: (inout TransportConfiguration) -> Void = { _ in },
    onMessage: TestHandler.OnMessage? = nil, onTurn: TestHandler.OnTurn? = nil
  ) throws {
    let journal = Journal()
    var configuration = TransportConfiguration()
    configuration.siteListeners = [try address("127.0.0.1")]
    configuration.subprotocols = ["drawbolt.v1", "drawbolt.v1.json"]
    configuration.libraryLog = { journal.add(.log($0)) }
    configure(&configuration)
    self.journal = journal
    handle = try LoopHandle.start(
      configuration, sharing: first?.handle, index: index, accepting: accepting
    ) { loop in
      TestHandler(loop, journal, marksReady: marksReady, onMessage: onMessage, onTurn: onTurn)
    }
  }

  deinit {
    handle.stop()
    handle.join()
  }

  var site: ListenAddress { handle.configuration.siteListeners[0] }

  /// Runs something on the loop and waits for its value.
  func onLoop<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) -> Value) -> Value? {
    let box = Mutex<Value?>(nil)
    let done = Done()
    let shared = Shared(box)
    guard
      handle.submit({ loop in
        shared.box.withLock { $0 = body(loop) }
        done.signal()
      })
    else { return nil }
    done.wait()
    return shared.box.withLock { $0 }
  }

  var statistics: TransportStatistics { onLoop(\.statistics) ?? TransportStatistics() }

  /// Asks turn by turn until the counters are as wanted; `false` after many turns.
  func eventually(_ holds: (TransportStatistics) -> Bool) -> Bool {
    let deadline = time(nil) + 20
    while time(nil) < deadline {
      if holds(statistics) { return true }
      usleep(500)
    }
    return false
  }

  private final class Shared<Value: Sendable>: Sendable {
    let box: Mutex<Value?>
    init(_ box: consuming Mutex<Value?>) { self.box = box }
  }
}

/// A one-time signal between threads.
final class Done: @unchecked Sendable {
  private var semaphore = sem_t()
  init() { sem_init(&semaphore, 0, 0) }
  func signal() { sem_post(&semaphore) }
  func wait() { while sem_wait(&semaphore) != 0 {} }
}

struct NoAddress: Error {}

func address(_ host: String, port: UInt16 = 0) throws -> ListenAddress {
  guard let address = ListenAddress(host: host, port: port) else { throw NoAddress() }
  return address
}
