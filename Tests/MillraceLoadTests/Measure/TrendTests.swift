import MillraceTesting
import Testing

@testable import MillraceLoad

@Suite("Trend")
struct TrendTests {
  /// Readings around a line, with random deviations of at most `noise`.
  private func readings(from start: Double, gaining: Double, noise: Double, count: Int = 100) -> [Int] {
    var generator = SeededGenerator(seed: 1)
    return (0..<count).map { index in
      Int(start + gaining * Double(index) / Double(count - 1) + Double.random(in: -noise...noise, using: &generator))
    }
  }

  @Test("A line is found exactly")
  func line() throws {
    let trend = try #require(Trend(readings(from: 1_000, gaining: 990, noise: 0)))
    // The first fifth is left out.
    #expect(abs(trend.change - 790) < 1e-6)
    #expect(abs(trend.mean - 1_595) < 1e-6)
    #expect(trend.uncertainty < 1e-6)
  }

  @Test("Growth is told from noise")
  func growth() throws {
    #expect(try #require(Trend(readings(from: 1e8, gaining: 2e7, noise: 5e6))).isGrowing(ignoring: 2e6))
    #expect(try !#require(Trend(readings(from: 1e8, gaining: 0, noise: 3e7))).isGrowing(ignoring: 2e6))
    #expect(try !#require(Trend(readings(from: 1e8, gaining: 4e6, noise: 0))).isGrowing(ignoring: 2e6))
    #expect(try !#require(Trend(readings(from: 1e6, gaining: 1e6, noise: 0))).isGrowing(ignoring: 2e6))
    #expect(try !#require(Trend(readings(from: 1e8, gaining: -5e7, noise: 0))).isGrowing(ignoring: 2e6))
  }

  @Test("A jump in the first fifth is no growth")
  func jump() throws {
    let trend = try #require(Trend(Array(repeating: 10, count: 20) + Array(repeating: 1_000, count: 80)))
    #expect(trend.change == 0)
  }

  @Test("There is no trend in fewer than ten readings", arguments: [0, 1, 9])
  func few(count: Int) {
    #expect(Trend(Array(repeating: 1, count: count)) == nil)
  }

  @Test("The sentence says whether a figure is flat")
  func sentence() throws {
    let unit: (Double) -> String = { "\(Int($0)) B" }
    #expect(
      try #require(Trend(Array(repeating: 5, count: 10))).sentence("Memory", unit: unit, ignoring: 1)
        == "Memory is flat at 5 B.")
    #expect(
      try #require(Trend(readings(from: 0, gaining: 990, noise: 0))).sentence("Memory", unit: unit, ignoring: 1)
        == "Memory grew by 790 B, to 990 B, and is not flat.")
  }
}
