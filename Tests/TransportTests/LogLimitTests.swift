import TestSupport
import Testing
import Transport

@Suite("The library's log", .waiting)
struct LogLimitTests {
  @Test("may say ten lines at once, then one a second, and ten again after a pause")
  func limit() {
    let second: UInt64 = 1_000_000_000
    var limit = LogLimit()
    var now = 1000 * second
    func allowed(of count: Int) -> Int { (0..<count).count { _ in limit.allows(at: now) } }
    #expect(allowed(of: 100) == 10)
    now += second - 1
    #expect(allowed(of: 100) == 0)
    now += 1
    #expect(allowed(of: 100) == 1)
    now += 3 * second
    #expect(allowed(of: 100) == 3)
    now += 10_000 * second
    #expect(allowed(of: 100) == 10)
  }
}
