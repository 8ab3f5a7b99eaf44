import DrawboltServer
import Foundation

// A peer that went away must end a write, not the program.
signal(SIGPIPE, SIG_IGN)
exit(CommandSet.lab.runStandard(Array(CommandLine.arguments.dropFirst())).rawValue)
