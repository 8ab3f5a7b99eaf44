import PadModel
import Vault

extension Setting {
  /// Every setting but `boards`, whose list of tables has its own reader, in the order of the default file.
  static var all: [Setting] { places + limits }

  private static var places: [Setting] {
    [
      .texts(
        "listen", \.listen, wanted: "ADDRESS:PORT, such as \"127.0.0.1:8080\"",
        "Where pads, mirrors and locks connect. Without tokenKeys on loopback only.",
        mistake: ListenText.mistake(in:)),
      .texts(
        "admin", \.admin, wanted: "ADDRESS:PORT, such as \"127.0.0.1:8081\"",
        "Where /metrics is served, never on the public listener. An empty list turns it off.",
        mistake: ListenText.mistake(in:)),
      .choice(
        "adminApi", \.adminAPI,
        "Whether administrators may work over HTTP at the admin listener, under /api/v1, with tokens "
          + "of drawbolt admin add."),
      .texts(
        "proxies", \.proxies, wanted: "ADDRESS or ADDRESS/BITS",
        "Proxies in front of the public listeners: their X-Forwarded-For counts, its right-most hop that "
          + "is none of them.",
        mistake: ListenText.mistake(inRange:)),
      .texts(
        "hosts", \.hosts, wanted: "HOST:PORT",
        "Hosts that a request may name; empty means the listeners' own loopback names.",
        mistake: NameText.mistake(inHost:)),
      .texts(
        "origins", \.origins, wanted: "SCHEME://HOST:PORT",
        "Origins whose pages may connect, but to rooms that list their own; empty means http:// and "
          + "the hosts, or https:// with TLS.",
        mistake: NameText.mistake(inOrigin:)),
      .texts(
        "frameAncestors", \.frameAncestors, wanted: "SCHEME://HOST:PORT",
        "Origins whose pages may show pad.html in a frame; empty allows none.",
        mistake: NameText.mistake(inOrigin:)),
      .text(
        "tokenAudience", \.tokenAudience,
        "What a token's aud must be: this server's name to issuers."),
      .text(
        "dataDirectory", \.dataDirectory, "The folder of the database; made with mode 0700."),
      .text(
        "keyFile", \.keyFile,
        "The server key, mode 0600, outside the data directory. Make one: drawbolt key create. Empty "
          + "means the systemd credential server.key."),
      .text(
        "tls.certificate", \.tlsCertificate,
        "The public listeners' certificate, then its issuers', in PEM. With it they speak TLS only. "
          + "SIGHUP reads both files again."),
      .text("tls.key", \.tlsKey, "The certificate's private key in PEM, mode 0600."),
      .text("webRoot", \.webRoot, "The folder of the pages and the client library."),
      .loops(
        "loops", \.loops,
        "Threads that serve connections. One does for thousands of viewers; auto is one a core."),
      .choice("log.level", \.logLevel, "The least severe events that are logged."),
      .choice("log.format", \.logFormat, "How a log line on standard error looks."),
      .integer(
        "hash.mebibytes", \.hashMebibytes, HashCost.allowedMebibytes,
        "Memory that checking a code of a lock takes, in MiB. It is fixed when the lock is added; a "
          + "check must take well under limits.verdictTime."),
      .integer(
        "hash.passes", \.hashPasses, HashCost.allowedPasses,
        "Passes over that memory; fixed when the lock is added, too."),
    ]
  }

  private static var limits: [Setting] {
    sizes + rates + volumes + counts + guesses + times + stays
  }

  private static var sizes: [Setting] {
    [
      .integer(
        "limits.messageBytes", \.limits.messageBytes, 512...65536,
        "Longest message, in bytes; over it the connection is closed with 1009."),
      .integer("limits.samplesPerFrame", \.limits.samplesPerFrame, 1...64, "Samples in a frame."),
      .integer("limits.nameBytes", \.limits.nameBytes, 1...256, "Longest member name, in bytes."),
      .integer(
        "limits.tokenBytes", \.limits.tokenBytes, 256...8192,
        "Longest token, in bytes; it must fit into limits.messageBytes with the rest of its message."
      ),
      .integer("limits.jsonDepth", \.limits.jsonDepth, 4...32, "Nesting of a JSON message."),
      .integer(
        "limits.controlQueueBytes", \.limits.controlQueueBytes, 4096...1_048_576,
        "Bytes of verdicts and the like queued for a connection that does not read."),
    ]
  }

  private static var volumes: [Setting] {
    [
      .integer(
        "limits.bytesPerSecond", \.limits.bytesPerSecond, 1...1_000_000_000,
        "Bytes a second from one connection, pings included; what sends more is closed with 4008."),
      .integer("limits.bytesBurst", \.limits.bytesBurst, 1...1_000_000_000, "Bytes at once."),
      .integer(
        "limits.textBytesPerSecond", \.limits.textBytesPerSecond, 1...1_000_000_000,
        "Bytes of text messages a second from one connection."),
      .integer(
        "limits.textBytesBurst", \.limits.textBytesBurst, 1...1_000_000_000,
        "Bytes of text messages at once."),
      .integer(
        "limits.piecesPerSecond", \.limits.piecesPerSecond, 1...10_000_000,
        "Fragments, pongs, half kilobytes and TCP segments a second; twice framesPerSecond or more."
      ),
      .integer(
        "limits.piecesBurst", \.limits.piecesBurst, 1...10_000_000,
        "Fragments, pongs, half kilobytes and TCP segments at once."),
      .integer(
        "limits.fragmentsPerMessage", \.limits.fragmentsPerMessage, 1...65536,
        "Frames that one message may be divided into."),
    ]
  }

  private static var rates: [Setting] {
    [
      .integer(
        "limits.samplesPerSecond", \.limits.samplesPerSecond, 1...10_000_000,
        "Samples a second from one connection."),
      .integer(
        "limits.samplesBurst", \.limits.samplesBurst, 1...10_000_000, "Samples at once."),
      .integer(
        "limits.framesPerSecond", \.limits.framesPerSecond, 1...10_000_000,
        "Messages a second from one connection."),
      .integer("limits.framesBurst", \.limits.framesBurst, 1...10_000_000, "Messages at once."),
      .integer(
        "limits.rateStrikes", \.limits.rateStrikes, 1...100,
        "Breaches of a rate within rateStrikeWindow that close the connection with 4008."),
      .duration(
        "limits.rateStrikeWindow", \.limits.rateStrikeWindow, .seconds(1) ... .seconds(3600),
        "How long a breach of a rate is remembered."),
      .integer(
        "limits.roomFramesPerSecond", \.limits.roomFramesPerSecond, 1...1000,
        "State frames a second that one room publishes."),
      .integer("limits.maxRate", \.limits.maxRate, 1...240, "Highest maxRate of a member."),
      .integer(
        "limits.acceptsPerSecond", \.limits.acceptsPerSecond, 1...100_000,
        "New connections a second from one address."),
      .integer(
        "limits.acceptsBurst", \.limits.acceptsBurst, 1...100_000, "New connections at once."),
      .integer(
        "limits.handshakes", \.limits.handshakes, 1...1_000_000,
        "Sockets of a loop whose request has not come; the oldest goes for one more."),
      .integer(
        "limits.tlsHandshakes", \.limits.tlsHandshakes, 1...1_000_000,
        "Sockets of a loop whose TLS handshake is not finished; the oldest goes for one more."),
      .integer(
        "limits.turnedAway", \.limits.turnedAway, 1...100_000,
        "Sockets of a loop that shake hands by TLS only to hear that there are too many."),
      .integer(
        "limits.unsentBytes", \.limits.unsentBytes, 1024...1_000_000_000,
        "Bytes that the kernel may hold unsent for one connection before it counts as slow."),
    ]
  }

  private static var counts: [Setting] {
    [
      .integer(
        "limits.connections", \.limits.connections, 1...1_000_000,
        "Connections at once. Unless it is set, it is lowered to what the limit of open files allows."
      ),
      .integer(
        "limits.connectionsPerAddress", \.limits.connectionsPerAddress, 1...1_000_000,
        "Connections at once from one address (IPv4 /32, IPv6 /64)."),
      .integer(
        "limits.boardsPerAddress", \.limits.boardsPerAddress, 1...100_000,
        "Boards that one address may have open."),
      .integer("limits.rooms", \.limits.rooms, 1...1_000_000, "Rooms at once."),
      .integer(
        "limits.membersPerRoom", \.limits.membersPerRoom, 1...1_000_000, "Members of one room."),
      .integer(
        "limits.unacknowledgedFrames", \.limits.unacknowledgedFrames, 1...32,
        "State frames that an acknowledging member may leave unanswered."),
      .integer(
        "limits.verifyQueue", \.limits.verifyQueue, 1...1024, "Attempts that wait for a hash."),
      .integer(
        "limits.verifyQueueTrusted", \.limits.verifyQueueTrusted, 0...1024,
        "Of them so many that only trusted devices may take."),
      .integer(
        "limits.attemptsWaitingPerBucket", \.limits.attemptsWaitingPerBucket, 0...100,
        "Attempts that wait for a lock behind the one that is judged."),
      .integer(
        "limits.attemptsWaitingPerConnection", \.limits.attemptsWaitingPerConnection, 0...100,
        "Attempts that wait for one connection."),
      .integer(
        "limits.messagesBeforeHello", \.limits.messagesBeforeHello, 1...100,
        "Messages after hello that may come before welcome; they are dropped."),
      .integer(
        "limits.controllersListed", \.limits.controllersListed, 0...1000,
        "Controllers that the list of members names."),
      .integer(
        "limits.secretsPerLock", \.limits.secretsPerLock, 1...100,
        "Secrets of one lock; each multiplies a guesser's luck."),
      .integer(
        "limits.devicesPerSecret", \.limits.devicesPerSecret, 0...1000,
        "Devices that are trusted for one secret; 0 trusts none."),
      .integer(
        "limits.sharedPadsPerLock", \.limits.sharedPadsPerLock, 0...10_000,
        "Shared pads of one lock with a bucket of their own."),
      .integer(
        "limits.admins", \.limits.admins, 0...1000, "Administrators of the HTTP interface."),
      .integer(
        "limits.tokenKeys", \.limits.tokenKeys, 1...1000, "Keys that tokens may be signed with."),
      .integer(
        "limits.revocations", \.limits.revocations, 1...1_000_000,
        "Revoked tokens that are remembered, each until it would have ended."),
      .integer(
        "limits.originsPerRoom", \.limits.originsPerRoom, 1...1000,
        "Origins that a lock or a rule of boards may list."),
    ]
  }

  private static var guesses: [Setting] {
    [
      .integer(
        "limits.wrongCodesBurst", \.limits.wrongCodesBurst, 1...10_000,
        "Wrong codes that one address may try at once, at all locks together."),
      .integer(
        "limits.wrongCodesPerMinute", \.limits.wrongCodesPerMinute, 1...6_000,
        "Wrong codes a minute that it may try in the long run."),
      .integer(
        "limits.wrongCodesRemembered", \.limits.wrongCodesRemembered, 0...100,
        "Wrong codes of one connection of which the same again is not counted."),
      .duration(
        "limits.wrongCodesKept", \.limits.wrongCodesKept, .seconds(1) ... .seconds(3600),
        "How long each of them is remembered."),
      .integer(
        "limits.auditRows", \.limits.auditRows, 1_000...100_000_000,
        "Rows of the audit; the oldest go."),
    ]
  }

  private static var times: [Setting] {
    [
      .duration(
        "limits.helloTime", \.limits.helloTime, .milliseconds(100) ... .seconds(60),
        "From accept to a valid hello."),
      .duration(
        "limits.pingAfter", \.limits.pingAfter, .milliseconds(100) ... .seconds(3600),
        "Silence after which a ping goes out."),
      .duration(
        "limits.deadAfter", \.limits.deadAfter, .milliseconds(200) ... .seconds(7200),
        "Silence after which a connection is dropped."),
      .duration(
        "limits.lockStrokeTime", \.limits.lockStrokeTime, .seconds(1) ... .seconds(300),
        "Longest stroke in a lock room."),
      .duration(
        "limits.boardStrokeTime", \.limits.boardStrokeTime, .seconds(1) ... .seconds(3600),
        "Longest stroke on a board."),
      .duration(
        "limits.verdictTime", \.limits.verdictTime, .seconds(1) ... .seconds(60),
        "From release to a verdict; after it the answer is unavailable."),
    ]
  }

  private static var stays: [Setting] {
    [
      .duration(
        "limits.verdictShown", \.limits.verdictShown, .milliseconds(100) ... .seconds(60),
        "How long a lock room shows how a stroke ended."),
      .duration(
        "limits.verdictKept", \.limits.verdictKept, .milliseconds(100) ... .seconds(600),
        "How long a verdict waits for the resume key of a connection that was lost."),
      .duration(
        "limits.grantTime", \.limits.grantTime, .seconds(1) ... .seconds(60),
        "How long an actuator may take to claim a grant."),
      .duration(
        "limits.graceTime", \.limits.graceTime, .milliseconds(100) ... .seconds(3600),
        "How long a room without members, or the pen of a holder that was lost, is kept."),
      .duration(
        "limits.pressedPenKept", \.limits.pressedPenKept, .milliseconds(100) ... .seconds(600),
        "How long after its stroke a pen that was taken by a press stays with its holder."),
      .duration(
        "limits.membersInterval", \.limits.membersInterval, .milliseconds(100) ... .seconds(60),
        "Shortest time between two lists of a room's members."),
      .integer(
        "limits.penBurst", \.limits.penBurst, 1...1000,
        "Messages about a room's pen that may go out at once."),
      .duration(
        "limits.penInterval", \.limits.penInterval, .milliseconds(1) ... .seconds(60),
        "Time between them in the long run."),
    ]
  }
}
