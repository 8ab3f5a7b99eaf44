import PadModel
import Rooms
import Transport
import Wire

/// One connection of a loop: what it has shown so far, and who it is in which room.
///
/// It belongs to its loop's thread, as the ``Hub`` does.
final class Session {
  /// How far the connection has come.
  enum Stage {
    /// No valid hello yet.
    case greeting
    /// The hello was valid; the vault is asked for the lock.
    ///
    /// Boxed, so that a stage is cheap to look at with each message.
    indirect case joining(Hello)
    /// A member of a room; the slot is missing for actuators, who get no states.
    case member(RoomBranch, MemberID, Role, Audience.Slot?)
    /// Refused or closing: whatever still comes is ignored.
    case closing
  }

  let id: ConnectionID
  let format: WireFormat
  let peer: ListenAddress
  /// The origin of the page that opened it; nil for what is no page.
  let origin: String?
  /// What it is here by, if that is a token.
  var pass: Pass?
  var stage = Stage.greeting
  var meter: RateMeter
  /// Messages that came before the room was known.
  var messagesBeforeHello = 0
  /// Whether `members` or `pen` must be sent as soon as the socket takes it.
  var owesMembers = false, owesPen = false

  init(_ opening: ConnectionOpening, rates: RateLimits) {
    id = opening.id
    format = WireFormat.allCases[opening.subprotocol]
    peer = opening.peer
    origin = opening.origin
    meter = RateMeter(rates)
  }

  /// The connection as rooms know it.
  var key: ConnectionKey { id.rawValue }

  /// The room that it is a member of.
  var branch: RoomBranch? {
    if case .member(let branch, _, _, _) = stage { branch } else { nil }
  }

  /// Its place in the room's audience.
  var slot: Audience.Slot? {
    if case .member(_, _, _, let slot) = stage { slot } else { nil }
  }
}

extension WireFormat {
  /// The same as audiences call it.
  var frameFormat: FrameFormat {
    switch self {
    case .binary: .binary
    case .json: .json
    }
  }
}

extension FrameFormat {
  /// The same as the codec calls it.
  var wireFormat: WireFormat {
    switch self {
    case .binary: .binary
    case .json: .json
    }
  }
}
