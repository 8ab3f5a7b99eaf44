import PadModel
import Rooms
import Transport
import Wire

/// A room at home on this loop, its audience here, and the frames of its newest state.
///
/// Each projection is encoded once per format and version, when the first member needs it.
final class RoomHost {
  let name: RoomName
  var room: Room
  var audience: Audience
  var sessions: [ConnectionKey: Session] = [:]
  /// When the room wants to be called though nothing happens.
  var wakeAt: Instant?
  /// Whether the end of this turn must look at the room.
  var isTouched = false
  /// Whether somebody may be owed `members` or `pen`.
  var owesFlags = false
  /// Who opened it: boards are counted against it.
  let opener: UInt64?
  /// Tells it from another room of the same name, whose answers may still be on their way.
  let number: UInt64
  /// Its entries in the hub's queue, the soonest last.
  var queued: [Instant] = []

  private var frames = [Frame?](repeating: nil, count: 4)
  private var buffer: [UInt8] = []
  private let paddedNodes: Int?

  init(_ settings: RoomSettings, number: UInt64, opener: UInt64?, at now: Instant) {
    self.number = number
    name = settings.name
    room = Room(settings, at: now)
    self.opener = opener
    if case .lock = settings.kind {
      paddedNodes = settings.pad.grid.nodeCount
    } else {
      paddedNodes = nil
    }
    audience = Audience(
      limits: settings.limits, openVersion: room.version(.open),
      stealthVersion: room.version(.stealth))
  }

  /// The frame of the newest state, encoded now if nobody needed it yet.
  func frame(_ projection: Projection, _ format: FrameFormat) -> Frame {
    let index = Int(projection.rawValue) * 2 + Int(format.rawValue)
    if let frame = frames[index] { return frame }
    StateEncoder.encode(
      Self.inPlace(&room) { $0.state(projection) }, as: format.wireFormat, paddedTo: paddedNodes,
      into: &buffer)
    let frame = format == .binary ? Frame.binary(buffer.span) : Frame.text(buffer.span)
    frames[index] = frame
    return frame
  }

  /// Sends a member the newest state; false if its socket is full.
  func send(
    _ projection: Projection, _ format: FrameFormat, to key: ConnectionKey, by loop: EventLoop
  ) -> Bool {
    let frame = frame(projection, format)
    return loop.send(frame, to: ConnectionID(rawValue: key), .replaceable) != .blocked
  }

  /// Forgets the frames of a projection that has a newer version, and tells the audience.
  func projectionChanged(_ projection: Projection, at now: Instant) {
    frames[Int(projection.rawValue) * 2] = nil
    frames[Int(projection.rawValue) * 2 + 1] = nil
    let version = Self.inPlace(&room) { $0.version(projection) }
    audience.changed(projection, version: version, at: now)
  }

  /// Reads a part of a room or an audience where it is.
  ///
  /// Reading it as what it is, a class's property, would copy the whole of it with all its arrays, since
  /// the callee could change the property meanwhile.
  private static func inPlace<Value, Result>(
    _ value: inout Value, _ read: (inout Value) -> Result
  ) -> Result { read(&value) }

  /// Whichever comes first: the room's wake or the audience's next frame; nil if neither.
  var due: Instant? {
    let next = Self.inPlace(&audience) { $0.nextDue }
    guard let wakeAt else { return next }
    return min(wakeAt, next ?? wakeAt)
  }
}
