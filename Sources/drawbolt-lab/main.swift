import DrawboltServer
import Foundation

// A peer that went away must end a write, not the program.
signal(SIGPIPE, SIG_IGN)
let lab = CommandSet(
  program: "drawbolt-lab",
  summary: "The developer's program: what Drawbolt costs, what it holds, and whether it errs.",
  commands: [.bench, .load, .simulate, .verifyLoad])
exit(lab.runStandard(Array(CommandLine.arguments.dropFirst())).rawValue)
