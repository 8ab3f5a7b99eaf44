import DrawboltServer
import Foundation
import Synchronization

/// A console that keeps what is printed.
final class Printed: Sendable {
  private let kept = Mutex("")

  var text: String { kept.withLock { $0 } }

  var console: Console {
    Console(
      print: { [self] text in kept.withLock { $0 += text } }, readInput: { nil },
      isInteractive: false)
  }

  /// What was printed, as a JSON object.
  func object() throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }
}
