import Foundation
import PadModel

/// Puts a configuration together: defaults, then the file, then the environment, then flags.
package enum ConfigurationReader {
  /// Applies the JSON5 file at `path`.
  package static func apply(file path: String, to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      let reason = FileManager.default.fileExists(atPath: path) ? "no permission" : "no such file"
      throw .unreadable(file: path, reason: reason)
    }
    try apply(try ConfigurationValue(json5: data, file: path), file: path, to: &configuration)
  }

  /// Applies the text of a JSON5 file, which messages call `file`.
  package static func apply(json5 text: String, file: String, to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    let value = try ConfigurationValue(json5: Data(text.utf8), file: file)
    try apply(value, file: file, to: &configuration)
  }

  /// Applies the variables that begin with `DRAWBOLT_`; one without a setting is refused.
  package static func apply(environment: [String: String], to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    let settings = Setting.all
    for (name, text) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("DRAWBOLT_") && !text.isEmpty {
      guard let setting = settings.first(where: { $0.variable == name }) else {
        throw .unknownKey(
          place: "the environment's \(name)",
          nearest: nearestName(to: name, among: settings.map(\.variable)))
      }
      try set(setting, setting.value(ofText: text), place: name, in: &configuration)
    }
  }

  /// Applies one flag, given without its dashes.
  package static func apply(flag: String, text: String, to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    guard let setting = Setting.all.first(where: { $0.flag == flag }) else {
      throw .unknownKey(
        place: "--\(flag)", nearest: nearestName(to: flag, among: Setting.all.map(\.flag)))
    }
    try set(setting, setting.value(ofText: text), place: "--\(flag)", in: &configuration)
  }

  private static func set(
    _ setting: Setting, _ value: ConfigurationValue, place: String,
    in configuration: inout Configuration
  ) throws(ConfigurationError) {
    guard setting.set(&configuration, value) else {
      throw .badValue(place: place, found: shown(value), wanted: setting.wanted)
    }
  }

  static func apply(
    _ value: ConfigurationValue, file: String, to configuration: inout Configuration
  ) throws(ConfigurationError) {
    guard case .table(let table) = value else {
      throw .badValue(place: file, found: value.kind, wanted: "a table of settings")
    }
    for (key, value) in table.sorted(by: { $0.key < $1.key }) {
      if key == "boards" {
        configuration.boards = try boards(value, file: file)
      } else {
        try apply(key: key, value, file: file, to: &configuration)
      }
    }
  }

  private static func apply(
    key: String, _ value: ConfigurationValue, file: String, to configuration: inout Configuration
  ) throws(ConfigurationError) {
    if case .table(let inner) = value, Setting.all.contains(where: { $0.path.hasPrefix(key + ".") })
    {
      for (name, value) in inner.sorted(by: { $0.key < $1.key }) {
        try apply(key: key + "." + name, value, file: file, to: &configuration)
      }
      return
    }
    guard let setting = Setting.all.first(where: { $0.path == key }) else {
      throw .unknownKey(
        place: "\(key) in \(file)",
        nearest: nearestName(to: key, among: Setting.all.map(\.path) + ["boards"]))
    }
    try set(setting, value, place: "\(key) in \(file)", in: &configuration)
  }

  private static func shown(_ value: ConfigurationValue) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    default: value.kind
    }
  }
}

/// Reading of the list `boards`.
extension ConfigurationReader {
  private static let boardKeys = ["name", "preset", "columns", "rows", "width", "cancel"]

  private static func boards(_ value: ConfigurationValue, file: String)
    throws(ConfigurationError) -> [BoardRule]
  {
    guard case .list(let items) = value else {
      throw .badValue(place: "boards in \(file)", found: value.kind, wanted: "a list of tables")
    }
    var rules: [BoardRule] = []
    for (index, item) in items.enumerated() {
      rules.append(try board(item, place: "boards[\(index)] in \(file)"))
    }
    return rules
  }

  private static func board(_ value: ConfigurationValue, place: String)
    throws(ConfigurationError) -> BoardRule
  {
    guard case .table(let table) = value else {
      throw .badValue(place: place, found: value.kind, wanted: "a table")
    }
    for key in table.keys.sorted() where !boardKeys.contains(key) {
      throw .unknownKey(
        place: "\(key) of \(place)", nearest: nearestName(to: key, among: boardKeys))
    }
    guard case .text(let pattern) = table["name"] ?? .nothing else {
      throw .badValue(
        place: "name of \(place)", found: shown(table["name"] ?? .nothing),
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
      cancel: try cancel(table["cancel"], place: place))
  }

  private static func viewWidth(_ value: ConfigurationValue?, of preset: Preset, place: String)
    throws(ConfigurationError) -> Int
  {
    guard let value else { return Preset.standardViewWidth }
    guard preset.hasViewWidth else {
      throw .badValue(
        place: "width of \(place)", found: shown(value),
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
    throw .badValue(place: "cancel of \(place)", found: shown(value), wanted: "one of \(names)")
  }

  private static func preset(_ value: ConfigurationValue?, place: String)
    throws(ConfigurationError) -> Preset
  {
    guard let value else { return .android }
    if case .text(let name) = value, let preset = Preset(rawValue: name) { return preset }
    let names = Preset.allCases.map(\.rawValue).joined(separator: ", ")
    throw .badValue(place: "preset of \(place)", found: shown(value), wanted: "one of \(names)")
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
      place: "\(name) of \(place)", found: shown(value),
      wanted: "a whole number, \(range.lowerBound) to \(range.upperBound)")
  }
}
