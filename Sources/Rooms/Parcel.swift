public import PadModel

/// A projection's newest state on its way to another loop, with the frames that are needed there.
public struct Picture<Frame: Sendable>: Sendable, Redacted {
  /// The state; its version is the projection's.
  public let state: RoomState
  /// The state encoded in each format that somebody there gets, shared by all of them.
  public let binary: Frame?, json: Frame?

  /// Makes a picture.
  public init(_ state: RoomState, binary: Frame? = nil, json: Frame? = nil) {
    self.state = state
    self.binary = binary
    self.json = json
  }
}

/// A member that a room took in, with all that its `welcome` says.
public struct Admittance: Sendable, Redacted {
  /// The connection that is this member from now on.
  public var connection: ConnectionKey
  /// Its id in the room.
  public var member: MemberID
  /// What it shows when it comes back.
  public var resume: ResumeKey
  /// What it sees; nil for one that gets no states.
  public var projection: Projection?
  /// That projection's newest state.
  public var state: RoomState
  /// To a controller of a lock room: where its bucket stands.
  public var lockout: Lockout?
  /// What is drawn on.
  public var pad: Pad

  /// Makes a value.
  public init(
    connection: ConnectionKey, member: MemberID, resume: ResumeKey, projection: Projection?,
    state: RoomState, lockout: Lockout?, pad: Pad
  ) {
    self.connection = connection
    self.member = member
    self.resume = resume
    self.projection = projection
    self.state = state
    self.lockout = lockout
    self.pad = pad
  }
}

/// What a room's home has for the room's members on one other loop.
///
/// Two kinds of things lie in it. ``Item``s are taken up in their order, each of them. Beside them
/// stands one slot for each projection's newest state, for the members and for the pen, in which a
/// newer one overwrites the older. So a loop that is slow to take it costs what it was told, but
/// nothing for each state that it missed.
public struct Parcel<Frame: Sendable>: Sendable, Redacted {
  /// What must be taken up, in order.
  public enum Item: Sendable, Redacted {
    /// Welcome this member.
    indirect case admit(Admittance)
    /// The projection has come to this state, before what follows.
    indirect case show(Projection, Picture<Frame>)
    /// The connection sees another projection from now on, whose state came just before.
    case setProjection(ConnectionKey, Projection)
    /// Send a message that must not be lost.
    indirect case tell(ConnectionKey, ServerMessage)
    /// Give the connection the last state and close it.
    case close(ConnectionKey, CloseReason)
    /// Send it ``pen``.
    case showPen(ConnectionKey)
  }

  /// What must be taken up, in order, before the slots.
  public internal(set) var items: [Item] = []
  var open: Picture<Frame>?
  var stealth: Picture<Frame>?
  /// The newest `members`, owed to all who are there.
  public internal(set) var members: Members?
  /// The newest `pen`.
  public internal(set) var pen: PenStatus?
  /// Whether it is owed to all who are there.
  public internal(set) var isPenForAll = false

  /// Makes an empty one.
  public init() {}

  /// Whether there is nothing in it.
  public var isEmpty: Bool {
    items.isEmpty && open == nil && stealth == nil && members == nil && pen == nil
  }

  /// The newest state of a projection, if it is newer than what the items show.
  public internal(set) subscript(projection: Projection) -> Picture<Frame>? {
    get { projection == .open ? open : stealth }
    set { if projection == .open { open = newValue } else { stealth = newValue } }
  }

  /// Adds what came later to what was not taken up yet.
  public mutating func add(_ later: Parcel) {
    items += later.items
    open = later.open ?? open
    stealth = later.stealth ?? stealth
    members = later.members ?? members
    pen = later.pen ?? pen
    isPenForAll = isPenForAll || later.isPenForAll
  }

  /// Hands out items, and then what stands in the projections' slots, as items too.
  ///
  /// A slot can be older than what the items show; ``Audience/advanced(_:to:at:)`` finds that out.
  public func takeUp(_ take: (Item) -> Void) {
    for item in items { take(item) }
    for projection in Projection.allCases {
      if let picture = self[projection] { take(.show(projection, picture)) }
    }
  }
}
