import PadModel

/// A member that is here.
struct Member: Equatable, Sendable {
  let id: MemberID
  /// Shown in a later hello, it replaces this connection.
  let key: ResumeKey
  var role: Role
  var name: MemberName?
  var bucket: BucketKey
  var origin: UInt64
  /// The stroke whose press was refused: told once, and its other samples are ignored; 0 for none.
  var refused: StrokeNumber = 0
  /// Until when it is not told again that somebody else draws.
  var busyToldUntil = Instant.zero
  /// What it was told of its last attempt, which it may not have heard if its connection was dead.
  var told: [KeptVerdict] = []
}

/// A member that left and for whose resume key something waits.
struct Departed: Equatable, Sendable {
  let id: MemberID
  let key: ResumeKey
  let name: MemberName?
  var kept: [KeptVerdict] = []
}

/// A verdict that could not be told, or perhaps was not heard.
struct KeptVerdict: Equatable, Sendable {
  let verdict: Verdict
  let until: Instant
}

/// Who is in a room and who may come back.
struct Roster: Sendable {
  private var present: [ConnectionKey: Member] = [:]
  private var byKey: [ResumeKey: ConnectionKey] = [:]
  private var byID: [MemberID: ConnectionKey] = [:]
  private var lastNumber: UInt32 = 0

  /// Those who may draw, by id.
  private(set) var controllers: [MemberID] = []
  /// Connections of the actuators in the order of joining.
  private(set) var actuators: [ConnectionKey] = []
  private(set) var departed: [Departed] = []

  var count: Int { present.count }
  var isEmpty: Bool { present.isEmpty }
  var viewers: Int { count - controllers.count - actuators.count }
  var connections: Dictionary<ConnectionKey, Member>.Keys { present.keys }

  /// The sizes of all that is kept of those who are here, so that a leak shows.
  var entries: [Int] {
    [present.count, byKey.count, byID.count, controllers.count + viewers + actuators.count]
  }

  subscript(connection: ConnectionKey) -> Member? { present[connection] }

  func connection(of id: MemberID) -> ConnectionKey? { byID[id] }

  func connection(showing key: ResumeKey) -> ConnectionKey? { byKey[key] }

  func member(_ id: MemberID) -> Member? { byID[id].flatMap { present[$0] } }

  /// The name of somebody who is here or may come back.
  func name(of id: MemberID) -> MemberName? {
    member(id)?.name ?? departed.first { $0.id == id }?.name
  }

  /// Adds a new member, or the departed one whose key is shown, with what was kept for it.
  mutating func admit(_ joining: Joining) -> (member: Member, kept: [KeptVerdict]) {
    guard let shown = joining.shown, let place = departed.firstIndex(where: { $0.key == shown })
    else {
      return (insert(joining, id: nextID(), key: joining.fresh), [])
    }
    let back = departed.remove(at: place)
    return (insert(joining, id: back.id, key: back.key), back.kept)
  }

  /// A number that nobody has who is here or may come back; after the last one come the first again.
  private mutating func nextID() -> MemberID {
    repeat {
      lastNumber = lastNumber == .max ? 1 : lastNumber + 1
    } while byID[MemberID(lastNumber)] != nil
      || departed.contains { $0.id == MemberID(lastNumber) }
    return MemberID(lastNumber)
  }

  /// Lets numbers go on from here, for tests of their wrapping.
  mutating func setLastNumber(_ number: UInt32) { lastNumber = number }

  /// Puts a new connection in the place of a member's old one.
  mutating func replace(_ old: ConnectionKey, by joining: Joining) -> Member? {
    guard let member = remove(old) else { return nil }
    let new = insert(joining, id: member.id, key: member.key)
    present[joining.connection]?.told = member.told
    return new
  }

  private mutating func insert(_ joining: Joining, id: MemberID, key: ResumeKey) -> Member {
    precondition(present[joining.connection] == nil, "a connection joins once")
    let member = Member(
      id: id, key: key, role: joining.role, name: joining.name, bucket: joining.bucket,
      origin: joining.origin)
    present[joining.connection] = member
    byKey[key] = joining.connection
    byID[id] = joining.connection
    if member.role.mayDraw { controllers.insert(id, at: controllerPlace(id)) }
    if member.role == .actuator { actuators.append(joining.connection) }
    return member
  }

  mutating func remove(_ connection: ConnectionKey) -> Member? {
    guard let member = present.removeValue(forKey: connection) else { return nil }
    byKey[member.key] = nil
    byID[member.id] = nil
    if member.role.mayDraw { controllers.remove(at: controllerPlace(member.id)) }
    if member.role == .actuator { actuators.removeAll { $0 == connection } }
    return member
  }

  /// Where `id` stands, or belongs, among the controllers.
  private func controllerPlace(_ id: MemberID) -> Int {
    var (low, high) = (0, controllers.count)
    while low < high {
      let middle = (low + high) / 2
      if controllers[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Counts what a member draws from now on against another bucket, if it is here.
  mutating func move(_ id: MemberID, to bucket: BucketKey) {
    if let connection = byID[id] { present[connection]?.bucket = bucket }
  }

  /// Notes that the press of `stroke` was refused; 0 forgets it.
  mutating func setRefused(_ stroke: StrokeNumber, of connection: ConnectionKey) {
    present[connection]?.refused = stroke
  }

  /// Notes until when it is not told again that somebody else draws.
  mutating func setBusyTold(until: Instant, of connection: ConnectionKey) {
    present[connection]?.busyToldUntil = until
  }

  /// Notes what a member was told last.
  mutating func setTold(_ verdict: KeptVerdict, of connection: ConnectionKey) {
    if verdict.verdict.opened == nil { present[connection]?.told = [] }
    present[connection]?.told.append(verdict)
  }

  mutating func depart(_ member: Member) {
    departed.append(
      Departed(
        id: member.id, key: member.key, name: member.name, kept: member.told))
  }

  /// Keeps a verdict for a member that left; one that nothing was kept for is gone for good.
  mutating func keep(_ verdict: Verdict, for id: MemberID, until: Instant) {
    guard let place = departed.firstIndex(where: { $0.id == id }) else { return }
    departed[place].kept.append(KeptVerdict(verdict: verdict, until: until))
  }

  /// When the first kept verdict lapses.
  var nextDeadline: Instant {
    departed.reduce(.distantFuture) { first, one in
      one.kept.reduce(first) { min($0, $1.until) }
    }
  }

  /// Lets verdicts lapse, and forgets who left and is waited for no more.
  mutating func forget(at now: Instant, unless isAwaited: (MemberID) -> Bool) {
    guard !departed.isEmpty else { return }
    for place in departed.indices { departed[place].kept.removeAll { $0.until <= now } }
    departed.removeAll { $0.kept.isEmpty && !isAwaited($0.id) }
  }
}
