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
    let settings = Setting.all
    for (name, text) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix("DRAWBOLT_") && !text.isEmpty {
      if name == boardsVariable {
        configuration.boards = try boards(json5: text, in: name)
        continue
      }
      if name == tokenKeysVariable {
        configuration.tokenKeys = try tokenKeys(json5: text, in: name)
        continue
      }
      guard let setting = settings.first(where: { $0.variable == name }) else {
        throw .unknownKey(
          place: "the environment's \(name)",
          nearest: nearestName(
            to: name, among: settings.map(\.variable) + [boardsVariable, tokenKeysVariable]))
      }
      try set(setting, setting.value(ofText: text), place: name, in: &configuration)
    }
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
    guard setting.set(&configuration, value) else {
      throw .badValue(place: place, found: shown(value), wanted: setting.wanted)
    }
    configuration.given.insert(setting.path)
  }

  static func apply(
    _ value: ConfigurationValue, file: String, to configuration: inout Configuration
  ) throws(ConfigurationError) {
    guard case .table(let table) = value else {
      throw .badValue(place: file, found: value.kind, wanted: "a table of settings")
    }
    for (key, value) in table.sorted(by: { $0.key < $1.key }) {
      if key == "boards" {
        configuration.boards = try boards(value, in: file)
      } else if key == "tokenKeys" {
        configuration.tokenKeys = try tokenKeys(value, in: file)
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
    if Setting.all.contains(where: { $0.path.hasPrefix(key + ".") }) {
      throw .badValue(
        place: "\(key) in \(file)", found: shown(value), wanted: "a table of settings")
    }
    guard let setting = Setting.all.first(where: { $0.path == key }) else {
      throw .unknownKey(
        place: "\(key) in \(file)",
        nearest: nearestName(to: key, among: Setting.all.map(\.path) + ["boards", "tokenKeys"]))
    }
    try set(setting, value, place: "\(key) in \(file)", in: &configuration)
  }

  static func shown(_ value: ConfigurationValue) -> String {
    switch value {
    case .text(let text): quoted(text)
    case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
    default: value.kind
    }
  }
}
