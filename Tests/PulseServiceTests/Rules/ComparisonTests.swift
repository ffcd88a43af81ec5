import Testing

@testable import PulseService

@Suite("AlertRule.Comparison")
struct ComparisonTests {
  @Test(
    "A comparison holds below, at and above its threshold as its sign says",
    arguments: [
      (.atLeast, [false, true, true]), (.atMost, [true, true, false]), (.unequal, [true, false, true]),
      (.above, [false, false, true]), (.below, [true, false, false]), (.equal, [false, true, false]),
    ] as [(AlertRule.Comparison, [Bool])])
  func holds(comparison: AlertRule.Comparison, expected: [Bool]) {
    #expect([89.5, 90, 90.5].map { comparison.holds($0, 90) } == expected)
  }

  @Test("Every comparison is tried above")
  func all() {
    #expect(AlertRule.Comparison.allCases.count == 6)
  }
}
