import DrawboltServer
import PadModel
import Testing

@Suite("A connection's rates")
struct RateMeterTests {
  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("tell a breach once, drop what belongs to it, and end at the third in ten seconds")
  func strikes() {
    var limits = Limits.standard
    limits.framesPerSecond = 1
    limits.framesBurst = 1
    var meter = RateMeter(RateLimits(limits))
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
    var meter = RateMeter(RateLimits(limits))
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
    var meter = RateMeter(RateLimits(limits))
    #expect(meter.count(samples: 11, textBytes: 0, at: at(0)) == .tooFast)
    // There are tokens again, but a stroke that began now could lose its next samples.
    #expect(meter.count(samples: 1, textBytes: 0, at: at(999)) == .dropped)
    #expect(meter.count(samples: 0, textBytes: 0, at: at(999)) == .allowed)
    #expect(meter.count(samples: 1, textBytes: 0, at: at(1000)) == .allowed)
  }

  @Test("answer the first presses of a breach with the time that is left of it")
  func answers() {
    var limits = Limits.standard
    limits.samplesPerSecond = 100
    limits.samplesBurst = 10
    var meter = RateMeter(RateLimits(limits))
    #expect(meter.answerPress(at: at(0)) == nil)
    for start in [Int64(0), 2_000] {
      #expect(meter.count(samples: 100, textBytes: 0, at: at(start)) == .tooFast)
      for wait in [UInt32(900), 800, 700, 1] {
        #expect(meter.answerPress(at: at(start + 1_000 - Int64(wait))) == wait)
      }
      #expect(meter.answerPress(at: at(start + 999)) == nil)
    }
  }

  @Test("count every three breaches within the window, wherever it begins")
  func slidingWindow() {
    var limits = Limits.standard
    limits.samplesPerSecond = 1
    limits.samplesBurst = 1
    var meter = RateMeter(RateLimits(limits))
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
    var meter = RateMeter(RateLimits(limits))
    for round in 0..<10 {
      let start = Int64(round) * 11_000
      #expect(meter.count(samples: 1, textBytes: 0, at: at(start)) == .allowed)
      #expect(meter.count(samples: 64, textBytes: 0, at: at(start + 1)) == .tooFast)
    }
  }
}
