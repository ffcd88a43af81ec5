import Testing

@testable import MillraceReport

@Suite("Plot")
struct PlotTests {
  @Test("Each line is a polyline of a colour of its own, with a legend")
  func lines() {
    let html = Plot(
      "Rates & more", x: "seconds", y: "requests",
      [Plot.Line("offered", [(0, 0), (10, 100)]), Plot.Line("settled", [(0, 50), (10, 50)])]
    ).html.source
    #expect(html.contains("<h2>Rates &amp; more</h2>"))
    #expect(html.contains("<polyline class=\"plot one\" points=\"70.0,225.0 985.0,24.0\"/>"))
    #expect(html.contains("<polyline class=\"plot two\" points=\"70.0,124.5 985.0,124.5\"/>"))
    #expect(html.contains("<span class=\"key two\"></span>settled"))
  }

  @Test("A single line needs no legend")
  func single() {
    #expect(!Plot("Memory", x: "s", y: "MB", [Plot.Line("memory", [(0, 1)])]).html.source.contains("class=\"key"))
  }

  @Test("A logarithmic axis has its powers of ten at equal distances, and leaves out what has no logarithm")
  func logarithmic() {
    let html = Plot(
      "Latency", x: "s", y: "ms", isLogarithmic: true, [Plot.Line("p99", [(0, 1), (1, 10), (2, 100), (2, 0)])]
    )
    .html.source
    #expect(html.contains("points=\"70.0,225.0 527.5,124.5 985.0,24.0\""))
  }

  @Test("A plot without a number says so in a sentence", arguments: [nil, Double.nan, .infinity], [false, true])
  func nothing(value: Double?, isLogarithmic: Bool) {
    let points = value.map { [(x: 0.0, y: $0)] } ?? []
    let html = Plot("Memory", x: "s", y: "MB", isLogarithmic: isLogarithmic, [Plot.Line("memory", points)]).html.source
    #expect(html.contains("There are no figures for this plot."))
    #expect(!html.contains("svg"))
  }
}
