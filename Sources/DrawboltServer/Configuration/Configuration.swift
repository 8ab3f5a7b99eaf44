package import PadModel
import Vault

/// All that the server can be told, with its defaults.
public struct Configuration: Equatable, Sendable {
  /// `ADDRESS:PORT` of each public listener.
  package var listen = ["127.0.0.1:8080", "[::1]:8080"]
  /// `ADDRESS:PORT` of each listener for metrics.
  package var admin = ["127.0.0.1:8081"]
  /// Proxies in front of the public listeners, as addresses or ranges of them.
  package var proxies: [String] = []
  /// Whether administrators may work over HTTP.
  package var adminAPI = Switch.off
  /// Hosts that requests may name; empty allows the listeners' own loopback names.
  package var hosts: [String] = []
  /// Origins that pages may come from; empty allows those of `hosts`.
  package var origins: [String] = []
  /// Origins whose pages may show the pad's page in a frame.
  package var frameAncestors: [String] = []
  /// The keys that tokens are checked with; without any, nobody needs a token.
  package var tokenKeys: [TokenKey] = []
  /// What a token's `aud` must be.
  package var tokenAudience = "drawbolt"
  /// How many loops serve, each a thread of its own.
  package var loops = LoopCount.exactly(1)
  /// Where the database lives.
  package var dataDirectory = "/var/lib/drawbolt"
  /// Where the server key lives; empty means the service's credential, or with `dev` a file in the
  /// data directory.
  package var keyFile = "/etc/drawbolt/server.key"
  /// Where systemd put the service's credentials; empty without it.
  package var credentialsDirectory = ""
  /// The certificate that the public listeners show, with those of its issuers; empty means plain HTTP.
  package var tlsCertificate = ""
  /// The private key of that certificate.
  package var tlsKey = ""
  /// The folder of static files.
  package var webRoot = "web"
  /// The least severe events that are logged.
  package var logLevel = LogLevel.info
  /// How a log line looks.
  package var logFormat = LogFormat.text
  /// The convenience mode for one machine: own key and demo lock in `./var`, loopback only.
  package var dev = false
  /// Which pad a board has, by its name; the first that fits.
  package var boards = [BoardRule(pattern: "*", preset: .android, grid: .threeByThree)]
  /// The limits in force.
  package var limits = Limits.standard
  /// Memory of a hash of a new lock's codes, in MiB.
  package var hashMebibytes = HashCost.standard.memory >> 20
  /// Passes over that memory.
  package var hashPasses = HashCost.standard.passes
  /// Paths of the settings that somebody set, whatever to.
  package var given: Set<String> = []

  /// The defaults.
  public init() {}

  /// Whether the public listeners speak TLS.
  package var isSecure: Bool { !tlsCertificate.isEmpty }

  /// Whether a lock may have more secrets than a guesser should be given chances.
  package var hasManySecrets: Bool { limits.secretsPerLock > Limits.standard.secretsPerLock }

  /// The defaults of `--dev`.
  package static var development: Configuration {
    var configuration = Configuration()
    configuration.dev = true
    configuration.dataDirectory = "var"
    configuration.keyFile = ""
    return configuration
  }

  /// The pad of the board `name`, or nil when no rule opens such a board.
  package func boardPad(_ name: String) -> Pad? { boardRule(name)?.pad }

  /// The rule of the board `name`, or nil when none opens such a board.
  package func boardRule(_ name: String) -> BoardRule? { boards.first { $0.matches(name) } }
}

/// Which pad the boards of a name pattern have.
package struct BoardRule: Equatable, Sendable {
  /// A board's name, or its beginning and `*`.
  package var pattern: String
  /// The preset of its pad.
  package var preset: Preset
  /// The grid of its pad.
  package var grid: Grid
  /// The width in view points that a seed preset's pad is laid out for.
  package var viewWidth = Preset.standardViewWidth
  /// What a cancelled stroke comes to; nil leaves it to the preset.
  package var cancel: CancelRule?
  /// Who needs no token, where tokens are.
  package var access = BoardAccess.token
  /// The origins whose pages may connect to the boards; empty leaves that to the server's.
  package var origins: [String] = []

  /// The pad of the rule's boards.
  var pad: Pad {
    var pad = preset.pad(grid, viewWidth: viewWidth)
    if let cancel { pad.finish.cancel = cancel }
    return pad
  }

  /// Whether the rule is for the board `name`.
  func matches(_ name: String) -> Bool { Self.pattern(pattern, fits: name) }

  /// Whether a name is the pattern, or begins with what stands before its `*`.
  static func pattern(_ pattern: some StringProtocol, fits name: String) -> Bool {
    pattern.hasSuffix("*") ? name.hasPrefix(pattern.dropLast()) : name == pattern
  }
}

/// Who may join a board of a server that has tokens.
package enum BoardAccess: String, CaseIterable, Sendable {
  /// Who shows a token for it.
  case token
  /// Whoever asks.
  case open
}

/// Something that is on or off.
package enum Switch: String, CaseIterable, Sendable {
  case off, on
}
