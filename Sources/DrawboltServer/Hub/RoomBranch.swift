import PadModel
import Rooms
import Transport
import Wire

/// Names one life of a room: an answer or an order for it may come when another of that name is open.
struct RoomAddress: Hashable, Sendable {
  let name: RoomName
  /// Tells it from other rooms of the same name, on its home loop.
  let number: UInt64
}

/// What a room has on every loop that has members of it: those members, their audience, and the frames
/// of the newest state.
///
/// Each projection is encoded once per format and version, when the first member needs it; on another
/// loop than the room's home the frames come with the state, see <doc:Loops>.
final class RoomBranch {
  let address: RoomAddress
  /// The room itself, where it is at home.
  let home: RoomHome?
  /// Which loop that is.
  let homeLoop: Int
  let pad: Pad
  var audience: Audience
  var sessions: [ConnectionKey: Session] = [:]
  /// Whether the end of this turn must look at the branch.
  var isTouched = false
  /// Whether somebody may be owed `members` or `pen`.
  var owesFlags = false
  /// Its entries in the hub's queue, the soonest last.
  var queued: [Instant] = []

  private var frames = [Frame?](repeating: nil, count: 4)
  /// Away from home, what was told last of each projection that somebody here sees.
  private var told = [RoomState?](repeating: nil, count: 2)
  private var toldMembers: Members?
  private var toldPen: PenStatus?
  private var buffer: [UInt8] = []
  private let paddedNodes: Int?

  /// The branch at home of a room that opens.
  convenience init(_ room: Room, _ address: RoomAddress, homeLoop: Int, opener: UInt64?) {
    self.init(
      address, homeLoop: homeLoop, pad: room.settings.pad, limits: room.settings.limits,
      home: RoomHome(room, opener: opener))
  }

  /// A branch without members; `home` is missing on another loop.
  init(_ address: RoomAddress, homeLoop: Int, pad: Pad, limits: Limits, home: RoomHome? = nil) {
    self.address = address
    self.homeLoop = homeLoop
    self.pad = pad
    self.home = home
    if case .lock = address.name { paddedNodes = pad.grid.nodeCount } else { paddedNodes = nil }
    audience = Audience(limits: limits)
  }

  var name: RoomName { address.name }

  /// Who is in the room; nil away from home before that was told.
  var members: Members? { home?.room.members ?? toldMembers }
  /// Who has its pen.
  var pen: PenStatus? { home?.room.penStatus ?? toldPen }

  /// The frame of the newest state, encoded now if nobody needed it yet.
  func frame(_ projection: Projection, _ format: FrameFormat) -> Frame {
    let index = Self.place(projection, format)
    if let frame = frames[index] { return frame }
    StateEncoder.encode(
      state(projection), as: format.wireFormat, paddedTo: paddedNodes, into: &buffer)
    let frame = format == .binary ? Frame.binary(buffer.span) : Frame.text(buffer.span)
    frames[index] = frame
    return frame
  }

  private static func place(_ projection: Projection, _ format: FrameFormat) -> Int {
    Int(projection.rawValue) * 2 + Int(format.rawValue)
  }

  private func state(_ projection: Projection) -> RoomState {
    if let home { return Self.inPlace(&home.room) { $0.state(projection) } }
    return told[Int(projection.rawValue)] ?? RoomState(version: 0, phase: .idle)
  }

  /// Sends a member the newest state; false if its socket is full.
  func send(
    _ projection: Projection, _ format: FrameFormat, to key: ConnectionKey, by loop: EventLoop
  ) -> Bool {
    let frame = frame(projection, format)
    return loop.send(frame, to: ConnectionID(rawValue: key), .replaceable) != .blocked
  }

  /// Forgets the frames of a projection that has a newer version, and tells the audience here.
  func projectionChanged(_ projection: Projection, at now: Instant) {
    frames[Self.place(projection, .binary)] = nil
    frames[Self.place(projection, .json)] = nil
    audience.changed(projection, version: version(of: projection), at: now)
  }

  /// Whichever comes first: the room's wake or the audience's next frame; nil if neither.
  var due: Instant? {
    let next = Self.inPlace(&audience) { $0.nextDue }
    guard let wakeAt = home?.wakeAt else { return next }
    return min(wakeAt, next ?? wakeAt)
  }

  /// Reads a part of a room or an audience where it is.
  ///
  /// Reading it as what it is, a class's property, would copy the whole of it with all its arrays, since
  /// the callee could change the property meanwhile.
  private static func inPlace<Value, Result>(
    _ value: inout Value, _ read: (inout Value) -> Result
  ) -> Result { read(&value) }
}

/// At home: what other loops are told.
extension RoomBranch: PictureSource {
  func version(of projection: Projection) -> UInt32 {
    guard let home else { return told[Int(projection.rawValue)]?.version ?? 0 }
    return Self.inPlace(&home.room) { $0.version(projection) }
  }

  func picture(of projection: Projection, binary: Bool, json: Bool) -> Picture<Frame> {
    Picture(
      state(projection), binary: binary ? frame(projection, .binary) : nil,
      json: json ? frame(projection, .json) : nil)
  }
}

/// Away from home: what was told.
extension RoomBranch {
  /// Takes up a projection's state if it is newer than what is known.
  func show(_ projection: Projection, _ picture: Picture<Frame>, at now: Instant) {
    guard audience.advanced(projection, to: picture.state.version, at: now) else { return }
    told[Int(projection.rawValue)] = picture.state
    frames[Self.place(projection, .binary)] = picture.binary
    frames[Self.place(projection, .json)] = picture.json
  }

  /// Forgets the states that nobody here may see any more.
  func forgetUnseen() {
    guard home == nil else { return }
    for projection in Projection.allCases
    where Self.inPlace(&audience, { $0.members(seeing: projection) }) == 0 {
      told[Int(projection.rawValue)] = nil
      frames[Self.place(projection, .binary)] = nil
      frames[Self.place(projection, .json)] = nil
    }
  }

  /// Takes up who is in the room and who has its pen, and owes it to whom it is for.
  func note(_ parcel: Parcel<Frame>) {
    if let members = parcel.members {
      toldMembers = members
      flag { $0.owesMembers = true }
    }
    if let pen = parcel.pen {
      toldPen = pen
      if parcel.isPenForAll { flag { $0.owesPen = true } }
    }
  }

  /// Owes something to all who are here.
  func flag(_ change: (Session) -> Void) {
    sessions.values.forEach(change)
    owesFlags = true
  }

  /// Owes the pen to one of them.
  func owePen(to key: ConnectionKey) {
    sessions[key]?.owesPen = true
    owesFlags = true
  }
}

/// A room where it is at home, and what it knows of its members on other loops.
final class RoomHome {
  var room: Room
  /// When the room wants to be called though nothing happens.
  var wakeAt: Instant?
  /// Who opened it: boards are counted against it.
  let opener: UInt64?
  /// One for each loop, from the first member elsewhere on.
  var outposts: [Outpost<Frame>] = []

  init(_ room: Room, opener: UInt64?) {
    self.room = room
    self.opener = opener
  }
}
