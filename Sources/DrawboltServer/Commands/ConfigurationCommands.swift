import PadModel
import Transport

extension Command {
  static let configCheck = Command(
    name: "config check", operands: "[FILE]",
    summary: "Check a configuration, the environment and flags included.",
    options: ConfigurationOptions.forServe
  ) { arguments, console throws(CommandFailure) in
    let file = try fileToCheck(arguments)
    let configuration = try ConfigurationOptions.checkedConfiguration(arguments, file: file)
    if configuration.hasManySecrets {
      console.print(
        "Warning: with \(configuration.limits.secretsPerLock) secrets a lock, each guess has so many "
          + "chances; \(Limits.standard.secretsPerLock) are advised.\n")
    }
    console.print(
      "The configuration is good. "
        + (file.map { "Its file is \($0).\n" } ?? "No file was read: name one, or use --config.\n"))
  }

  static let configDefault = Command(
    name: "config default", summary: "Print a configuration with every setting and its default."
  ) { _, console in console.print(DefaultFile.render()) }

  static let versionCommand = Command(
    name: "version", summary: "Print the version."
  ) { _, console in console.print("drawbolt \(Program.version)\n") }
}

/// The file that a word names, or `--config`; nil if none does.
private func fileToCheck(_ arguments: Arguments) throws(CommandFailure) -> String? {
  guard let file = arguments.words.first else { return arguments["config"] }
  if let other = arguments["config"] {
    throw CommandFailure(.usage, "FILE is \(file), but --config is \(other); name one of them")
  }
  return file
}

extension Configuration {
  /// Refuses what no single setting shows to be wrong.
  ///
  /// - Throws: ``ConfigurationError``, all mistakes together.
  package func check() throws(ConfigurationError) {
    var mistakes = Mistakes()
    mistakes.gather(checkAddresses)
    mistakes.gather(checkReach)
    mistakes.gather(checkTokens)
    mistakes.gather { () throws(ConfigurationError) in
      guard listen.isEmpty else { return }
      throw .badValue(place: "listen", found: "empty", wanted: "at least one ADDRESS:PORT")
    }
    mistakes.gather(checkKeyPlace)
    mistakes.gather(checkPair)
    mistakes.gather { () throws(ConfigurationError) in
      guard limits.deadAfter <= limits.pingAfter else { return }
      throw .badValue(
        place: "limits.deadAfter", found: quoted(DurationText.format(limits.deadAfter)),
        wanted: "longer than limits.pingAfter")
    }
    mistakes.gather { () throws(ConfigurationError) in
      guard limits.verifyQueueTrusted >= limits.verifyQueue else { return }
      throw .badValue(
        place: "limits.verifyQueueTrusted", found: "\(limits.verifyQueueTrusted)",
        wanted: "less than limits.verifyQueue, or no stranger is ever judged")
    }
    mistakes.gather { () throws(ConfigurationError) in
      guard adminAPI == .on, admin.isEmpty else { return }
      throw .badValue(
        place: "adminApi", found: quoted("on"), wanted: "\"off\" where admin names no address")
    }
    try mistakes.report()
  }

  private func checkPair() throws(ConfigurationError) {
    guard tlsCertificate.isEmpty != tlsKey.isEmpty else { return }
    let (missing, given) = tlsKey.isEmpty ? ("key", "certificate") : ("certificate", "key")
    throw .badValue(
      place: "tls.\(missing)", found: "empty", wanted: "a file, since tls.\(given) is one")
  }

  private func checkAddresses() throws(ConfigurationError) {
    var mistakes = Mistakes()
    var seen: Set<ListenAddress> = []
    for (place, texts) in [("listen", listen), ("admin", admin)] {
      for text in texts {
        mistakes.gather { () throws(ConfigurationError) in
          try check(text, of: place, &seen)
        }
      }
    }
    try mistakes.report()
  }

  /// Refuses what is no address, or one that others could reach and must not, and one that stands there twice: both listeners
  /// would share it, and the system would choose one of them for each connection.
  private func check(_ text: String, of place: String, _ seen: inout Set<ListenAddress>)
    throws(ConfigurationError)
  {
    func refusal(_ wanted: String) -> ConfigurationError {
      .badValue(place: place, found: quoted(text), wanted: wanted)
    }
    let parsed = ListenText.parse(text)
    if let reason = whyLoopback(place), parsed?.isLoopback != true {
      throw refusal("a loopback address (127.0.0.1 or [::1]): " + reason)
    }
    guard let address = parsed?.socket else { throw refusal("an address in digits") }
    guard address.port == 0 || seen.insert(address).inserted else {
      throw refusal("an address that listen and admin name once")
    }
  }
}
