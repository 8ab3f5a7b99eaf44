import Foundation
import PadModel

/// One connection of a load.
package final class LoadMember {
  /// How far it has got.
  enum Stage: Equatable {
    case connecting, upgrading, joining, ready
    case gone(String)
  }

  /// Why it is not there any more; nil while it is.
  package var loss: String? { if case .gone(let reason) = stage { reason } else { nil } }

  let descriptor: Int32
  let role: Role
  var stage = Stage.connecting
  /// Bytes of a message that is not whole yet.
  var unread: [UInt8] = []
  private(set) var unsent: [UInt8] = []
  /// The newest sample that it was shown.
  package var newest = 0
  var statesSinceAcknowledgement = 0
  /// Whether it waits for room in its socket.
  var waitsForRoom = false

  init(descriptor: Int32, role: Role) {
    self.descriptor = descriptor
    self.role = role
  }

  /// Bytes that the socket has not taken.
  var backlog: Int { unsent.count }

  /// Appends bytes as they are.
  func put(_ bytes: some Sequence<UInt8>) { unsent.append(contentsOf: bytes) }

  /// Appends a client's frame, masked with a fresh key (RFC 6455 §5.3).
  func putFrame(opcode: UInt8, _ payload: [UInt8]) {
    precondition(payload.count < 65_536, "a client's message is short")
    unsent.append(0x80 | opcode)
    if payload.count < 126 {
      unsent.append(0x80 | UInt8(payload.count))
    } else {
      unsent += [0x80 | 126, UInt8(payload.count >> 8), UInt8(truncatingIfNeeded: payload.count)]
    }
    let key = UInt32.random(in: .min ... .max)
    for shift in 0..<4 { unsent.append(UInt8(truncatingIfNeeded: key >> (8 * shift))) }
    for (index, byte) in payload.enumerated() {
      unsent.append(byte ^ UInt8(truncatingIfNeeded: key >> (8 * (index & 3))))
    }
  }

  /// Sends what the socket takes; nil if it broke, else whether all is out.
  func flush() -> Bool? {
    var sent = 0
    defer { unsent.removeFirst(sent) }
    while sent < unsent.count {
      let count = unsent.withUnsafeBytes { bytes in
        send(
          descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL)
        )
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        return false
      } else if errno != EINTR {
        return nil
      }
    }
    return true
  }
}
