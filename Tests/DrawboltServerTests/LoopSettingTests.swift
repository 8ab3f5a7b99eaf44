import DrawboltServer
import Testing

@Suite("The number of loops")
struct LoopSettingTests {
  @Test("is 1 to 64 or auto, and nothing else")
  func values() throws {
    for (text, wanted) in [
      ("1", LoopCount.exactly(1)), ("64", .exactly(64)), ("auto", .automatic),
    ] {
      var configuration = Configuration()
      try ConfigurationReader.apply(flag: "loops", text: text, to: &configuration)
      #expect(configuration.loops == wanted)
      let variable = ["DRAWBOLT_LOOPS": text]
      var other = Configuration()
      try ConfigurationReader.apply(environment: variable, to: &other)
      #expect(other.loops == wanted)
    }
    for text in ["0", "65", "-1", "1.5", "all", ""] {
      #expect(throws: ConfigurationError.self) {
        var configuration = Configuration()
        try ConfigurationReader.apply(flag: "loops", text: text, to: &configuration)
      }
    }
    #expect(Configuration().loops.count == 1)
  }

  @Test("is with auto that of the cores, and at least one")
  func automatic() {
    #expect((1...64).contains(LoopCount.automatic.count))
    #expect(LoopCount.exactly(7).count == 7)
  }
}

@Suite("The census of rooms")
struct RoomCensusTests {
  @Test("lets in as many as there may be, and again when one is gone")
  func rooms() {
    let census = RoomCensus(rooms: 2, boardsPerOpener: 5)
    #expect(!census.isFull)
    #expect([nil, 7, nil].map(census.open) == [.admitted, .admitted, .full])
    #expect(census.isFull)
    census.dropped(opener: 7)
    #expect(!census.isFull)
    #expect(census.open(opener: nil) == .admitted)
  }

  @Test("counts boards by their opener, whichever loop they are on")
  func boards() {
    let census = RoomCensus(rooms: 10, boardsPerOpener: 2)
    #expect(
      [7, 8, 7, 7, 8, 8].map(census.open) == [
        .admitted, .admitted, .admitted, .tooMany, .admitted, .tooMany,
      ])
    census.dropped(opener: 7)
    #expect([8, 7, 7].map(census.open) == [.tooMany, .admitted, .tooMany])
    // Nobody's rooms are limited by their number alone.
    #expect([nil, nil, nil].map(census.open) == [.admitted, .admitted, .admitted])
  }

  @Test("is the same from many threads at once")
  func threads() async {
    let census = RoomCensus(rooms: 100, boardsPerOpener: 100)
    let admitted = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask { (0..<50).count { _ in census.open(opener: 1) == .admitted } }
      }
      return await group.reduce(0, +)
    }
    #expect(admitted == 100)
    #expect(census.isFull)
  }
}
