import PadModel
import Rooms
import Wire

/// A room with its audience and its members, as a server holds it.
final class Host {
  let number: Int
  let name: RoomName
  var room: Room
  var audience: Audience
  let referee: Referee
  /// In the order of joining.
  var members: [Connection] = []
  var isStealth: Bool
  /// When the room wants to be called though nothing happens.
  var wakeAt: Instant?
  /// When the timeline looks at it next.
  var armedAt: Instant?
  var isTouched = false
  /// Whether it is to be checked after this step.
  var isChanged = false
  /// Whether its lock is gone, so that it is forgotten at once.
  var isRemoved = false
  var owesFlags = false
  var books = Books()

  private var frames: [[UInt8]?] = [nil, nil, nil, nil]
  private var states: [RoomState?] = [nil, nil, nil, nil]
  private let paddedNodes: Int?

  init(_ settings: RoomSettings, number: Int, versions: UInt32, at now: Instant) {
    self.number = number
    name = settings.name
    var room = Room(settings, at: now)
    room.setVersions(versions)
    switch settings.kind {
    case .board: (isStealth, paddedNodes) = (false, nil)
    case .lock(let policy):
      (isStealth, paddedNodes) = (policy.mirror == .stealth, settings.pad.grid.nodeCount)
    }
    audience = Audience(
      limits: settings.limits, openVersion: versions, stealthVersion: versions)
    referee = Referee(room, at: now)
    self.room = room
  }

  /// The newest state and its frame, encoded once for all.
  func frame(_ projection: Projection, _ format: FrameFormat) -> (state: RoomState, bytes: [UInt8])
  {
    let index = Int(projection.rawValue) * 2 + Int(format.rawValue)
    if let bytes = frames[index], let state = states[index] { return (state, bytes) }
    let state = room.state(projection)
    var bytes: [UInt8] = []
    StateEncoder.encode(
      state, as: format == .binary ? .binary : .json, paddedTo: paddedNodes, into: &bytes)
    frames[index] = bytes
    states[index] = state
    return (state, bytes)
  }

  func forgetFrames(of projection: Projection) {
    for format in FrameFormat.allCases {
      let index = Int(projection.rawValue) * 2 + Int(format.rawValue)
      frames[index] = nil
      states[index] = nil
    }
  }

  /// Whichever comes first: the room's wake or the audience's next frame.
  var due: Instant? {
    let next = askAudience { $0.nextDue }
    guard let wakeAt else { return next }
    return min(wakeAt, next ?? wakeAt)
  }

  /// Reads the room where it is: to read it as the property that it is would copy all of it.
  func ask<Answer>(_ question: (inout Room) -> Answer) -> Answer { question(&room) }

  /// The same for the audience.
  func askAudience<Answer>(_ question: (inout Audience) -> Answer) -> Answer {
    question(&audience)
  }
}

/// What an audience's counters must agree with, and what its storage may not pass.
struct Books {
  /// Frames that sockets took, repeats among them.
  var frames = 0
  var strays = 0
  var mostWatchers = 0
  var mostAcknowledging = 0
  /// Since when nobody is there and nothing waits.
  var vacantSince: Instant?
  /// Since when nobody is there.
  var emptySince: Instant?
}
