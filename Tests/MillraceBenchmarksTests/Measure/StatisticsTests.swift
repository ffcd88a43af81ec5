import MillraceTesting
import Testing

@testable import MillraceBenchmarks

@Suite("Statistics")
struct StatisticsTests {
  @Test("The median is the figure in the middle, or the mean of the two there")
  func medians() {
    #expect(median([3, 1, 2]) == 2)
    #expect(median([4, 1, 3, 2]) == 2.5)
    #expect(median([]).isNaN)
  }

  @Test("Fewer than six figures say nothing of how uncertain their median is", arguments: 0...5)
  func tooFew(count: Int) {
    #expect(uncertainty(Array(repeating: 1, count: count)) == nil)
  }

  @Test(
    "The interval leaves out as many figures at each end as a coin allows with 2.5 %",
    arguments: [(6, 0), (8, 0), (9, 1), (11, 1), (12, 2), (21, 5), (100, 39)])
  func interval(count: Int, leftOut: Int) throws {
    let figures = (1...count).map(Double.init)
    let middle = Double(count + 1) / 2
    let expected = (middle - Double(leftOut + 1)) / middle
    #expect(abs(try #require(uncertainty(figures.reversed())) - expected) < 1e-12)
  }

  @Test("Equal figures are certain, and one that is far off changes nothing")
  func certain() {
    #expect(uncertainty(Array(repeating: 7, count: 9)) == 0)
    #expect(uncertainty(Array(repeating: 7, count: 20) + [7_000]) == 0)
  }

  @Test("Of 2,000 samples of a skewed distribution at least 95 % have its median in the interval")
  func coverage() throws {
    var random = SeededGenerator(seed: 11)
    var inside = 0
    for _ in 0..<2_000 {
      // Most figures are near 1 and some are many times that; their median is 2.
      let figures = (0..<15).map { _ in 1 / (1 - Double.random(in: 0..<1, using: &random)) }
      let off = try #require(uncertainty(figures))
      if abs(median(figures) - 2) <= off * median(figures) { inside += 1 }
    }
    #expect(inside >= 1_900, "\(inside) of 2,000")
  }

  @Test("The uncertainty of many figures is that of the order of their middle, by both ways to find it")
  func uncertaintyOfManyFigures() throws {
    // Figures from 1 on: leaving out k at each end, the interval reaches (n - 1) / 2 - k from the median.
    let left = { (count: Int) throws -> Double in
      let part = try #require(uncertainty((1...count).map(Double.init)))
      return Double(count - 1) / 2 - part * Double(count + 1) / 2
    }
    for (count, expected) in [(1_000, 468.0), (1_001, 468), (10_000, 4_901)] {
      #expect(abs(try left(count) - expected) <= 1.5, "\(count) figures")
    }
  }
}
