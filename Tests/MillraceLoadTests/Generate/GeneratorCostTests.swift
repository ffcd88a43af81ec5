import Testing

@testable import MillraceLoad

@Suite("GeneratorCost")
struct GeneratorCostTests {
  @Test(
    "Each latency is measured where that takes at most half of the time there is, and one of a group above that rate",
    arguments: [(1_000.0, 100.0, 1), (5_000_000, 100, 1), (5_000_001, 100, 2), (50_000_000, 100, 10), (1_000, 0, 1)])
  func groupSize(rate: Double, cost: Double, size: Int) {
    #expect(GeneratorCost.groupSize(at: rate, cost: cost) == size)
  }

  @Test("Sending and measuring a request takes some time")
  func measured() {
    #expect(GeneratorCost.measured() > 1)
  }
}
