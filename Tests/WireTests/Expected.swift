import PadModel
import Testing

/// What the golden frames mean, by name.
struct Expected {
  private let key = Random128(high: 0x0011_2233_4455_6677, low: 0x8899_aabb_ccdd_eeff)
  private let nonce = Random128(high: 0xffee_ddcc_bbaa_9988, low: 0x7766_5544_3322_1100)
  private let lock: LockID
  private let ana: MemberName

  init() throws {
    lock = try LockID("front-door")
    ana = try MemberName("Ana")
  }

  func client() throws -> [String: ClientMessage] {
    let full = Hello(
      room: .lock(lock), role: .viewer, name: try MemberName(#"Zoë "Z" \ 7"#), token: "t.o-k_en",
      maxRate: 240, acknowledges: true, resume: key, device: "d.e.v")
    let most = (0..<64).map { sample(UInt16($0), Int16($0 * 100), Int16($0 * -100)) }
    return [
      "hello": .hello(Hello(room: .board("lesson"), role: .controller, name: ana)),
      "helloFull": .hello(full),
      "penRequest": .pen(.request), "penRelease": .pen(.release),
      "penGive": .pen(.give(MemberID(2))), "penTake": .pen(.take),
      "enrolBegin": .enrol(.begin), "enrolConfirm": .enrol(.confirm),
      "enrolCancel": .enrol(.cancel),
      "press": batch(1, .press, [sample(0, 1366, 1366)]),
      "move": batch(
        258, .move, [sample(16, 4096, 1366), sample(4, -1, 32767), sample(65535, -32768, 0)]),
      "release": batch(65535, .release, [sample(8, 6827, 6827)]),
      "releaseEmpty": batch(7, .release, []),
      "tap": batch(3, .tap, [sample(0, 4096, 4096)]),
      "cancel": batch(4, .cancel, []),
      "samplesMost": batch(9, .move, most),
      "ack": .acknowledge(version: 0x0102_0304), "ackHighest": .acknowledge(version: .max),
      "grantClaim": .claimGrant(GrantClaim(id: key, nonce: nonce)),
    ]
  }

  private func sample(_ elapsed: UInt16, _ x: Int16, _ y: Int16) -> Sample {
    Sample(elapsed: elapsed, position: Point(x: x, y: y))
  }

  private func batch(_ stroke: UInt16, _ action: StrokeAction, _ samples: [Sample]) -> ClientMessage
  {
    .samples(SampleBatch(stroke: stroke, action: action, samples: samples))
  }

  func server() throws -> [String: ServerMessage] {
    let control = Failure(.badMessage, "a\nb\0é")
    let later = Failure(
      .rate, #"too fast: "slower" \ please"#, retryable: true, retryAfterMilliseconds: 250)
    var table: [String: ServerMessage] = [
      "members": .members(
        Members(
          viewers: 250,
          controllers: [
            .init(member: MemberID(1), name: ana), .init(member: MemberID(3), name: nil),
          ], actuators: 1)),
      "membersNone": .members(Members(viewers: 0, controllers: [], actuators: 0)),
      "pen": .pen(PenStatus(holder: MemberID(1), name: ana, waiting: 2)),
      "penFree": .pen(PenStatus(holder: nil)),
      "enrol": .enrol(EnrolStatus(step: .draw)),
      "enrolRefused": .enrol(EnrolStatus(step: .refused, reason: "too weak")),
      "grantOffer": .offerGrant(key),
      "grant": .grant(
        Grant(
          id: key, lock: lock, audience: MemberID(3), nonce: nonce, isDemo: false, keyID: 7,
          signature: (192...255).reversed())),
      "error": .error(Failure(.penBusy, "somebody else is drawing", retryable: true)),
      "errorLater": .error(later), "errorControl": .error(control),
      "goaway": .goAway(reason: .restart, reconnectAfter: 1500),
    ]
    table.merge(verdictTable()) { $1 }
    table.merge(stateTable()) { $1 }
    table.merge(try welcomeTable()) { $1 }
    return table
  }

  private func verdictTable() -> [String: ServerMessage] {
    var verdict = Verdict(stroke: 1, outcome: .accepted, actuators: 1)
    var table: [String: ServerMessage] = ["verdict": .verdict(verdict)]
    verdict.opened = true
    table["verdictOpened"] = .verdict(verdict)
    verdict.opened = false
    table["verdictNotOpened"] = .verdict(verdict)
    table["lockout"] = .lockout(Lockout(retryAfterMilliseconds: 0, failures: 0))
    table["device"] = .device(
      "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff")
    table["lockoutLonger"] = .lockout(Lockout(retryAfterMilliseconds: .max, failures: 20))
    table["verdictLockedOut"] = .verdict(
      Verdict(stroke: .max, outcome: .lockedOut, retryAfterMilliseconds: .max, failures: 20))
    return table
  }

  private func stateTable() -> [String: ServerMessage] {
    func state(
      _ version: UInt32, _ phase: Phase, _ stroke: UInt16, _ path: [NodeIndex], _ x: Int16 = 0,
      _ y: Int16 = 0, tail: Bool = false, hidden: Bool = false
    ) -> ServerMessage {
      .state(
        RoomState(
          version: version, phase: phase, stroke: stroke, path: path, pointer: Point(x: x, y: y),
          showsTail: tail, hidesPath: hidden))
    }
    return [
      "state": state(7, .drawing, 1, [0], 1366, 1366, tail: true),
      "stateIdle": state(0, .idle, 0, []),
      "stateNegative": state(.max, .finished, 65535, [8, 4, 0], .min, .max),
      "stateStealth": state(12, .rejected, 0, [], hidden: true),
      "statePadded": state(13, .accepted, 5, [1, 4, 7, 8, 5], 4096, 6827),
      "statePaddedFull": state(.max, .unavailable, 65535, Array(0...8), .min, .min),
      "stateHundred": state(1, .checking, 1, (0...99).reversed(), 1, -1, tail: true),
      "stateTooShort": state(2, .tooShort, 1, [2], 2, 3),
      "stateCancelled": state(3, .cancelled, 1, [], 2, 3, tail: true, hidden: true),
    ]
  }

  private func welcomeTable() throws -> [String: ServerMessage] {
    var pinged = Limits.standard
    pinged.pingAfter = .milliseconds(1500)
    let wide = Preset.android.pad(try Grid(columns: 5, rows: 3))
    func welcome(
      _ member: UInt32, _ room: RoomName, _ role: Role, _ pad: Pad, _ state: RoomState,
      _ limits: Limits = .standard, lockout: Lockout? = nil, grantKey: GrantKey? = nil
    ) -> ServerMessage {
      .welcome(
        Welcome(
          member: MemberID(member), resume: key, room: room, role: role, pad: pad, limits: limits,
          state: state, lockout: lockout, grantKey: grantKey))
    }
    let drawing = RoomState(
      version: 9, phase: .drawing, stroke: 2, path: [0, 14, 6], pointer: Point(x: 8192, y: 2731),
      showsTail: true)
    return [
      "welcomeBoard": welcome(
        1, .board("lesson"), .controller, Preset.android.pad(),
        RoomState(version: 0, phase: .idle)),
      "welcomeGrid": welcome(77, .board("wide"), .viewer, wide, drawing),
      "welcomeLock": welcome(
        2, .lock(lock), .controller, Preset.gestureLock.pad(),
        RoomState(version: 3, phase: .idle, hidesPath: true),
        lockout: Lockout(retryAfterMilliseconds: 61_000, failures: 5)),
      "welcomeActuator": welcome(
        .max, .lock(lock), .actuator, Preset.android.pad(),
        RoomState(version: 0, phase: .idle, hidesPath: true), pinged,
        grantKey: GrantKey(id: 7, publicKey: Array(0...31))),
    ]
  }
}
