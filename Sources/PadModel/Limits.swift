/// Every limit of the server, named, with its default.
///
/// Each is told to clients in `welcome`.
public struct Limits: Equatable, Sendable {
  /// Longest message, in bytes, after its fragments are put together.
  public var messageBytes = 4096
  /// Most samples in one frame.
  public var samplesPerFrame = 64
  /// Samples a second that one connection may send in the long run.
  public var samplesPerSecond = 1000
  /// Samples that it may send at once after a pause.
  public var samplesBurst = 4000
  /// Messages a second that one connection may send in the long run.
  public var framesPerSecond = 600
  /// Messages that it may send at once after a pause.
  public var framesBurst = 4000
  /// Bytes a second that one connection may send in the long run, headers and pings included.
  public var bytesPerSecond = 262_144
  /// Bytes that it may send at once after a pause.
  public var bytesBurst = 1_048_576
  /// Bytes a second of text, which costs more to read, that one connection may send in the long run.
  public var textBytesPerSecond = 131_072
  /// Bytes of text that it may send at once after a pause.
  public var textBytesBurst = 524_288
  /// Fragments, pongs, half kilobytes and TCP segments a second that one connection may send in the long
  /// run, each of which costs something, however small it is.
  public var piecesPerSecond = 1200
  /// As many of these as it may send at once after a pause.
  public var piecesBurst = 8000
  /// Frames that one message may be divided into.
  public var fragmentsPerMessage = 64
  /// Breaches of a rate within ``rateStrikeWindow`` that close the connection.
  public var rateStrikes = 3
  /// How long a breach is remembered.
  public var rateStrikeWindow = Duration.seconds(10)
  /// Members of one room.
  public var membersPerRoom = 10_100
  /// Rooms that exist at once.
  public var rooms = 10_000
  /// Connections at once.
  public var connections = 20_000
  /// Connections at once from one address (IPv4 /32, IPv6 /64).
  public var connectionsPerAddress = 200
  /// New connections a second from one address in the long run.
  public var acceptsPerSecond = 20
  /// New connections from one address at once after a pause.
  public var acceptsBurst = 200
  /// Sockets of one loop whose request has not come yet; the oldest goes for one more, or is waited for
  /// while it is younger than three seconds.
  public var handshakes = 1024
  /// Sockets of one loop whose TLS handshake is not finished; likewise.
  public var tlsHandshakes = 1000
  /// Sockets of one loop that may shake hands by TLS only to hear that a limit of connections is reached.
  public var turnedAway = 64
  /// Bytes that the kernel may hold unsent for one connection before it counts as slow.
  public var unsentBytes = 4096
  /// Boards that one address may have open.
  public var boardsPerAddress = 20
  /// From accept to a valid hello.
  public var helloTime = Duration.seconds(10)
  /// Messages after a valid hello that may come before its `welcome`; they are dropped.
  public var messagesBeforeHello = 2
  /// State frames that a member with `acks` may leave unacknowledged.
  public var unacknowledgedFrames = 32
  /// Frames a second that one room publishes.
  public var roomFramesPerSecond = 500
  /// The highest `maxRate` that a member may ask for, in frames a second.
  public var maxRate = 240
  /// Silence after which a ping goes out and the last state is repeated.
  public var pingAfter = Duration.seconds(20)
  /// Silence of the peer after which its connection is dropped.
  public var deadAfter = Duration.seconds(30)
  /// Longest member name, in bytes of UTF-8.
  public var nameBytes = 64
  /// Attempts that wait for a hashing thread.
  public var verifyQueue = 32
  /// Of them so many that only trusted devices may take.
  public var verifyQueueTrusted = 8
  /// Attempts that wait for a bucket behind the one in flight.
  public var attemptsWaitingPerBucket = 4
  /// Attempts that wait for one connection behind the one in flight.
  public var attemptsWaitingPerConnection = 1
  /// From release to a verdict; after it the answer is `unavailable`.
  public var verdictTime = Duration.seconds(5)
  /// Bytes of messages that must not be lost, queued for one connection.
  public var controlQueueBytes = 16 * 1024
  /// Longest stroke in a lock room, from its press.
  public var lockStrokeTime = Duration.seconds(30)
  /// Longest stroke on a board.
  public var boardStrokeTime = Duration.seconds(300)
  /// How long a lock room shows how a stroke ended.
  public var verdictShown = Duration.seconds(3)
  /// How long a room without members, or an unreachable pen holder on request, is kept.
  public var graceTime = Duration.seconds(5)
  /// How long after its stroke a pen that was taken by a press falls free on a board.
  public var pressedPenKept = Duration.seconds(2)
  /// How long a verdict waits for the resume key of a connection that was lost.
  public var verdictKept = Duration.seconds(30)
  /// From `accepted` until an actuator must have claimed the grant.
  public var grantTime = Duration.seconds(5)
  /// Controllers listed in `members`.
  public var controllersListed = 50
  /// Shortest time between two `members` messages of one room.
  public var membersInterval = Duration.seconds(1)
  /// `pen` messages of one room that may go out at once after a pause.
  public var penBurst = 12
  /// Time between them in the long run.
  public var penInterval = Duration.milliseconds(250)
  /// Enabled secrets of one lock.
  public var secretsPerLock = 5
  /// Devices that are trusted for one secret; the one shown least of late goes.
  public var devicesPerSecret = 16
  /// Shared pads of one lock with a bucket of their own; further ones count as strangers.
  public var sharedPadsPerLock = 64
  /// Wrong codes that one address may try at once, at all locks together.
  public var wrongCodesBurst = 10
  /// Wrong codes a minute that it may try in the long run.
  public var wrongCodesPerMinute = 6
  /// Wrong codes of one connection that are remembered, so that the same again is not counted twice.
  public var wrongCodesRemembered = 5
  /// How long each of them is remembered.
  public var wrongCodesKept = Duration.seconds(300)
  /// Rows of the audit; the oldest go.
  public var auditRows = 100_000
  /// Longest token, in bytes.
  public var tokenBytes = 2048
  /// Administrators of the HTTP interface.
  public var admins = 32
  /// Keys that tokens may be signed with.
  public var tokenKeys = 16
  /// Revoked tokens that are remembered, each until it would have ended.
  public var revocations = 10_000
  /// Origins that one lock or one rule of boards may list.
  public var originsPerRoom = 16
  /// Nesting of a JSON message.
  public var jsonDepth = 8

  /// The defaults.
  public static let standard = Limits()

  /// Makes the default limits, to be changed by configuration.
  public init() {}
}
