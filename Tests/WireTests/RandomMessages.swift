import PadModel

/// Makes any message that the protocol allows, with the ends of each range more often than chance.
struct RandomMessages {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(state: seed) }

  mutating func client(_ kind: Int) throws -> ClientMessage {
    switch kind % 6 {
    case 0: .hello(try hello())
    case 1: .pen(pick([.request, .release, .take, .give(memberID())]))
    case 2: .enrol(pick([.begin, .confirm, .cancel]))
    case 3: .samples(batch())
    case 4: .acknowledge(version: uint32())
    default: .claimGrant(GrantClaim(id: random128(), nonce: random128()))
    }
  }

  mutating func server(_ kind: Int) throws -> ServerMessage {
    switch kind % 12 {
    case 0: .welcome(try welcome())
    case 1: .members(try members())
    case 2: .pen(PenStatus(holder: maybe(memberID()), name: maybe(try name()), waiting: number()))
    case 3: .state(state(nodeCount: Grid.mostNodes))
    case 4: .verdict(verdict())
    case 5: .enrol(EnrolStatus(step: pick(EnrolStatus.Step.allCases), reason: maybe(text())))
    case 6: .offerGrant(random128())
    case 7: .grant(try grant())
    case 8: .error(failure())
    case 9: .lockout(Lockout(retryAfterMilliseconds: uint32(), failures: number()))
    case 10: .device(text())
    default: .goAway(reason: pick(CloseReason.allCases), reconnectAfter: uint32())
    }
  }

  mutating func state(nodeCount: Int) -> RoomState {
    let path = (0..<nodeCount).map(NodeIndex.init).shuffled(using: &random)
    let count = Int.random(in: 0...nodeCount, using: &random)
    return RoomState(
      version: uint32(), phase: pick(Phase.allCases), stroke: uint16(),
      path: Array(path.prefix(count)), pointer: point(), showsTail: bool(), hidesPath: bool())
  }

  private mutating func hello() throws -> Hello {
    Hello(
      room: try room(), role: pick(Role.allCases), name: maybe(try name()), token: maybe(text()),
      maxRate: maybe(pick([1, 2, 60, 239, 240])), acknowledges: bool(),
      resume: maybe(random128()), device: maybe(text()))
  }

  private mutating func batch() -> SampleBatch {
    let action = pick(StrokeAction.allCases)
    let least = action == .release || action == .cancel ? 0 : 1
    let count = action == .cancel ? 0 : pick([least, 1, 2, 63, 64])
    var batch = SampleBatch(stroke: max(uint16(), 1), action: action)
    for _ in 0..<count { batch.samples.append(Sample(elapsed: uint16(), position: point())) }
    return batch
  }

  private mutating func members() throws -> Members {
    let count = Int.random(in: 0...50, using: &random)
    var controllers: [Members.Controller] = []
    for _ in 0..<count { controllers.append(.init(member: memberID(), name: maybe(try name()))) }
    return Members(viewers: number(), controllers: controllers, actuators: number())
  }

  private mutating func verdict() -> Verdict {
    Verdict(
      stroke: uint16(), outcome: pick(Outcome.allCases), retryAfterMilliseconds: uint32(),
      failures: number(), actuators: number(), opened: maybe(bool()))
  }

  private mutating func failure() -> Failure {
    Failure(
      pick(FailureCode.allCases), text(), retryable: bool(),
      retryAfterMilliseconds: maybe(uint32()))
  }

  private mutating func grant() throws -> Grant {
    Grant(
      id: random128(), lock: try lock(), audience: memberID(), nonce: random128(), isDemo: bool(),
      keyID: uint32(), signature: randomBytes(pick([0, 1, 2, 64])))
  }

  private mutating func welcome() throws -> Welcome {
    let grid = try Grid(
      columns: Int.random(in: 2...10, using: &random), rows: Int.random(in: 2...10, using: &random))
    let width = maybe(Int.random(in: Preset.allowedViewWidths, using: &random))
    var pad = pick(Preset.allCases).pad(grid, viewWidth: width ?? Preset.standardViewWidth)
    pad.rule = pick(SelectionRule.allCases)
    pad.finish = FinishRule(
      minimumNodes: number(), cancel: pick(CancelRule.allCases), clearsOnRelease: bool())
    pad.theme = Theme(
      lineWidth: number(), lineColour: text(), roundCaps: bool(), tail: bool())
    var limits = Limits.standard
    limits.maxRate = number()
    limits.pingAfter = .milliseconds(Int.random(in: 0...100_000, using: &random))
    return Welcome(
      member: memberID(), resume: random128(), room: try room(), role: pick(Role.allCases),
      pad: pad, limits: limits, state: state(nodeCount: pad.grid.nodeCount),
      lockout: maybe(Lockout(retryAfterMilliseconds: uint32(), failures: number())),
      grantKey: maybe(GrantKey(id: uint32(), publicKey: randomBytes(32))))
  }

  // The small parts.

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  private mutating func maybe<Value>(_ value: Value) -> Value? { bool() ? value : nil }
  private mutating func bool() -> Bool { Bool.random(using: &random) }
  private mutating func number() -> Int { pick([0, 1, 50, 10_100, Int(Int32.max)]) }
  private mutating func uint16() -> UInt16 {
    pick([0, 1, .max, UInt16.random(in: 0 ... .max, using: &random)])
  }
  private mutating func uint32() -> UInt32 {
    pick([0, 1, .max, UInt32.random(in: 0 ... .max, using: &random)])
  }
  private mutating func int16() -> Int16 {
    pick([0, -1, .min, .max, Int16.random(in: .min ... .max, using: &random)])
  }
  private mutating func point() -> Point { Point(x: int16(), y: int16()) }
  private mutating func random128() -> Random128 {
    Random128(high: random.next(), low: random.next())
  }
  private mutating func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
  private mutating func memberID() -> MemberID { MemberID(max(uint32(), 1)) }
  private mutating func lock() throws -> LockID {
    try LockID(pick(["a", "0", "front-door", "x_y.z-9", String(repeating: "q", count: 64)]))
  }
  private mutating func room() throws -> RoomName {
    let id = try lock()
    return bool() ? .lock(id) : .board(id.text)
  }
  private mutating func name() throws -> MemberName {
    try MemberName(
      pick(["a", "Ana", #""\/"#, "日本語", "👩", "{\"type\":\"x\"}", String(repeating: "é", count: 32)])
    )
  }
  private mutating func text() -> String {
    pick(["", "plain", "\"quotes\" and \\", "\n\r\t\0\u{1f}\u{7f}", "é日👩", "</script>", "\u{2028}"])
  }
}
