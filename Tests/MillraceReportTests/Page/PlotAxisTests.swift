import Testing

@testable import MillraceReport

@Suite("PlotAxis")
struct PlotAxisTests {
  @Test(
    "The values that are named enclose all, in round steps",
    arguments: [
      ([0.0, 100.0], [0.0, 20, 40, 60, 80, 100]), ([0, 7], [0, 2, 4, 6, 8]), ([3, 3], [3, 3.5]),
      ([-5, 5], [-6, -4, -2, 0, 2, 4, 6]),
      ([], [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ])
  func ticks(values: [Double], ticks: [Double]) {
    let made = PlotAxis(name: "", values: values, isLogarithmic: false).ticks
    #expect(zip(made, ticks).allSatisfy { abs($0 - $1) < 1e-9 } && made.count == ticks.count, "\(made)")
  }

  @Test(
    "The powers of ten of a logarithmic axis enclose all values",
    arguments: [
      ([0.5, 30], [0.1, 1, 10, 100]), ([10, 10], [10, 100]), ([1, 1_000], [1, 10, 100, 1_000]), ([], [0.1, 1]),
    ])
  func decades(values: [Double], ticks: [Double]) {
    let made = PlotAxis(name: "", values: values, isLogarithmic: true).ticks
    #expect(zip(made, ticks).allSatisfy { abs($0 / $1 - 1) < 1e-9 } && made.count == ticks.count, "\(made)")
  }

  @Test("All values of an axis have the unit of the greatest")
  func units() {
    let axis = PlotAxis(name: "", values: [0, 15_000], isLogarithmic: false)
    #expect(axis.ticks.map(axis.text) == ["0", "5k", "10k", "15k"])
    let small = PlotAxis(name: "", values: [0, 0.5], isLogarithmic: false)
    #expect(small.ticks.map(small.text) == ["0", "0.1", "0.2", "0.3", "0.4", "0.5"])
    let large = PlotAxis(name: "", values: [1_000, 10_000_000], isLogarithmic: true)
    #expect(large.ticks.map(large.text) == ["1k", "10k", "100k", "1M", "10M"])
  }
}
