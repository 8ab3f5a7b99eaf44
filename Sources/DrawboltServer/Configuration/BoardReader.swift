import PadModel

/// Reading of the list `boards`.
extension ConfigurationReader {
  private static let boardKeys = [
    "name", "preset", "columns", "rows", "width", "cancel", "access", "origins",
  ]

  /// What a list has for a name in the environment and among the flags: JSON5 text.
  package static let (boardsVariable, boardsFlag) = ("DRAWBOLT_BOARDS", "boards")

  static func boards(json5 text: String, in place: String)
    throws(ConfigurationError) -> [BoardRule]
  {
    try boards(try ConfigurationValue(json5: text, file: place), in: place)
  }

  static func boards(_ value: ConfigurationValue, in file: String)
    throws(ConfigurationError) -> [BoardRule]
  {
    guard case .list(let items) = value else {
      throw .badValue(place: "boards in \(file)", found: value.kind, wanted: "a list of tables")
    }
    var rules: [BoardRule] = []
    var mistakes = Mistakes()
    for (index, item) in items.enumerated() {
      mistakes.gather { () throws(ConfigurationError) in
        rules.append(try board(item, place: "boards[\(index)] in \(file)"))
      }
    }
    try mistakes.report()
    return rules
  }

  private static func board(_ value: ConfigurationValue, place: String)
    throws(ConfigurationError) -> BoardRule
  {
    guard case .table(let table) = value else {
      throw .badValue(place: place, found: value.kind, wanted: "a table")
    }
    for entry in table.entries where !boardKeys.contains(entry.name) {
      throw .unknownKey(
        place: "\(entry.name) of \(place)",
        nearest: nearestName(to: entry.name, among: boardKeys))
    }
    guard case .text(let pattern) = table["name"] ?? .nothing else {
      throw .badValue(
        place: "name of \(place)", found: (table["name"] ?? .nothing).shown,
        wanted: "a board's name, or its beginning and *")
    }
    let preset = try preset(table["preset"], place: place)
    let columns = try side(table["columns"], "columns", place: place)
    let rows = try side(table["rows"], "rows", place: place)
    guard let grid = try? Grid(columns: columns, rows: rows),
      preset.hasAnyGrid || grid == .threeByThree
    else {
      throw .badValue(
        place: place, found: "\(columns) by \(rows)", wanted: "3 by 3 with \(preset.rawValue)")
    }
    return BoardRule(
      pattern: pattern, preset: preset, grid: grid,
      viewWidth: try viewWidth(table["width"], of: preset, place: place),
      cancel: try cancel(table["cancel"], place: place),
      access: try access(table["access"], place: place),
      origins: try origins(table["origins"], place: place))
  }

  private static func access(_ value: ConfigurationValue?, place: String)
    throws(ConfigurationError) -> BoardAccess
  {
    guard let value else { return .token }
    let names = BoardAccess.allCases.map(\.rawValue).joined(separator: ", ")
    return try made(
      value, "access of \(place)", wanted: "one of \(names)", BoardAccess.init(rawValue:))
  }

  private static func origins(_ value: ConfigurationValue?, place: String)
    throws(ConfigurationError) -> [String]
  {
    guard let value else { return [] }
    return try list(
      value, "origins of \(place)", wanted: "SCHEME://HOST:PORT in lower case"
    ) { WebOrigin($0)?.text }
  }

  private static func viewWidth(_ value: ConfigurationValue?, of preset: Preset, place: String)
    throws(ConfigurationError) -> Int
  {
    guard let value else { return Preset.standardViewWidth }
    guard preset.hasViewWidth else {
      throw .badValue(
        place: "width of \(place)", found: value.shown,
        wanted: "left out: the preset \(preset.rawValue) has no width")
    }
    return try whole(value, Preset.allowedViewWidths, "width", place: place)
  }

  private static func cancel(_ value: ConfigurationValue?, place: String)
    throws(ConfigurationError) -> CancelRule?
  {
    guard let value else { return nil }
    if case .text(let name) = value, let rule = CancelRule(rawValue: name) { return rule }
    let names = CancelRule.allCases.map(\.rawValue).joined(separator: ", ")
    throw .badValue(place: "cancel of \(place)", found: value.shown, wanted: "one of \(names)")
  }

  private static func preset(_ value: ConfigurationValue?, place: String)
    throws(ConfigurationError) -> Preset
  {
    guard let value else { return .android }
    if case .text(let name) = value, let preset = Preset(rawValue: name) { return preset }
    let names = Preset.allCases.map(\.rawValue).joined(separator: ", ")
    throw .badValue(place: "preset of \(place)", found: value.shown, wanted: "one of \(names)")
  }

  private static func side(_ value: ConfigurationValue?, _ name: String, place: String)
    throws(ConfigurationError) -> Int
  {
    guard let value else { return 3 }
    return try whole(value, Grid.allowedSides, name, place: place)
  }

  private static func whole(
    _ value: ConfigurationValue, _ range: ClosedRange<Int>, _ name: String, place: String
  ) throws(ConfigurationError) -> Int {
    if case .number(let number) = value, let whole = Int(exactly: number), range.contains(whole) {
      return whole
    }
    throw .badValue(
      place: "\(name) of \(place)", found: value.shown,
      wanted: "a whole number, \(range.lowerBound) to \(range.upperBound)")
  }
}
