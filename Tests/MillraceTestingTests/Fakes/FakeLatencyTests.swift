import Testing

@testable import MillraceTesting

@Suite("FakeFaults.Latency")
struct FakeLatencyTests {
  @Test("None and fixed do not depend on the number drawn")
  func constant() {
    #expect([0, 0.5].map(FakeFaults.Latency.none.duration) == [.zero, .zero])
    #expect([0, 0.5].map(FakeFaults.Latency.fixed(.seconds(3)).duration) == [.seconds(3), .seconds(3)])
  }

  @Test("Uniform goes evenly from the lower to the upper bound")
  func uniform() {
    let latency = FakeFaults.Latency.uniform(.seconds(2) ... .seconds(6))
    #expect([0, 0.25, 0.5].map(latency.duration) == [.seconds(2), .seconds(3), .seconds(4)])
  }

  @Test("Nothing takes less than no time, or more than 100 years, whatever is asked for")
  func bounds() {
    let years = Duration.seconds(100 * 365.25 * 86_400)
    let (low, high) = (Duration.seconds(Int64.min + 1), Duration.seconds(Int64.max))
    for part in [0, 0.5, 1.0.nextDown, 1] {
      #expect(FakeFaults.Latency.fixed(high).duration(for: part) == years)
      #expect(FakeFaults.Latency.fixed(low).duration(for: part) == .zero)
      #expect(FakeFaults.Latency.uniform(low...low).duration(for: part) == .zero)
      #expect(FakeFaults.Latency.uniform(high...high).duration(for: part) == years)
      #expect(FakeFaults.Latency.exponential(mean: low).duration(for: part) == .zero)
      #expect((.zero...years).contains(FakeFaults.Latency.exponential(mean: high).duration(for: part)))
    }
    #expect(abs(FakeFaults.Latency.uniform(low...high).duration(for: 0.5) / years - 0.5) < 0.000_001)
    #expect(FakeFaults.Latency.exponential(mean: .seconds(1)).duration(for: 1) == .seconds(20))
    #expect(
      [Double.nan, -1, .infinity, 1e300].map(FakeFaults.Latency.bounded(seconds:)) == [.zero, .zero, years, years])
  }

  @Test("Exponential has half of its times below the mean times the logarithm of 2, and none above 20 means")
  func exponential() {
    let latency = FakeFaults.Latency.exponential(mean: .seconds(1))
    #expect(latency.duration(for: 0) == .zero)
    let median: Double = latency.duration(for: 0.5) / .seconds(1)
    #expect(abs(median - 0.693_147) < 0.000_001)
    #expect(latency.duration(for: 1.0.nextDown) == .seconds(20))
    var generator = SeededGenerator(seed: 1)
    let times = (0..<10_000).map { _ in latency.duration(for: Double.random(in: 0..<1, using: &generator)) }
    let mean: Double = times.reduce(Duration.zero, +) / .seconds(10_000)
    #expect(abs(mean - 1) < 0.03)
  }
}
