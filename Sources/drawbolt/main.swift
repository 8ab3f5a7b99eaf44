import DrawboltServer
import Foundation

ProcessHygiene.apply()
exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
