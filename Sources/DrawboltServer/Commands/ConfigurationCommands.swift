import PadModel
import Transport

extension Command {
  static let configCheck = Command(
    name: "config check", operands: "[FILE]",
    summary: "Check a configuration, the environment and flags included.",
    options: ConfigurationOptions.forServe
  ) { arguments, console throws(CommandFailure) in
    let configuration = try checked(arguments)
    if configuration.hasManySecrets {
      console.print(
        "Warning: with \(configuration.limits.secretsPerLock) secrets a lock, each guess has so many "
          + "chances; \(Limits.standard.secretsPerLock) are advised.\n")
    }
    console.print("The configuration is good.\n")
  }

  static let configDefault = Command(
    name: "config default", summary: "Print a configuration with every setting and its default."
  ) { _, console in console.print(DefaultFile.render()) }

  static let versionCommand = Command(
    name: "version", summary: "Print the version."
  ) { _, console in console.print("drawbolt \(Program.version)\n") }
}

/// The configuration as `serve` would have it, its file named by a word or by `--config`.
private func checked(_ arguments: Arguments) throws(CommandFailure) -> Configuration {
  if let file = arguments.words.first, let other = arguments["config"] {
    throw CommandFailure(.usage, "FILE is \(file), but --config is \(other); name one of them")
  }
  let configuration = try ConfigurationOptions.configuration(
    arguments, file: arguments.words.first)
  do throws(ConfigurationError) { try configuration.check() } catch {
    throw CommandFailure(.configuration, error.message)
  }
  return configuration
}

extension Configuration {
  /// Refuses what no single setting shows to be wrong.
  ///
  /// - Throws: ``ConfigurationError/badValue(place:found:wanted:)``.
  package func check() throws(ConfigurationError) {
    try checkReach()
    try checkTokens()
    try checkAddresses()
    guard !listen.isEmpty else {
      throw .badValue(place: "listen", found: "empty", wanted: "at least one ADDRESS:PORT")
    }
    guard limits.deadAfter > limits.pingAfter else {
      throw .badValue(
        place: "limits.deadAfter", found: quoted(DurationText.format(limits.deadAfter)),
        wanted: "longer than limits.pingAfter")
    }
    try checkKeyPlace()
  }

  /// Refuses what is no address, and one that stands there twice: both listeners would share it, and
  /// the system would choose one of them for each connection.
  private func checkAddresses() throws(ConfigurationError) {
    var seen: Set<ListenAddress> = []
    for (place, texts) in [("listen", listen), ("admin", admin)] {
      for text in texts {
        guard let address = ListenText.parse(text)?.socket else {
          throw .badValue(place: place, found: quoted(text), wanted: "an address in digits")
        }
        guard address.port == 0 || seen.insert(address).inserted else {
          throw .badValue(
            place: place, found: quoted(text), wanted: "an address that listen and admin name once")
        }
      }
    }
  }
}
