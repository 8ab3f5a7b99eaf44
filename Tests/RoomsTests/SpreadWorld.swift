import PadModel
import Rooms
import Testing

/// One room whose members are on several loops, wired as the server wires them; the first is its home.
///
/// What goes between loops stays on its way until a test delivers it. A frame is the state itself.
struct SpreadWorld {
  /// What a loop has of the room.
  struct Loop {
    var audience: Audience
    var slots: [ConnectionKey: Audience.Slot] = [:]
    /// What was told last of each projection that somebody there sees.
    var told: [Projection: RoomState] = [:]
    /// What was not taken up yet.
    var arriving = Parcel<RoomState>()
    /// What happened there and home has not heard.
    var leaving: [RoomEvent] = []
  }

  /// One member as its client knows itself.
  struct Client {
    var role: Role
    var rate: Int?
    var acknowledges: Bool
    var projection: Projection?
    /// States it was shown, with when.
    var shown: [(at: Instant, state: RoomState)] = []
    /// How many of them came before its last change of projection, and how many it has acknowledged.
    var before = 0
    var acknowledged = 0
    var verdicts = 0
  }

  var world: RoomWorld
  var loops: [Loop]
  var outposts: [Outpost<RoomState>]
  var clients: [ConnectionKey: Client] = [:]
  /// Connections whose end their loop knows.
  var gone: Set<ConnectionKey> = []
  /// Loops on which somebody has drawn in a stealth room since the last turn ended.
  private var drawers: Set<Int> = []
  private let isStealth: Bool

  init(_ settings: RoomSettings, loops count: Int, isStealth: Bool = false) {
    world = RoomWorld(settings)
    loops = (0..<count).map { _ in Loop(audience: Audience(limits: settings.limits)) }
    outposts = Array(repeating: Outpost(), count: count)
    self.isStealth = isStealth
  }

  func loop(of key: ConnectionKey) -> Int { Int(key) % loops.count }

  // MARK: At home

  /// Something happens to the room, and all it asks for is done.
  mutating func happen(_ change: (inout RoomWorld) -> Void) {
    change(&world)
    let actions = world.unperformed
    world.unperformed = []
    for action in actions { perform(action) }
  }

  private mutating func perform(_ action: RoomAction) {
    let source = Source(room: world.room)
    switch action {
    case .admit(let key, let member, let resume): admit(key, member, resume)
    case .close(let key, let reason):
      if loop(of: key) == 0 { return close(key) }
      outposts[loop(of: key)].close(key, reason, source)
    case .tell(let key, let message):
      if loop(of: key) == 0 { return tell(key, message) }
      outposts[loop(of: key)].tell(key, message)
    case .projectionChanged(let projection):
      loops[0].audience.changed(
        projection, version: world.room.version(projection), at: world.now)
    case .setProjection(let key, let projection):
      if projection == .open { drawers.insert(loop(of: key)) }
      if loop(of: key) == 0 { return setProjection(key, projection) }
      outposts[loop(of: key)].setProjection(key, projection, source)
    default: break
    }
  }

  private mutating func admit(_ key: ConnectionKey, _ member: MemberID, _ resume: ResumeKey) {
    guard let client = clients[key] else { return }
    let projection = client.role.mayWatch ? world.room.projection(of: key) : nil
    let admittance = Admittance(
      connection: key, member: member, resume: resume, projection: projection,
      state: projection.map(world.room.state) ?? RoomState(version: 0, phase: .idle),
      lockout: nil, pad: world.room.settings.pad)
    if loop(of: key) == 0 { return enter(admittance) }
    outposts[loop(of: key)].admit(admittance, key.isMultiple(of: 2) ? .binary : .json)
  }

  /// The end of a turn at home: parcels leave.
  mutating func endTurn() {
    collect(0)
    for index in outposts.indices {
      guard let parcel = outposts[index].takeParcel(Source(room: world.room)) else { continue }
      expectSecret(parcel, on: index)
      loops[index].arriving.add(parcel)
    }
    let drawing = clients.keys.filter { world.room.projection(of: $0) == .open }
    drawers = Set(drawing.map(loop))
  }

  /// A stealth room's own projection leaves only for the loop of whoever draws.
  private func expectSecret(_ parcel: Parcel<RoomState>, on index: Int) {
    guard isStealth else { return }
    parcel.takeUp { item in
      guard case .show(.open, _) = item else { return }
      if !drawers.contains(index) { Issue.record("a state that nobody there may see left home") }
    }
  }

  // MARK: On each loop

  /// A loop takes up what has come for it.
  mutating func takeUp(_ index: Int) {
    let parcel = loops[index].arriving
    loops[index].arriving = Parcel()
    parcel.takeUp { item in
      switch item {
      case .admit(let admittance): enter(admittance)
      case .show(let projection, let picture): show(projection, picture, on: index)
      case .setProjection(let key, let projection): setProjection(key, projection)
      case .tell(let key, let message): tell(key, message)
      case .close(let key, _): close(key)
      case .showPen: break
      }
    }
    forgetUnseen(index)
    collect(index)
  }

  private mutating func show(
    _ projection: Projection, _ picture: Picture<RoomState>, on index: Int
  ) {
    for frame in [picture.binary, picture.json] where frame != nil && frame != picture.state {
      Issue.record("a frame of another state")
    }
    if loops[index].audience.advanced(projection, to: picture.state.version, at: world.now) {
      loops[index].told[projection] = picture.state
    }
  }

  private mutating func enter(_ admittance: Admittance) {
    let (key, index) = (admittance.connection, loop(of: admittance.connection))
    guard !gone.contains(key), var client = clients[key] else {
      if index == 0 { return happen { $0.handle(.left(key)) } }
      return loops[index].leaving.append(.left(key))
    }
    client.projection = admittance.projection
    if let projection = admittance.projection {
      if index > 0 { show(projection, Picture(admittance.state), on: index) }
      client.shown.append((world.now, admittance.state))
      client.before = 1
      client.acknowledged = 1
      loops[index].slots[key] = loops[index].audience.add(
        key: key, projection: projection, format: key.isMultiple(of: 2) ? .binary : .json,
        maxRate: client.rate, acknowledges: client.acknowledges, at: world.now)
    }
    clients[key] = client
  }

  private mutating func setProjection(_ key: ConnectionKey, _ projection: Projection) {
    guard let slot = loops[loop(of: key)].slots[key] else { return }
    loops[loop(of: key)].audience.setProjection(slot, projection, at: world.now)
    clients[key]?.projection = projection
    let count = clients[key]?.shown.count ?? 0
    clients[key]?.before = count
    clients[key]?.acknowledged = count
    forgetUnseen(loop(of: key))
  }

  private mutating func tell(_ key: ConnectionKey, _ message: ServerMessage) {
    guard case .verdict = message else { return }
    clients[key]?.verdicts += 1
  }

  /// The loop closes a connection, which gets the newest state first.
  private mutating func close(_ key: ConnectionKey) {
    let index = loop(of: key)
    if let slot = loops[index].slots[key] {
      let frames = states(on: index)
      var state: RoomState?
      loops[index].audience.serveLast(slot, at: world.now) { _, projection, _ in
        state = frames[projection]
        return true
      }
      if let state { clients[key]?.shown.append((world.now, state)) }
    }
    leave(key)
  }

  /// A connection is gone.
  mutating func leave(_ key: ConnectionKey) {
    guard clients[key] != nil, gone.insert(key).inserted else { return }
    let index = loop(of: key)
    if let slot = loops[index].slots.removeValue(forKey: key) {
      loops[index].audience.remove(slot)
      forgetUnseen(index)
    }
    if index == 0 { return happen { $0.handle(.left(key)) } }
    loops[index].leaving.append(.left(key))
  }

  private mutating func forgetUnseen(_ index: Int) {
    for projection in Projection.allCases
    where loops[index].audience.members(seeing: projection) == 0 {
      loops[index].told[projection] = nil
    }
  }

  /// Home takes up what happened on a loop.
  mutating func hear(_ index: Int) {
    let events = loops[index].leaving
    loops[index].leaving = []
    for event in events {
      if case .left(let key) = event { outposts[index].left(key) }
      happen { $0.handle(event) }
    }
  }

  private func states(on index: Int) -> [Projection: RoomState] {
    guard index == 0 else { return loops[index].told }
    return [.open: world.room.state(.open), .stealth: world.room.state(.stealth)]
  }

  /// Frames leave a loop; each is what the loop knows to be the newest.
  mutating func collect(_ index: Int) {
    let states = states(on: index)
    var frames: [(ConnectionKey, Projection)] = []
    loops[index].audience.collect(at: world.now) { key, projection, _ in
      frames.append((key, projection))
      return true
    }
    for (key, projection) in frames {
      guard let state = states[projection], clients[key]?.projection == projection else {
        Issue.record("a frame of a projection that is not the member's, or is not known")
        continue
      }
      clients[key]?.shown.append((world.now, state))
    }
    expectBalance(index)
  }

  private func expectBalance(_ index: Int) {
    let all = loops[index].audience.counters
    let accounted = all.sent + all.coalesced + all.withheld + all.pending + all.departed
    if all.offered != accounted { Issue.record("offered \(all.offered), accounted \(accounted)") }
    if all.pending > loops[index].audience.count { Issue.record("more than one pending a member") }
  }

  /// Lets time pass everywhere.
  mutating func pass(_ time: Duration) {
    let end = world.now + time
    while let due = (loops.map(\.audience.nextDue) + [world.wake]).compactMap({ $0 }).min(),
      due <= end
    {
      world.now = max(world.now, due)
      if let wake = world.wake, wake <= world.now {
        happen { world in
          world.wake = nil
          world.handle(.timeCame)
        }
        endTurn()
      }
      for index in loops.indices { collect(index) }
    }
    world.now = end
  }

  /// Delivers everything, until nothing is on its way.
  mutating func settle() {
    repeat {
      endTurn()
      for index in loops.indices.dropFirst() {
        takeUp(index)
        hear(index)
      }
      endTurn()
    } while loops.contains { !$0.arriving.isEmpty || !$0.leaving.isEmpty }
  }
}

/// The room's states as frames of themselves.
struct Source: PictureSource {
  let room: Room

  func version(of projection: Projection) -> UInt32 { room.version(projection) }

  func picture(of projection: Projection, binary: Bool, json: Bool) -> Picture<RoomState> {
    let state = room.state(projection)
    return Picture(state, binary: binary ? state : nil, json: json ? state : nil)
  }
}
