import PadModel

/// A lock as the database holds it.
struct LockRow {
  let id: LockID
  let preset: Preset
  let grid: Grid
  let rule: SelectionRule
  let minimumNodes: Int
  var mirror: MirrorMode
  let schedule: SchedulePreset
  /// 0 or 1; kept as it was read, so that no edit of it goes unnoticed.
  private let toy: Int64
  let salt: [UInt8]
  let cost: HashCost
  /// The highest number that a secret of the lock ever had.
  var lastSecret: Int
  let viewWidth: Int
  let cancel: CancelRule
  /// The origins whose pages may connect to its room; empty leaves that to the server's.
  let origins: [WebOrigin]
  private(set) var seal: Seal

  /// The pad that is drawn on.
  var pad: Pad {
    var pad = preset.pad(grid, viewWidth: viewWidth)
    pad.rule = rule
    pad.finish.cancel = cancel
    pad.finish.minimumNodes = minimumNodes
    return pad
  }

  /// Whether it was declared easily guessed.
  var isToy: Bool { toy != 0 }

  /// Whether its grants are for show.
  var givesDemoGrants: Bool { isToy || mirror == .open }

  static let columns =
    "id, preset, columns, rows, rule, minimum, mirror, schedule, toy, salt, memory, passes, "
    + "last_secret, view_width, cancel, origins, " + Seal.columns

  /// A mark for each value of a row.
  static let marks = columns.split(separator: ",").map { _ in "?" }.joined(separator: ", ")

  /// Reads the columns in their order, whatever the seal says; nil if a value is none of ours.
  init?(_ row: Statement) {
    guard let id = try? LockID(row.text(0)), let preset = Preset(rawValue: row.text(1)),
      let grid = try? Grid(columns: Int(row.integer(2)), rows: Int(row.integer(3))),
      let rule = SelectionRule(rawValue: row.text(4)),
      let mirror = MirrorMode(rawValue: row.text(6)),
      let schedule = SchedulePreset(rawValue: row.text(7)), row.blob(9).count == Sodium.saltBytes,
      preset.hasAnyGrid || grid == .threeByThree, (1...100).contains(row.integer(5)),
      (0..<Int64(Int32.max)).contains(row.integer(12)),
      let cost = HashCost(stored: row.integer(10), row.integer(11)),
      let viewWidth = preset.viewWidth(stored: row.integer(13)),
      let cancel = CancelRule(rawValue: row.text(14)),
      let origins = [WebOrigin](stored: row.text(15))
    else { return nil }
    self.id = id
    self.preset = preset
    self.grid = grid
    self.rule = rule
    minimumNodes = Int(row.integer(5))
    self.mirror = mirror
    self.schedule = schedule
    toy = row.integer(8)
    salt = row.blob(9)
    self.cost = cost
    lastSecret = Int(row.integer(12))
    self.viewWidth = viewWidth
    self.cancel = cancel
    self.origins = origins
    seal = Seal(row, at: 16)
  }

  /// Makes a row that must still be sealed.
  init(_ lock: NewLock, salt: [UInt8], cost: HashCost) {
    id = lock.id
    preset = lock.preset
    grid = lock.grid
    rule = lock.rule
    minimumNodes = lock.minimumNodes
    mirror = lock.mirror
    schedule = lock.schedule
    toy = lock.isToy ? 1 : 0
    self.salt = salt
    self.cost = cost
    lastSecret = 0
    viewWidth = lock.viewWidth
    cancel = lock.cancel
    origins = lock.origins
    seal = .none
  }

  /// Seals the row as it stands under the newest key.
  mutating func seal(with ring: ServerKey) {
    seal = Seal(bound: BoundBytes("drawbolt-lock", sealedValues), for: .lock, with: ring)
  }

  /// Whether it is as it was sealed.
  func isSealed(with ring: ServerKey) -> Bool {
    seal.open(bound: BoundBytes("drawbolt-lock", sealedValues), for: .lock, with: ring) != nil
  }

  /// Rows without origins are sealed as those were which could have none.
  private var sealedValues: [SQLValue] { origins.isEmpty ? values.dropLast() : values }

  /// The values of the columns in their order, but for the seal's.
  var values: [SQLValue] {
    [
      .text(id.text), .text(preset.rawValue), .integer(grid.columns), .integer(grid.rows),
      .text(rule.rawValue), .integer(minimumNodes), .text(mirror.rawValue),
      .text(schedule.rawValue), .integer(toy), .blob(salt), .integer(cost.memory),
      .integer(cost.passes), .integer(lastSecret), .integer(viewWidth), .text(cancel.rawValue),
      .text(origins.stored),
    ]
  }

  /// What the seals of the lock's secrets cover of it: every column but those of its own seal.
  ///
  /// The last three came later: what their absence meant adds nothing, so that older seals open. One
  /// is a number, one is text and one is bound as bytes, so each reads differently from the others and
  /// from nothing.
  func bind(into bound: inout BoundBytes) {
    for value in values.dropLast(3) { bound.add(value) }
    if viewWidth != Preset.standardViewWidth { bound.add(.integer(viewWidth)) }
    if cancel != preset.pad().finish.cancel { bound.add(.text(cancel.rawValue)) }
    if !origins.isEmpty { bound.add(.blob(Array(origins.stored.utf8))) }
  }

  /// The bytes that are hashed for a path: version, columns, rows, count, nodes; never text.
  func canonicalBytes(_ nodes: [NodeIndex]) -> [UInt8] {
    [1, UInt8(grid.columns), UInt8(grid.rows), UInt8(clamping: nodes.count)] + nodes
  }
}

extension Preset {
  /// Reads what a row says; nil for a width that the preset can't have.
  fileprivate func viewWidth(stored width: Int64) -> Int? {
    guard let width = Int(exactly: width), Self.allowedViewWidths.contains(width),
      hasViewWidth || width == Self.standardViewWidth
    else { return nil }
    return width
  }
}

extension [WebOrigin] {
  /// Reads a row's list, each behind a blank but the first; nil if one is none.
  fileprivate init?(stored text: String) {
    let parts = text.isEmpty ? [] : text.split(separator: " ", omittingEmptySubsequences: false)
    self = parts.compactMap { WebOrigin(String($0)) }
    guard count == parts.count else { return nil }
  }

  /// The list as it stands in a row.
  fileprivate var stored: String { map(\.text).joined(separator: " ") }
}

extension HashCost {
  /// Reads what a row says; nil for a cost that no program ever wrote.
  fileprivate init?(stored memory: Int64, _ passes: Int64) {
    guard (8 << 10...256 << 20).contains(memory), (1...64).contains(passes) else { return nil }
    self.init(memory: Int(memory), passes: Int(passes))
  }
}
