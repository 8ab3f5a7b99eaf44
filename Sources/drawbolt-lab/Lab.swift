package import DrawboltServer

extension CommandSet {
  /// The program `drawbolt-lab`.
  package static let lab = CommandSet(
    program: "drawbolt-lab",
    summary: "The developer's program: what Drawbolt costs, and what it holds under load.",
    commands: [.bench, .echo, .idle, .load, .verifyLoad])
}
