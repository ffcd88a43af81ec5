import Testing

@testable import MillraceTesting

@Suite("FakeLatency")
struct FakeLatencyTests {
  @Test("None and fixed do not depend on the number drawn")
  func constant() {
    #expect([0, 0.5].map(FakeLatency.none.duration) == [.zero, .zero])
    #expect([0, 0.5].map(FakeLatency.fixed(.seconds(3)).duration) == [.seconds(3), .seconds(3)])
  }

  @Test("Uniform goes evenly from the lower to the upper bound")
  func uniform() {
    let latency = FakeLatency.uniform(.seconds(2) ... .seconds(6))
    #expect([0, 0.25, 0.5].map(latency.duration) == [.seconds(2), .seconds(3), .seconds(4)])
  }

  @Test("Exponential has half of its times below the mean times the logarithm of 2, and none above 20 means")
  func exponential() {
    let latency = FakeLatency.exponential(mean: .seconds(1))
    #expect(latency.duration(for: 0) == .zero)
    #expect(abs(latency.duration(for: 0.5) / .seconds(1) - 0.693_147) < 0.000_001)
    #expect(latency.duration(for: 1.0.nextDown) == .seconds(20))
    var generator = SeededGenerator(seed: 1)
    let times = (0..<10_000).map { _ in latency.duration(for: Double.random(in: 0..<1, using: &generator)) }
    #expect(abs(times.reduce(.zero, +) / .seconds(10_000) - 1) < 0.03)
  }
}
