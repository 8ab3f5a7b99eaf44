import DrawboltServer
import Foundation
import Transport

extension Command {
  static let echo = Command(
    name: "echo", summary: "Send every message back, for suites that test WebSocket itself.",
    details: """
      Drawbolt's own transport without rooms, locks and limits of traffic, on this machine only. It
      prints its address and runs until its standard input ends.
      """,
    options: [
      Option(name: "port", value: "N", help: "The port on 127.0.0.1 (default 0, any free one).")
    ]
  ) { arguments, console throws(CommandFailure) in
    let port = try arguments.integer("port", in: 0...65_535, default: 0)
    guard let address = ListenAddress(host: "127.0.0.1", port: UInt16(port)) else { return }
    let handle: LoopHandle
    do throws(TransportError) {
      handle = try LoopHandle.start(.echo(on: address)) { EchoHandler($0) }
    } catch {
      throw CommandFailure(.unavailable, error.description)
    }
    console.print("ws://\(handle.configuration.siteListeners[0])/ws\n")
    _ = FileHandle.standardInput.readDataToEndOfFile()
    handle.stop()
    handle.join()
  }
}

extension TransportConfiguration {
  /// What such suites need: messages of 16 MiB, in 64-byte fragments, as fast as they come.
  fileprivate static func echo(on address: ListenAddress) -> TransportConfiguration {
    var configuration = TransportConfiguration()
    configuration.siteListeners = [address]
    configuration.subprotocols = ["drawbolt.echo"]
    configuration.exemptsLoopback = true
    let most = 1 << 28
    configuration.maximumMessageBytes = most
    configuration.maximumQueuedBytes = most
    configuration.maximumFragments = most
    configuration.maximumEmptyFragments = most
    configuration.piecesPerSecond = most
    configuration.pieceBurst = most
    configuration.bytesPerSecond = most
    configuration.byteBurst = most
    return configuration
  }
}

/// Sends every message back as it came.
private final class EchoHandler: TransportHandler {
  private unowned let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  func connectionOpened(_ opening: ConnectionOpening) { loop.markReady(opening.id) }

  func messageReceived(_ id: ConnectionID, bytes: Span<UInt8>, isText: Bool) {
    loop.send(isText ? .text(bytes) : .binary(bytes), to: id, .queued)
  }

  func connectionClosed(_ id: ConnectionID, reason: CloseReason) {}
}
