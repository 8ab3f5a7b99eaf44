import Foundation

/// The options by which every command finds its configuration.
enum ConfigurationOptions {
  static let file = Option(
    name: "config", value: "FILE", help: "Read this configuration (JSON5).")
  static let dev = Option(
    name: "dev", value: nil, help: "One machine's demo: data and key in ./var, loopback only.")
  static let data = Option(
    name: "data-directory", value: "DIR", help: "Where the database is.")
  static let key = Option(name: "key-file", value: "FILE", help: "Where the server key is.")

  private static let boards = Option(
    name: ConfigurationReader.boardsFlag, value: "LIST",
    help: "Which boards may be opened, as in the file: [{ name: \"*\", columns: 4, rows: 4 }].")

  private static let tokenKeys = Option(
    name: ConfigurationReader.tokenKeysFlag, value: "LIST",
    help: "The keys of tokens, as in the file: [{ kid: \"shop\", … }].")

  /// What commands need that work on locks.
  static let forData = [file, dev, data, key]

  /// What a new lock is made with, besides.
  static var forNewLock: [Option] {
    options(of: Setting.all.filter { $0.path.hasPrefix("hash.") })
  }

  /// What commands need that work on tokens.
  static var forTokens: [Option] {
    forData + [tokenKeys] + options(of: Setting.all.filter { $0.path == "tokenAudience" })
  }

  private static func options(of settings: [Setting]) -> [Option] {
    settings.map { Option(name: $0.flag, value: "VALUE", help: $0.help) }
  }

  /// What `serve` takes: every setting.
  static var forServe: [Option] {
    [file, dev] + options(of: Setting.all) + [boards, tokenKeys]
  }

  /// Defaults, then the file, then the environment, then flags.
  static func configuration(_ arguments: Arguments) throws(CommandFailure) -> Configuration {
    try configuration(arguments, file: arguments["config"]) { _ in }
  }

  /// The same, from a file that may be named in another way, with what no single setting shows to be
  /// wrong.
  static func checkedConfiguration(_ arguments: Arguments, file: String?)
    throws(CommandFailure) -> Configuration
  {
    try configuration(arguments, file: file) { configuration throws(ConfigurationError) in
      try configuration.check()
    }
  }

  /// - Throws: a configuration failure with all mistakes, those that `check` finds at the end.
  private static func configuration(
    _ arguments: Arguments, file: String?,
    check: (Configuration) throws(ConfigurationError) -> Void
  ) throws(CommandFailure) -> Configuration {
    let environment = ProcessInfo.processInfo.environment
    var configuration = arguments.has("dev") ? Configuration.development : Configuration()
    configuration.credentialsDirectory = environment["CREDENTIALS_DIRECTORY"] ?? ""
    var mistakes = Mistakes()
    mistakes.gather { () throws(ConfigurationError) in
      if let file { try ConfigurationReader.apply(file: file, to: &configuration) }
    }
    mistakes.gather { () throws(ConfigurationError) in
      try ConfigurationReader.apply(environment: environment, to: &configuration)
    }
    let flags = Set(
      Setting.all.map(\.flag) + [
        ConfigurationReader.boardsFlag, ConfigurationReader.tokenKeysFlag,
      ])
    for name in arguments.optionNames where flags.contains(name) {
      mistakes.gather { () throws(ConfigurationError) in
        try ConfigurationReader.apply(flag: name, text: arguments[name] ?? "", to: &configuration)
      }
    }
    mistakes.gather { () throws(ConfigurationError) in try check(configuration) }
    do throws(ConfigurationError) { try mistakes.report() } catch {
      throw CommandFailure(.configuration, error.message)
    }
    return configuration
  }
}
