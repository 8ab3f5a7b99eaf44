import DrawboltServer
import PadModel
import Testing

@Suite("A connection's rates")
struct RateMeterTests {
  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("allow a burst and no more, and then so many a second")
  func bucket() {
    var bucket = TokenBucket(perSecond: 10, burst: 5, at: at(0))
    for _ in 0..<5 { #expect(bucket.take(1, at: at(0))) }
    #expect(!bucket.take(1, at: at(0)))
    #expect(!bucket.take(1, at: at(99)))
    #expect(bucket.take(1, at: at(100)))
    #expect(!bucket.take(1, at: at(100)))
  }

  @Test("take all tokens that are asked for or none")
  func allOrNone() {
    var bucket = TokenBucket(perSecond: 10, burst: 5, at: at(0))
    #expect(!bucket.take(6, at: at(0)))
    #expect(bucket.take(5, at: at(0)))
    #expect(bucket.take(5, at: at(10_000)))
    #expect(!bucket.take(1, at: at(10_000)))
  }

  @Test("tell a breach once, drop what belongs to it, and end at the third in ten seconds")
  func strikes() {
    var limits = Limits.standard
    limits.framesPerSecond = 1
    limits.framesBurst = 1
    var meter = RateMeter(limits: limits, at: at(0))
    #expect(meter.count(samples: 1, at: at(0)) == .allowed)
    #expect(meter.count(samples: 1, at: at(1)) == .tooFast)
    #expect(meter.count(samples: 1, at: at(2)) == .dropped)
    #expect(meter.count(samples: 1, at: at(1500)) == .allowed)
    #expect(meter.count(samples: 1, at: at(1501)) == .tooFast)
    #expect(meter.count(samples: 1, at: at(2400)) == .dropped)
    #expect(meter.count(samples: 1, at: at(2499)) == .dropped)
    #expect(meter.count(samples: 1, at: at(2600)) == .allowed)
    #expect(meter.count(samples: 1, at: at(2601)) == .tooOften)
  }

  @Test("forget breaches that are older than the window")
  func forget() {
    var limits = Limits.standard
    limits.samplesPerSecond = 1
    limits.samplesBurst = 1
    var meter = RateMeter(limits: limits, at: at(0))
    for round in 0..<10 {
      let start = Int64(round) * 11_000
      #expect(meter.count(samples: 1, at: at(start)) == .allowed)
      #expect(meter.count(samples: 64, at: at(start + 1)) == .tooFast)
    }
  }
}
