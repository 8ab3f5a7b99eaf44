extension Command {
  /// Every command, in the order of the overview.
  package static let all: [Command] = [configCheck, configDefault, versionCommand]
}
