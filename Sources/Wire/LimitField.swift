package import PadModel

/// How each limit stands in `welcome`: a count as it is, a duration in milliseconds.
package enum LimitField: Sendable {
  case count(any WritableKeyPath<Limits, Int> & Sendable)
  case duration(any WritableKeyPath<Limits, Duration> & Sendable)

  /// Every field of ``Limits`` in order, with its JSON name.
  package static let all: [(name: String, field: LimitField)] = [
    ("messageBytes", .count(\.messageBytes)),
    ("samplesPerFrame", .count(\.samplesPerFrame)),
    ("samplesPerSecond", .count(\.samplesPerSecond)),
    ("samplesBurst", .count(\.samplesBurst)),
    ("framesPerSecond", .count(\.framesPerSecond)),
    ("framesBurst", .count(\.framesBurst)),
    ("bytesPerSecond", .count(\.bytesPerSecond)),
    ("bytesBurst", .count(\.bytesBurst)),
    ("textBytesPerSecond", .count(\.textBytesPerSecond)),
    ("textBytesBurst", .count(\.textBytesBurst)),
    ("piecesPerSecond", .count(\.piecesPerSecond)),
    ("piecesBurst", .count(\.piecesBurst)),
    ("fragmentsPerMessage", .count(\.fragmentsPerMessage)),
    ("rateStrikes", .count(\.rateStrikes)),
    ("rateStrikeWindowMs", .duration(\.rateStrikeWindow)),
    ("membersPerRoom", .count(\.membersPerRoom)),
    ("rooms", .count(\.rooms)),
    ("connections", .count(\.connections)),
    ("connectionsPerAddress", .count(\.connectionsPerAddress)),
    ("acceptsPerSecond", .count(\.acceptsPerSecond)),
    ("acceptsBurst", .count(\.acceptsBurst)),
    ("handshakes", .count(\.handshakes)),
    ("tlsHandshakes", .count(\.tlsHandshakes)),
    ("turnedAway", .count(\.turnedAway)),
    ("unsentBytes", .count(\.unsentBytes)),
    ("boardsPerAddress", .count(\.boardsPerAddress)),
    ("helloTimeMs", .duration(\.helloTime)),
    ("messagesBeforeHello", .count(\.messagesBeforeHello)),
    ("unacknowledgedFrames", .count(\.unacknowledgedFrames)),
    ("roomFramesPerSecond", .count(\.roomFramesPerSecond)),
    ("maxRate", .count(\.maxRate)),
    ("pingAfterMs", .duration(\.pingAfter)),
    ("deadAfterMs", .duration(\.deadAfter)),
    ("nameBytes", .count(\.nameBytes)),
    ("verifyQueue", .count(\.verifyQueue)),
    ("verifyQueueTrusted", .count(\.verifyQueueTrusted)),
    ("attemptsWaitingPerBucket", .count(\.attemptsWaitingPerBucket)),
    ("attemptsWaitingPerConnection", .count(\.attemptsWaitingPerConnection)),
    ("verdictTimeMs", .duration(\.verdictTime)),
    ("controlQueueBytes", .count(\.controlQueueBytes)),
    ("lockStrokeTimeMs", .duration(\.lockStrokeTime)),
    ("boardStrokeTimeMs", .duration(\.boardStrokeTime)),
    ("verdictShownMs", .duration(\.verdictShown)),
    ("graceTimeMs", .duration(\.graceTime)),
    ("pressedPenKeptMs", .duration(\.pressedPenKept)),
    ("verdictKeptMs", .duration(\.verdictKept)),
    ("grantTimeMs", .duration(\.grantTime)),
    ("controllersListed", .count(\.controllersListed)),
    ("membersIntervalMs", .duration(\.membersInterval)),
    ("penBurst", .count(\.penBurst)),
    ("penIntervalMs", .duration(\.penInterval)),
    ("secretsPerLock", .count(\.secretsPerLock)),
    ("devicesPerSecret", .count(\.devicesPerSecret)),
    ("sharedPadsPerLock", .count(\.sharedPadsPerLock)),
    ("wrongCodesBurst", .count(\.wrongCodesBurst)),
    ("wrongCodesPerMinute", .count(\.wrongCodesPerMinute)),
    ("wrongCodesRemembered", .count(\.wrongCodesRemembered)),
    ("wrongCodesKeptMs", .duration(\.wrongCodesKept)),
    ("auditRows", .count(\.auditRows)),
    ("tokenBytes", .count(\.tokenBytes)),
    ("admins", .count(\.admins)),
    ("tokenKeys", .count(\.tokenKeys)),
    ("revocations", .count(\.revocations)),
    ("originsPerRoom", .count(\.originsPerRoom)),
    ("jsonDepth", .count(\.jsonDepth)),
  ]

  /// The limit's number as it stands on the wire.
  func number(in limits: Limits) -> Int {
    switch self {
    case .count(let path): limits[keyPath: path]
    case .duration(let path): Int(limits[keyPath: path].millisecondsClamped)
    }
  }

  /// Sets the limit to a number from the wire.
  func set(_ number: Int, in limits: inout Limits) {
    switch self {
    case .count(let path): limits[keyPath: path] = number
    case .duration(let path): limits[keyPath: path] = .milliseconds(number)
    }
  }
}
