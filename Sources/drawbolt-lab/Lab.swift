package import DrawboltServer

extension CommandSet {
  /// The program `drawbolt-lab`.
  package static let lab = CommandSet(
    program: "drawbolt-lab",
    summary: "The developer's program: what Drawbolt costs, what it holds, and whether it errs.",
    commands: [.bench, .echo, .idle, .load, .simulate, .verifyLoad])
}
