import PadModel
import Rooms
import Testing

@Suite("An outpost")
struct OutpostTests {
  /// Versions and states under a test's control.
  final class Book: PictureSource {
    var versions: [Projection: UInt32] = [:]
    private(set) var drawn = 0

    func version(of projection: Projection) -> UInt32 { versions[projection] ?? 0 }

    func picture(of projection: Projection, binary: Bool, json: Bool) -> Picture<String> {
      drawn += 1
      let version = version(of: projection)
      return Picture(
        RoomState(version: version, phase: .idle), binary: binary ? "b\(version)" : nil,
        json: json ? "j\(version)" : nil)
    }
  }

  /// An outpost whose parcels a test takes out.
  final class Post {
    let book = Book()
    var outpost = Outpost<String>()

    func take() -> Parcel<String>? { outpost.takeParcel(book) }
  }

  let post = Post()
  private var book: Book { post.book }

  private func admittance(
    _ key: ConnectionKey, _ projection: Projection?, version: UInt32 = 0
  ) -> Admittance {
    Admittance(
      connection: key, member: MemberID(UInt32(key)), resume: ResumeKey(high: 0, low: key),
      projection: projection, state: RoomState(version: version, phase: .idle), lockout: nil,
      pad: Preset.android.pad())
  }

  /// What is in a parcel, in the order in which it is taken up.
  private func sentences(_ parcel: Parcel<String>?) -> [String] {
    var sentences: [String] = []
    parcel?.takeUp { item in
      switch item {
      case .admit(let admittance): sentences.append("admit c\(admittance.connection)")
      case .show(let projection, let picture):
        sentences.append(
          (["\(projection)", "\(picture.state.version)"]
            + [picture.binary, picture.json]
            .compactMap { $0 }).joined(separator: " "))
      case .setProjection(let key, let projection): sentences.append("c\(key) sees \(projection)")
      case .tell(let key, _): sentences.append("tell c\(key)")
      case .close(let key, let reason): sentences.append("close c\(key): \(reason)")
      case .showPen(let key): sentences.append("pen to c\(key)")
      }
    }
    return sentences
  }

  @Test("gets one state a turn, the newest, in the formats that its members use")
  func newest() {
    post.outpost.admit(admittance(1, .open), .binary)
    #expect(sentences(post.take()) == ["admit c1"])
    #expect(post.take() == nil)
    for version in 1...3 { book.versions[.open] = UInt32(version) }
    #expect(sentences(post.take()) == ["open 3 b3"])
    #expect(book.drawn == 1)
    post.outpost.admit(admittance(2, .open, version: 3), .json)
    book.versions[.open] = 4
    #expect(sentences(post.take()) == ["admit c2", "open 4 b4 j4"])
  }

  @Test("gets no state that nobody there sees, nor one for its actuators")
  func unseen() {
    post.outpost.admit(admittance(1, .stealth), .binary)
    post.outpost.admit(admittance(2, nil), .json)
    _ = post.take()
    book.versions = [.open: 5, .stealth: 1]
    #expect(sentences(post.take()) == ["stealth 1 b1"])
    post.outpost.left(1)
    book.versions = [.open: 6, .stealth: 2]
    #expect(post.take() == nil)
    #expect(post.outpost.memberCount == 1)
  }

  @Test("gets a state before what depends on it: a change of projection, or a closing")
  func order() {
    post.outpost.admit(admittance(1, .stealth), .binary)
    post.outpost.admit(admittance(2, .stealth), .binary)
    _ = post.take()
    book.versions = [.open: 7]
    post.outpost.setProjection(1, .open, book)
    #expect(sentences(post.take()) == ["open 7 b7", "c1 sees open"])
    book.versions = [.open: 8, .stealth: 1]
    post.outpost.close(1, .restart, book)
    post.outpost.close(2, .restart, book)
    post.outpost.close(3, .roomFull, book)
    #expect(
      sentences(post.take()) == [
        "open 8 b8", "close c1: restart", "stealth 1 b1", "close c2: restart",
        "close c3: roomFull",
      ])
    #expect(post.outpost.memberCount == 0)
  }

  @Test("is told nothing twice, and of members and pen only the newest")
  func told() throws {
    post.outpost.show(PenStatus(holder: MemberID(1)))
    #expect(post.take() == nil)
    post.outpost.admit(admittance(1, .open), .binary)
    for viewers in 1...3 {
      post.outpost.show(Members(viewers: viewers, controllers: [], actuators: 0))
    }
    post.outpost.show(PenStatus(holder: MemberID(1)), to: 1)
    let parcel = try #require(post.take())
    #expect(parcel.members?.viewers == 3)
    #expect(parcel.pen?.holder == MemberID(1) && !parcel.isPenForAll)
    post.outpost.show(PenStatus(holder: MemberID(2)))
    let later = try #require(post.take())
    #expect(later.pen?.holder == MemberID(2) && later.isPenForAll)
  }

  @Test("has parcels that gather: items in their order, the newest in each slot")
  func gathering() throws {
    post.outpost.admit(admittance(1, .open), .binary)
    var gathered = try #require(post.take())
    for version in 1...3 {
      book.versions[.open] = UInt32(version)
      post.outpost.tell(1, .goAway(reason: .restart, reconnectAfter: 0))
      gathered.add(try #require(post.take()))
    }
    #expect(sentences(gathered) == ["admit c1", "tell c1", "tell c1", "tell c1", "open 3 b3"])
  }
}

@Suite("An audience away from home")
struct AudienceAwayTests {
  /// An audience that is told of versions.
  final class Away {
    var rig = AudienceRig()

    func advance(_ projection: Projection, to version: UInt32) -> Bool {
      rig.audience.advanced(projection, to: version, at: rig.now)
    }
  }

  @Test("counts a change for each version that it was not told of")
  func versions() {
    let rig = Away()
    rig.rig.add(1)
    rig.rig.add(2, acknowledges: true)
    #expect(rig.advance(.open, to: 5))
    rig.rig.expectBalance()
    #expect(rig.rig.audience.counters.offered == 10)
    #expect(rig.rig.audience.counters.coalesced == 8)
    #expect(rig.rig.audience.counters.pending == 2)
    // Neither the same nor an older one is news.
    #expect(!rig.advance(.open, to: 5))
    #expect(!rig.advance(.open, to: 4))
    #expect(rig.rig.audience.counters.offered == 10)
  }

  @Test("counts the same whether it is told of each change or of the last, a full window too")
  func sums() {
    let (each, last) = (Away(), Away())
    for key in ConnectionKey(1)...3 {
      each.rig.add(key, acknowledges: key == 2)
      last.rig.add(key, acknowledges: key == 2)
    }
    // The window of member 2 fills.
    each.rig.stream(40, every: .milliseconds(3))
    last.rig.stream(40, every: .milliseconds(3))
    for version in UInt32(41)...50 {
      #expect(each.advance(.open, to: version))
    }
    #expect(last.advance(.open, to: 50))
    #expect(each.rig.audience.counters == last.rig.audience.counters)
    #expect(last.rig.audience.counters.withheld > 0)
  }

  @Test("goes on across the wrapping of versions, and takes any while nobody is there")
  func wrapping() {
    let rig = Away()
    #expect(rig.advance(.open, to: .max))
    rig.rig.add(1)
    #expect(rig.advance(.open, to: 1))
    #expect(rig.rig.audience.counters.offered == 2)
    rig.rig.remove(1)
    #expect(rig.advance(.open, to: 1 << 31))
    #expect(rig.rig.audience.counters.offered == 2)
  }
}

@Suite("A room's home")
struct HomeTests {
  @Test("is the same for everybody who asks, and as likely on each loop")
  func spread() throws {
    // The rule is part of what loops agree on, so it is pinned.
    #expect(try RoomName("board:lesson").home(among: 64) == 15)
    for loops in [1, 2, 3, 64] {
      var rooms = [Int](repeating: 0, count: loops)
      for number in 0..<6400 {
        for name in ["board:b\(number)", "door-\(number)"] {
          rooms[try RoomName(name).home(among: loops)] += 1
        }
      }
      let even = 12_800 / loops
      #expect(rooms.allSatisfy { abs($0 - even) < even / 4 }, "\(rooms)")
    }
  }
}
