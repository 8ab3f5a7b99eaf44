import DrawboltSimulation
import Testing

@Suite("The seeded generator")
struct SplitMix64Tests {
  @Test("gives the numbers of the published algorithm")
  func published() {
    var zero = SplitMix64(seed: 0)
    #expect(
      (0..<3).map { _ in zero.next() } == [
        0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F,
      ])
    var other = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in other.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }
}
