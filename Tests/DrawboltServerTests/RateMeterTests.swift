import DrawboltServer
import PadModel
import Testing

@Suite("A connection's rates")
struct RateMeterTests {
  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  private func taken(_ count: Int, from bucket: inout TokenBucket, at time: Int64) -> Bool {
    bucket.take(count, at: at(time))
  }

  @Test("allow a burst and no more, and then so many a second")
  func bucket() {
    var bucket = TokenBucket(perSecond: 10, burst: 5, at: at(0))
    for _ in 0..<5 { #expect(taken(1, from: &bucket, at: 0)) }
    #expect(taken(1, from: &bucket, at: 0) == false)
    #expect(taken(1, from: &bucket, at: 99) == false)
    #expect(taken(1, from: &bucket, at: 100))
    #expect(taken(1, from: &bucket, at: 100) == false)
  }

  @Test("take all tokens that are asked for or none")
  func allOrNone() {
    var bucket = TokenBucket(perSecond: 10, burst: 5, at: at(0))
    #expect(taken(6, from: &bucket, at: 0) == false)
    #expect(taken(5, from: &bucket, at: 0))
    #expect(taken(5, from: &bucket, at: 10_000))
    #expect(taken(1, from: &bucket, at: 10_000) == false)
  }

  @Test("tell a breach once, drop what belongs to it, and end at the third in ten seconds")
  func strikes() {
    var limits = Limits.standard
    limits.framesPerSecond = 1
    limits.framesBurst = 1
    var meter = RateMeter(limits: limits, at: at(0))
    #expect(meter.count(samples: 1, textBytes: 0, at: at(0)) == .allowed)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(1)) == .tooFast)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(2)) == .dropped)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(1500)) == .allowed)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(1501)) == .tooFast)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(2400)) == .dropped)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(2499)) == .dropped)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(2600)) == .allowed)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(2601)) == .tooOften)
  }

  @Test("count the bytes of text, as a burst and then so many a second")
  func text() {
    var limits = Limits.standard
    limits.textBytesPerSecond = 1000
    limits.textBytesBurst = 500
    var meter = RateMeter(limits: limits, at: at(0))
    #expect(meter.count(samples: 0, textBytes: 500, at: at(0)) == .allowed)
    #expect(meter.count(samples: 0, textBytes: 0, at: at(0)) == .allowed)
    #expect(meter.count(samples: 0, textBytes: 1, at: at(0)) == .tooFast)
    #expect(meter.count(samples: 0, textBytes: 101, at: at(100)) == .dropped)
    #expect(meter.count(samples: 0, textBytes: 100, at: at(100)) == .allowed)
  }

  @Test("let binary samples through as fast as the rates say, 64 in each of 600 frames a second")
  func usual() {
    let limits = Limits.standard
    let bytes = (64 * 6 + 5 + 8) * limits.framesPerSecond
    #expect(bytes <= limits.bytesPerSecond)
    #expect(limits.piecesPerSecond >= 2 * limits.framesPerSecond)
  }

  @Test("let no sample of a breach through, and other messages as far as they may")
  func breach() {
    var limits = Limits.standard
    limits.samplesPerSecond = 100
    limits.samplesBurst = 10
    var meter = RateMeter(limits: limits, at: at(0))
    #expect(meter.count(samples: 11, textBytes: 0, at: at(0)) == .tooFast)
    // There are tokens again, but a stroke that began now could lose its next samples.
    #expect(meter.count(samples: 1, textBytes: 0, at: at(999)) == .dropped)
    #expect(meter.count(samples: 0, textBytes: 0, at: at(999)) == .allowed)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(1000)) == .allowed)
  }

  @Test("count every three breaches within the window, wherever it begins")
  func slidingWindow() {
    var limits = Limits.standard
    limits.samplesPerSecond = 1
    limits.samplesBurst = 1
    var meter = RateMeter(limits: limits, at: at(0))
    #expect(meter.count(samples: 2, textBytes: 0, at: at(0)) == .tooFast)
    #expect(meter.count(samples: 2, textBytes: 0, at: at(9_900)) == .tooFast)
    #expect(meter.count(samples: 2, textBytes: 0, at: at(11_000)) == .tooFast)
    #expect(meter.count(samples: 2, textBytes: 0, at: at(12_100)) == .tooOften)
  }

  @Test("forget breaches that are older than the window")
  func forget() {
    var limits = Limits.standard
    limits.samplesPerSecond = 1
    limits.samplesBurst = 1
    var meter = RateMeter(limits: limits, at: at(0))
    for round in 0..<10 {
      let start = Int64(round) * 11_000
      #expect(meter.count(samples: 1, textBytes: 0, at: at(start)) == .allowed)
      #expect(meter.count(samples: 64, textBytes: 0, at: at(start + 1)) == .tooFast)
    }
  }
}
