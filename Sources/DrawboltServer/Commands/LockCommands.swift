import PadModel
import Vault

extension Command {
  static let lockAdd = Command(
    name: "lock add", operands: "LOCK",
    summary: "Add a lock; its codes come with drawbolt secret add.",
    options: ConfigurationOptions.forData + [
      Option(
        name: "preset", value: "NAME",
        help: "android (default), sa-screen-lock, gesture-lock or hm-view."),
      Option(name: "columns", value: "N", help: "Columns, 2 to 10; default 3."),
      Option(name: "rows", value: "N", help: "Rows, 2 to 10; default 3."),
      Option(
        name: "width", value: "N",
        help: "View points that a seed preset is laid out for, 200 to 2000; default 375."),
      Option(name: "rule", value: "NAME", help: "What a jump adds; default is the preset's."),
      Option(
        name: "cancel", value: "NAME",
        help: "What a cancelled stroke comes to: discard, submit; default is the preset's."),
      Option(name: "minimum", value: "N", help: "Fewest nodes of a code; default is the preset's."),
      Option(
        name: "mirror", value: "MODE",
        help: "stealth (default), or open: everybody sees every stroke; for demos only."),
      Option(
        name: "schedule", value: "NAME", help: "How delays grow: standard (default), gatekeeper."),
      Option(
        name: "origins", value: "LIST",
        help: "Origins whose pages may connect to it instead of those of the configuration."),
      Option(
        name: "toy", value: nil, help: "Allow a lock that is easily guessed; it opens demos only."),
    ] + ConfigurationOptions.forNewLock
  ) { arguments, console throws(CommandFailure) in
    let lock = try newLock(arguments)
    try store(arguments).administer { vault throws(VaultError) in try vault.addLock(lock) }
    console.print("Added \(lock.id). Next: drawbolt secret add \(lock.id)\(arguments.place)\n")
  }

  static let lockList = Command(
    name: "lock list", summary: "List the locks.", options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let (locks, damaged) = try store(arguments).administer { vault throws(VaultError) in
      try vault.locks()
    }
    guard !locks.isEmpty || !damaged.isEmpty else { return console.print("There is no lock.\n") }
    let rows = locks.map { lock in
      [
        lock.id.text, lock.preset.rawValue, "\(lock.pad.grid.columns)x\(lock.pad.grid.rows)",
        lock.mirror.rawValue, "\(lock.secrets)", "\(lock.failures)",
        lock.origins.isEmpty ? "-" : lock.origins.map(\.text).joined(separator: ","),
      ]
    }
    if !rows.isEmpty {
      console.print(
        table(["LOCK", "PRESET", "GRID", "MIRROR", "SECRETS", "FAILURES", "ORIGINS"], rows))
    }
    for id in damaged { console.print("Warning: \(VaultError.damagedLock(id).message)\n") }
  }

  static let lockRemove = Command(
    name: "lock remove", operands: "LOCK", summary: "Remove a lock with its secrets.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let id = try lockID(arguments)
    try store(arguments).administer { vault throws(VaultError) in try vault.removeLock(id) }
    console.print("Removed \(id).\n")
  }

  static let lockReset = Command(
    name: "lock reset", operands: "LOCK", summary: "Forget the failures counted against a lock.",
    options: ConfigurationOptions.forData
  ) { arguments, console throws(CommandFailure) in
    let id = try lockID(arguments)
    try store(arguments).administer { vault throws(VaultError) in try vault.resetLock(id) }
    console.print("Reset \(id): no failures are counted against it.\n")
  }

  private static func newLock(_ arguments: Arguments) throws(CommandFailure) -> NewLock {
    let id = try lockID(arguments)
    let preset = try arguments.choice("preset", default: Preset.android)
    let columns = try arguments.integer("columns", in: Grid.allowedSides, default: 3)
    let rows = try arguments.integer("rows", in: Grid.allowedSides, default: 3)
    guard let grid = try? Grid(columns: columns, rows: rows) else {
      throw CommandFailure(.usage, "a pad of \(columns) by \(rows) is not possible")
    }
    guard preset.hasAnyGrid || grid == .threeByThree else {
      throw CommandFailure(.usage, "the preset \(preset.rawValue) is 3 by 3 only")
    }
    let pad = preset.pad(grid)
    let rule = try arguments.choice("rule", default: pad.rule)
    let minimum = try arguments.integer(
      "minimum", in: 1...grid.nodeCount, default: pad.finish.minimumNodes)
    let count = CodeCount(grid: grid, rule: rule, minimumNodes: minimum)
    return NewLock(
      id: id, preset: preset, grid: grid, viewWidth: try viewWidth(arguments, of: preset),
      rule: rule, cancel: try arguments.choice("cancel", default: pad.finish.cancel),
      minimumNodes: minimum, mirror: try arguments.choice("mirror", default: MirrorMode.stealth),
      schedule: try arguments.choice("schedule", default: SchedulePreset.standard),
      isToy: arguments.has("toy"),
      hasFewCodes: !count.reaches(VaultAdministration.fewestCodes),
      origins: try origins(arguments))
  }

  private static func origins(_ arguments: Arguments) throws(CommandFailure) -> [WebOrigin] {
    var origins: [WebOrigin] = []
    for text in (arguments["origins"] ?? "").split(whereSeparator: { " ,".contains($0) }) {
      guard let origin = WebOrigin(String(text)) else {
        throw CommandFailure(
          .usage,
          "--origins has \(quoted(String(text))), but must be SCHEME://HOST:PORT in lower case")
      }
      origins.append(origin)
    }
    guard !arguments.has("origins") || !origins.isEmpty else {
      throw CommandFailure(.usage, "--origins is empty; leave it out to allow the configuration's")
    }
    return origins
  }

  private static func viewWidth(_ arguments: Arguments, of preset: Preset)
    throws(CommandFailure) -> Int
  {
    guard preset.hasViewWidth || !arguments.has("width") else {
      throw CommandFailure(.usage, "the preset \(preset.rawValue) has no width")
    }
    return try arguments.integer(
      "width", in: Preset.allowedViewWidths, default: Preset.standardViewWidth)
  }

  /// The lock that a command is about.
  static func lockID(_ arguments: Arguments, word: Int = 0) throws(CommandFailure) -> LockID {
    let text =
      try word == 0 && arguments.words.count == 1
      ? arguments.onlyWord("LOCK") : wordAt(word, arguments, "LOCK")
    do { return try LockID(text) } catch {
      throw CommandFailure(
        .usage,
        "\(quoted(text)) is no lock's id: 1 to 64 of a-z 0-9 - _ . with a letter or digit first")
    }
  }

  static func wordAt(_ index: Int, _ arguments: Arguments, _ what: String)
    throws(CommandFailure) -> String
  {
    guard arguments.words.indices.contains(index) else {
      throw CommandFailure(.usage, "\(what) is missing")
    }
    return arguments.words[index]
  }

  /// The data that a command works on.
  static func store(_ arguments: Arguments) throws(CommandFailure) -> DataStore {
    try DataStore(
      try ConfigurationOptions.configuration(arguments), place: arguments.place)
  }

  /// Columns as wide as their widest cell.
  static func table(_ head: [String], _ rows: [[String]]) -> String {
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    return ([head] + rows).map { row in
      row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }.joined() + "\n"
    }.joined()
  }
}
