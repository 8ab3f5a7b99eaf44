import PadModel

/// A grant that was offered and that no actuator has yet.
struct OpenGrant: Equatable, Sendable {
  let id: GrantID
  let drawer: MemberID
  /// What the drawer was told; it will be told again, with `opened`.
  let verdict: Verdict
  let lapsesAt: Instant
  /// The actuator whose claim is being signed.
  var claimer: MemberID?
}

extension Room {
  /// Offers a grant to every actuator that is here; one that is not will never hear of it.
  mutating func offer(_ id: GrantID, drawer: MemberID, _ verdict: Verdict) {
    guard !roster.actuators.isEmpty else { return }
    for actuator in roster.actuators { tell(actuator, .offerGrant(id)) }
    grants.append(
      OpenGrant(id: id, drawer: drawer, verdict: verdict, lapsesAt: now + limits.grantTime))
  }

  mutating func takeClaim(_ connection: ConnectionKey, _ claim: GrantClaim) {
    guard let member = roster[connection] else { return }
    guard member.role.maySend(.claimGrant) else { return tell(connection, Refusal.mayNotOpen) }
    guard let place = grants.firstIndex(where: { $0.id == claim.id && $0.claimer == nil }) else {
      return tell(connection, Refusal.unknownGrant)
    }
    grants[place].claimer = member.id
    actions.append(.claim(claim, audience: member.id))
  }

  /// The claim is on disk: the actuator gets the grant and the drawer hears of it.
  ///
  /// Without the claimer nothing opens, and nobody else can have the grant any more. After the grant
  /// has lapsed its drawer was told so, and that is kept true.
  mutating func takeGrant(_ grant: Grant) {
    let place = grants.firstIndex { $0.id == grant.id && $0.claimer == grant.audience }
    guard let place else { return }
    let connection = roster.connection(of: grant.audience)
    if let connection { tell(connection, .grant(grant)) }
    close(grants.remove(at: place), opened: connection != nil)
  }

  /// No grant could be had for the claim: another actuator may try.
  mutating func reopenGrant(_ id: GrantID) {
    guard let place = grants.firstIndex(where: { $0.id == id }) else { return }
    let claimer = grants[place].claimer.flatMap(roster.connection(of:))
    grants[place].claimer = nil
    if let claimer { tell(claimer, Refusal.unknownGrant) }
  }

  mutating func lapseGrants() {
    while let place = grants.firstIndex(where: { $0.lapsesAt <= now }) {
      close(grants.remove(at: place), opened: false)
    }
  }

  private mutating func close(_ grant: OpenGrant, opened: Bool) {
    var verdict = grant.verdict
    verdict.opened = opened
    tell(verdict, to: grant.drawer)
  }
}
