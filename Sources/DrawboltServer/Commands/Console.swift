import Foundation

/// Where a command reads and prints.
package struct Console: Sendable {
  package var print: @Sendable (String) -> Void
  /// All of standard input, at most 4 KiB, or nil when there is nothing.
  package var readInput: @Sendable () -> String?
  /// Whether standard input is a terminal.
  package var isInteractive: Bool

  package init(
    print: @escaping @Sendable (String) -> Void, readInput: @escaping @Sendable () -> String?,
    isInteractive: Bool
  ) {
    self.print = print
    self.readInput = readInput
    self.isInteractive = isInteractive
  }

  /// The process's own standard streams.
  package static let standard = Console(
    print: { text in
      var text = text
      text.withUTF8 { bytes in
        var start = 0
        while start < bytes.count {
          let count = write(1, bytes.baseAddress?.advanced(by: start), bytes.count - start)
          guard count > 0 else { return }
          start += count
        }
      }
    },
    readInput: { readAll(limit: 4096, isTerminal: isatty(0) == 1) },
    isInteractive: isatty(0) == 1)

  /// Reads to the end of the input, or of the first line at a terminal, whose echo is off so that
  /// the code doesn't stay on the screen.
  private static func readAll(limit: Int, isTerminal: Bool) -> String? {
    var silence = isTerminal ? TerminalSilence() : nil
    defer { silence?.end() }
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < limit {
      silence?.waitForInput()
      guard read(0, &byte, 1) == 1 else { break }
      bytes.append(byte)
      if isTerminal, byte == UInt8(ascii: "\n") { break }
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }
}
