import PadModel
import Rooms
import Testing

@Suite("A grant")
struct GrantTests {
  let id = GrantID(high: 3, low: 4)
  let claim = GrantClaim(
    id: GrantID(high: 3, low: 4), nonce: GrantNonce(high: 5, low: 6))

  /// Controller 1, actuators 8 and 9, and an accepted attempt with a grant.
  func accepted() throws -> RoomWorld {
    var world = RoomWorld(try lock(.open))
    world.join(1)
    world.join(8, .actuator)
    world.join(9, .actuator)
    world.pass(.seconds(2))
    world.draw(1)
    #expect(world.submitted.map(\.actuators) == [2])
    #expect(
      world.judge(.accepted(grant: id)) == [
        "c8 hears an offer", "c9 hears an offer", "c1 hears accepted 1", "open changed",
      ])
    #expect(
      world.actions.contains(
        .tell(1, .verdict(Verdict(stroke: 1, outcome: .accepted, actuators: 2)))))
    return world
  }

  func signed(for number: UInt32) throws -> RoomEvent {
    .grantSigned(
      Grant(
        id: id, lock: try LockID("door"), audience: MemberID(number), nonce: claim.nonce,
        isDemo: true, keyID: 1))
  }

  @Test("the first claim is signed and told, and the drawer hears that the lock opened")
  func opened() throws {
    var world = try accepted()
    #expect(world.handle(.grantClaimed(9, claim)) == ["claim for m3"])
    #expect(world.handle(.grantClaimed(8, claim)) == ["c8 hears error unknownGrant"])
    let said = world.handle(try signed(for: 3))
    #expect(said == ["c9 hears the grant", "c1 hears accepted 1, opened true"])
    #expect(world.pass(.seconds(10)) == ["open changed"])
    #expect(world.room.counts.grants == 0)
  }

  @Test("without a claim the drawer hears after five seconds that nothing opened")
  func unclaimed() throws {
    var world = try accepted()
    #expect(world.pass(.milliseconds(4_999)) == ["open changed"])
    #expect(world.pass(.milliseconds(1)) == ["c1 hears accepted 1, opened false"])
    #expect(world.handle(.grantClaimed(9, claim)) == ["c9 hears error unknownGrant"])
  }

  @Test("a signature that comes after that is not told, so that what was said stays true")
  func signedLate() throws {
    var world = try accepted()
    world.handle(.grantClaimed(9, claim))
    #expect(world.pass(.seconds(5)).last == "c1 hears accepted 1, opened false")
    #expect(world.handle(try signed(for: 3)) == [])
  }

  @Test("when the claim can't be recorded another may claim")
  func refused() throws {
    var world = try accepted()
    world.handle(.grantClaimed(9, claim))
    #expect(world.handle(.grantRefused(id)) == ["c9 hears error unknownGrant"])
    #expect(world.handle(.grantClaimed(8, claim)) == ["claim for m2"])
  }

  @Test("when the claimer is gone nothing opens")
  func claimerGone() throws {
    var world = try accepted()
    world.handle(.grantClaimed(9, claim))
    world.handle(.left(9))
    #expect(world.handle(try signed(for: 3)) == ["c1 hears accepted 1, opened false"])
  }

  @Test("only actuators claim, only what is offered")
  func denied() throws {
    var world = try accepted()
    #expect(world.handle(.grantClaimed(1, claim)) == ["c1 hears error denied"])
    let other = GrantClaim(id: GrantID(high: 9, low: 9), nonce: claim.nonce)
    #expect(world.handle(.grantClaimed(8, other)) == ["c8 hears error unknownGrant"])
    #expect(world.handle(.grantClaimed(77, claim)) == [])
  }

  @Test("an actuator that comes later is offered nothing")
  func absent() throws {
    var world = try accepted()
    #expect(world.join(10, .actuator) == ["c10 is m4", "members"])
    world = RoomWorld(try lock(.open))
    world.join(1)
    world.draw(1)
    #expect(world.submitted.map(\.actuators) == [0])
    #expect(world.judge(.accepted(grant: id)) == ["c1 hears accepted 1", "open changed"])
    #expect(world.room.counts.grants == 0)
  }

  @Test("a drawer that lost its connection hears what opened when it is back")
  func drawerAway() throws {
    var world = try accepted()
    let key = try #require(world.keys[1])
    world.handle(.left(1))
    world.handle(.grantClaimed(9, claim))
    world.handle(try signed(for: 3))
    #expect(
      world.join(31, showing: key).prefix(3) == [
        "c31 is m1", "c31 hears accepted 1", "c31 hears accepted 1, opened true",
      ])
  }
}
