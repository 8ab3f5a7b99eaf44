/// How the program ends, by the numbers of `sysexits.h`.
public enum ExitStatus: Int32, Sendable {
  /// All went well.
  case success = 0
  /// The command line is wrong.
  case usage = 64
  /// The input is wrong: a pattern that can't be drawn, a damaged database.
  case badData = 65
  /// There is no such lock, secret or file.
  case noInput = 66
  /// Something that is needed is not available, such as a free port.
  case unavailable = 69
  /// A fault of the program.
  case software = 70
  /// The operating system refused something.
  case systemError = 71
  /// A file or folder cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Busy for now; the same may work later.
  case temporary = 75
  /// Not allowed.
  case noPermission = 77
  /// The configuration is wrong.
  case configuration = 78
}

/// Why a command ends early: a line that says what to do, or several for as many mistakes, and the
/// exit status.
public struct CommandFailure: Error, Equatable, Sendable {
  /// How the program ends.
  public var status: ExitStatus
  /// Lines for people, mostly one.
  public var message: String

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
