import PadModel
import Vault

extension NewLock {
  /// Makes a lock of what a request says; what it leaves out is as the command line has it.
  init(_ body: AdminBody.NewLock) throws(AdminRefusal) {
    guard let id = try? LockID(body.id) else {
      throw .invalid("id has 1 to 64 of a-z 0-9 - _ . with a letter or digit first.")
    }
    let preset = try Self.choice(body.preset, "preset", default: Preset.android)
    let grid = try Self.grid(body, preset)
    let pad = preset.pad(grid)
    guard preset.hasViewWidth || body.width == nil else {
      throw .invalid("The preset \(preset.rawValue) has no width.")
    }
    let minimum = body.minimumNodes ?? pad.finish.minimumNodes
    let width = body.width ?? Preset.standardViewWidth
    guard (1...grid.nodeCount).contains(minimum) else {
      throw .invalid("minimumNodes is 1 to \(grid.nodeCount).")
    }
    guard Preset.allowedViewWidths.contains(width) else {
      throw .invalid("width is \(Preset.allowedViewWidths.lowerBound) or more.")
    }
    let rule = try Self.choice(body.rule, "rule", default: pad.rule)
    let count = CodeCount(grid: grid, rule: rule, minimumNodes: minimum)
    self.init(
      id: id, preset: preset, grid: grid, viewWidth: width, rule: rule,
      cancel: try Self.choice(body.cancel, "cancel", default: pad.finish.cancel),
      minimumNodes: minimum,
      mirror: try Self.choice(body.mirror, "mirror", default: MirrorMode.stealth),
      schedule: try Self.choice(body.schedule, "schedule", default: SchedulePreset.standard),
      isToy: body.toy ?? false, hasFewCodes: !count.reaches(VaultAdministration.fewestCodes),
      origins: try Self.origins(body.origins ?? []))
  }

  private static func grid(_ body: AdminBody.NewLock, _ preset: Preset) throws(AdminRefusal) -> Grid
  {
    guard let grid = try? Grid(columns: body.columns ?? 3, rows: body.rows ?? 3) else {
      throw .invalid("columns and rows are 2 to 10.")
    }
    guard preset.hasAnyGrid || grid == .threeByThree else {
      throw .invalid("The preset \(preset.rawValue) is 3 by 3 only.")
    }
    return grid
  }

  private static func choice<Value: CaseIterable & RawRepresentable<String>>(
    _ text: String?, _ name: String, default value: Value
  ) throws(AdminRefusal) -> Value {
    guard let text else { return value }
    guard let value = Value(rawValue: text) else { throw .invalid("\(name) is \(Value.names).") }
    return value
  }

  private static func origins(_ texts: [String]) throws(AdminRefusal) -> [WebOrigin] {
    var origins: [WebOrigin] = []
    for text in texts {
      guard let origin = WebOrigin(text) else {
        throw .invalid("origins are SCHEME://HOST:PORT in lower case.")
      }
      origins.append(origin)
    }
    return origins
  }
}

extension CaseIterable where Self: RawRepresentable<String> {
  /// All there are, for a message.
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
