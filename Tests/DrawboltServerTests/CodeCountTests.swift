import DrawboltServer
import PadModel
import Testing

@Suite("The number of codes")
struct CodeCountTests {
  private func reaches(
    _ limit: Int, _ columns: Int, _ rows: Int, _ rule: SelectionRule, minimum: Int = 4
  ) throws -> Bool {
    let grid = try Grid(columns: columns, rows: rows)
    return CodeCount(grid: grid, rule: rule, minimumNodes: minimum).reaches(limit)
  }

  @Test("is exact: 389,112 on 3 by 3 with fill, 10,096 with neighbours")
  func exact() throws {
    #expect(try reaches(389_112, 3, 3, .fill))
    #expect(try !reaches(389_113, 3, 3, .fill))
    #expect(try reaches(10_096, 3, 3, .neighbours))
    #expect(try !reaches(10_097, 3, 3, .neighbours))
  }

  @Test("tells locks apart that want --toy")
  func toys() throws {
    #expect(try reaches(100_000, 3, 3, .fill))
    #expect(try reaches(100_000, 3, 3, .free))
    #expect(try reaches(100_000, 4, 4, .neighbours))
    #expect(try reaches(100_000, 10, 10, .fill, minimum: 100))
    #expect(try !reaches(100_000, 3, 3, .neighbours))
    #expect(try !reaches(100_000, 2, 3, .fill))
    #expect(try !reaches(100_000, 2, 2, .free))
  }

  @Test("ends where nearly every way is a dead end")
  func ends() throws {
    // All that matters is that it comes back.
    _ = try reaches(100_000, 10, 10, .neighbours, minimum: 100)
  }
}
