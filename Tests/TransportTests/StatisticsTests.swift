import TestSupport
import Testing
import Transport

@Suite("Counters", .waiting) struct StatisticsTests {
  @Test("of turns: each bucket ends at twice the bound of the one before, and none is lost")
  func turnTimes() {
    var times = TurnTimes()
    let bounds = TurnTimes.bounds
    #expect(bounds.count == times.counts.scalarCount - 1)
    #expect(zip(bounds, bounds.dropFirst()).allSatisfy { $1 == 2 * $0 })
    for (index, bound) in bounds.enumerated() {
      times.add(nanoseconds: bound)
      #expect(times.counts[index] == (index == 0 ? 1 : 2))
      times.add(nanoseconds: bound + 1)
      #expect(times.counts[index + 1] == 1)
    }
    times.add(nanoseconds: 0)
    #expect(times.counts[0] == 2)
    times.add(nanoseconds: 1 << 40)
    #expect(times.counts[bounds.count] == 2)
    #expect(times.count == UInt64(2 * bounds.count + 2))
    #expect(times.sum == bounds.reduce(0) { $0 + 2 * $1 + 1 } + 1 << 40)
  }

  @Test("of two loops add up, every one of them")
  func sums() {
    var one = TransportStatistics()
    let plain: [WritableKeyPath<TransportStatistics, Int>] = [
      \.openSockets, \.openConnections, \.openHandshakes, \.accepted, \.upgraded, \.closed,
      \.refusedAtLimit, \.refusedByAddress, \.abandonedRequests, \.handshakesDropped,
      \.tlsHandshakes, \.tlsHandshakesFailed, \.acceptPauses, \.messagesReceived, \.bytesReceived,
      \.framesSent, \.sends, \.bytesSent,
      \.partialWrites, \.pings, \.dead, \.tooSlow, \.tooFast, \.looks, \.gatherings, \.notReady,
      \.suppressedLogLines,
    ]
    #expect(plain.count == Mirror(reflecting: one).children.count { $0.value is Int })
    for (index, path) in plain.enumerated() { one[keyPath: path] = index + 1 }
    one.responses = [101: 3, 404: 1]
    one.turnTimes.add(nanoseconds: 9000)
    var (sum, other) = (one, one)
    other.responses = [101: 3, 503: 7]
    sum += other
    for (index, path) in plain.enumerated() { #expect(sum[keyPath: path] == 2 * (index + 1)) }
    #expect(sum.responses == [101: 6, 404: 1, 503: 7])
    #expect(sum.turns == 2 && sum.turnTimes.counts[1] == 2 && sum.turnTimes.sum == 18_000)
    // Whoever adds a counter of another kind must think of the sum.
    #expect(Mirror(reflecting: one).children.count == plain.count + 2)
  }
}
