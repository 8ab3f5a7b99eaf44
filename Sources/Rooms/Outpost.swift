public import PadModel

/// Whoever has a room's newest states, encoded at most once.
public protocol PictureSource<Frame> {
  /// A state in the form in which it leaves.
  associatedtype Frame: Sendable

  /// The newest version of a projection.
  func version(of projection: Projection) -> UInt32

  /// A projection's newest state, encoded in these formats.
  func picture(of projection: Projection, binary: Bool, json: Bool) -> Picture<Frame>
}

/// What a room's home knows of the room's members on another loop, and has for that loop.
///
/// It knows who is there and what they see, so that no state leaves for a loop on which nobody may see
/// it; and which version each projection has there, as far as it was told. It knows no window, rate or
/// socket: those stay with the ``Audience`` that has the connections.
public struct Outpost<Frame: Sendable>: Sendable, Redacted {
  private struct Place {
    var projection: Projection?
    let format: FrameFormat
  }

  /// Who sees one projection there.
  private struct Sight {
    var binary = 0
    var json = 0
    /// The version that was told; nil while nobody sees the projection.
    var told: UInt32?

    mutating func count(_ format: FrameFormat, _ difference: Int) {
      if format == .binary { binary += difference } else { json += difference }
      if binary + json == 0 { told = nil }
    }
  }

  private var places: [ConnectionKey: Place] = [:]
  private var open = Sight()
  private var stealth = Sight()
  private var parcel = Parcel<Frame>()

  /// Makes the outpost of a loop without members.
  public init() {}

  /// Members that are there, as far as their leaving is known here.
  public var memberCount: Int { places.count }

  private subscript(projection: Projection) -> Sight {
    get { projection == .open ? open : stealth }
    _modify {
      if projection == .open { yield &open } else { yield &stealth }
    }
  }

  /// Takes in a member that gets states in this format.
  public mutating func admit(_ admittance: Admittance, _ format: FrameFormat) {
    places[admittance.connection] = Place(projection: admittance.projection, format: format)
    if let projection = admittance.projection {
      self[projection].count(format, 1)
      self[projection].told = admittance.state.version
    }
    parcel.items.append(.admit(admittance))
  }

  /// Forgets a member that is gone; unknown ones are ignored.
  public mutating func left(_ connection: ConnectionKey) {
    guard let place = places.removeValue(forKey: connection) else { return }
    if let projection = place.projection { self[projection].count(place.format, -1) }
  }

  /// Has the connection closed, once it has the newest state; one that was never admitted, at once.
  public mutating func close(
    _ connection: ConnectionKey, _ reason: CloseReason, _ source: some PictureSource<Frame>
  ) {
    if let projection = places[connection]?.projection,
      self[projection].told != source.version(of: projection)
    {
      show(projection, source)
    }
    parcel.items.append(.close(connection, reason))
    left(connection)
  }

  /// Has a member see another projection.
  public mutating func setProjection(
    _ connection: ConnectionKey, _ projection: Projection, _ source: some PictureSource<Frame>
  ) {
    guard let place = places[connection], let old = place.projection, old != projection else {
      return
    }
    self[old].count(place.format, -1)
    places[connection]?.projection = projection
    self[projection].count(place.format, 1)
    // Even if it was told before: whoever was told may be gone, and the state with him.
    show(projection, source)
    parcel.items.append(.setProjection(connection, projection))
  }

  /// Has a member told something that must not be lost.
  public mutating func tell(_ connection: ConnectionKey, _ message: ServerMessage) {
    parcel.items.append(.tell(connection, message))
  }

  /// Has all who are there told who is in the room.
  public mutating func show(_ members: Members) {
    if memberCount > 0 { parcel.members = members }
  }

  /// Has all who are there told who has the pen, or one of them.
  public mutating func show(_ pen: PenStatus, to connection: ConnectionKey? = nil) {
    guard memberCount > 0 else { return }
    parcel.pen = pen
    if let connection {
      parcel.items.append(.showPen(connection))
    } else {
      parcel.isPenForAll = true
    }
  }

  /// What there is for the loop at the end of a turn; nil if that is nothing.
  public mutating func takeParcel(_ source: some PictureSource<Frame>) -> Parcel<Frame>? {
    for projection in Projection.allCases {
      if let told = self[projection].told, told != source.version(of: projection) {
        parcel[projection] = picture(of: projection, source)
      }
    }
    guard !parcel.isEmpty else { return nil }
    defer { parcel = Parcel() }
    return parcel
  }

  private mutating func show(_ projection: Projection, _ source: some PictureSource<Frame>) {
    parcel.items.append(.show(projection, picture(of: projection, source)))
  }

  private mutating func picture(
    of projection: Projection, _ source: some PictureSource<Frame>
  ) -> Picture<Frame> {
    let sight = self[projection]
    self[projection].told = source.version(of: projection)
    return source.picture(of: projection, binary: sight.binary > 0, json: sight.json > 0)
  }
}
