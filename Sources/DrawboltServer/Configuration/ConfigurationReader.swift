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
    guard let text = String(data: data, encoding: .utf8) else {
      throw .syntax(file: path, explanation: "it is not UTF-8")
    }
    try apply(json5: text, file: path, to: &configuration)
  }

  /// Applies the text of a JSON5 file, which messages call `file`.
  package static func apply(json5 text: String, file: String, to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    let value = try ConfigurationValue(json5: text, file: file)
    try apply(value, file: file, to: &configuration)
  }

  /// Applies the variables that begin with `DRAWBOLT_`; one without a setting is refused.
  package static func apply(environment: [String: String], to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    var mistakes = Mistakes()
    for (name, text) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("DRAWBOLT_") && !text.isEmpty {
      mistakes.gather { () throws(ConfigurationError) in
        try apply(variable: name, text: text, to: &configuration)
      }
    }
    try mistakes.report()
  }

  private static func apply(variable: String, text: String, to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    if variable == boardsVariable {
      configuration.boards = try boards(json5: text, in: variable)
      return
    }
    if variable == tokenKeysVariable {
      configuration.tokenKeys = try tokenKeys(json5: text, in: variable)
      return
    }
    let settings = Setting.all
    guard let setting = settings.first(where: { $0.variable == variable }) else {
      throw .unknownKey(
        place: "the environment's \(variable)",
        nearest: nearestName(
          to: variable, among: settings.map(\.variable) + [boardsVariable, tokenKeysVariable]))
    }
    try set(setting, setting.value(ofText: text), place: variable, in: &configuration)
  }

  /// Applies one flag, given without its dashes.
  package static func apply(flag: String, text: String, to configuration: inout Configuration)
    throws(ConfigurationError)
  {
    if flag == boardsFlag {
      configuration.boards = try boards(json5: text, in: "--" + flag)
      return
    }
    if flag == tokenKeysFlag {
      configuration.tokenKeys = try tokenKeys(json5: text, in: "--" + flag)
      return
    }
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
    let misfits = setting.set(&configuration, value)
    configuration.given.insert(setting.path)
    var mistakes = Mistakes()
    for misfit in misfits {
      mistakes.gather { () throws(ConfigurationError) in
        throw .badValue(place: place, found: misfit.found, wanted: misfit.wanted)
      }
    }
    try mistakes.report()
  }

  static func apply(
    _ value: ConfigurationValue, file: String, to configuration: inout Configuration
  ) throws(ConfigurationError) {
    guard case .table(let table) = value else {
      throw .badValue(place: file, found: value.kind, wanted: "a table of settings")
    }
    var mistakes = Mistakes()
    for entry in table.entries {
      mistakes.gather { () throws(ConfigurationError) in
        if entry.name == "boards" {
          configuration.boards = try boards(entry.value, in: file)
        } else if entry.name == "tokenKeys" {
          configuration.tokenKeys = try tokenKeys(entry.value, in: file)
        } else {
          try apply(key: entry.name, entry.value, file: file, to: &configuration)
        }
      }
    }
    try mistakes.report()
  }

  private static func apply(
    key: String, _ value: ConfigurationValue, file: String, to configuration: inout Configuration
  ) throws(ConfigurationError) {
    if case .table(let inner) = value, Setting.all.contains(where: { $0.path.hasPrefix(key + ".") })
    {
      var mistakes = Mistakes()
      for entry in inner.entries {
        mistakes.gather { () throws(ConfigurationError) in
          try apply(key: key + "." + entry.name, entry.value, file: file, to: &configuration)
        }
      }
      return try mistakes.report()
    }
    if Setting.all.contains(where: { $0.path.hasPrefix(key + ".") }) {
      throw .badValue(
        place: "\(key) in \(file)", found: value.shown, wanted: "a table of settings")
    }
    guard let setting = Setting.all.first(where: { $0.path == key }) else {
      throw .unknownKey(
        place: "\(key) in \(file)",
        nearest: nearestName(to: key, among: Setting.all.map(\.path) + ["boards", "tokenKeys"]))
    }
    try set(setting, value, place: "\(key) in \(file)", in: &configuration)
  }
}
