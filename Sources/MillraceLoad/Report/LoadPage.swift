import Foundation
import Millrace
import MillraceReport

extension LoadReport {
  /// The figures as one HTML page with plots, which loads nothing.
  public var page: String {
    var page = PageFrame.opening(title: "Load: \(scenario)")
    page += .joined(verdict.map { sentence -> HTML in "<p class=\"verdict\">\(sentence)</p>\n" })
    page += facts
    page += latencyTable
    for plot in plots { page += plot.html }
    page += PageFrame.closing
    return page.source
  }

  private var facts: HTML {
    let facts: [(String, String)] = [
      ("Loop", schedule.map { $0.isRandom ? "open, random gaps" : "open, evenly spaced" } ?? "closed"),
      ("Measured for", Histogram.text(elapsed)), ("Sent", Figures.count(counts.sent)),
      ("Settled", Figures.count(counts.settled)), ("Rejected", Figures.count(counts.rejected)),
      ("Failed", Figures.count(counts.failed)), ("Cancelled", Figures.count(counts.cancelled)),
      ("Timed out", Figures.count(counts.timedOut)), ("In flight at the end", Figures.count(counts.inFlight)),
      ("Not sent", Figures.count(counts.unsent)),
    ]
    let list = facts.map { name, value -> HTML in "<dt>\(name)</dt><dd>\(value)</dd>\n" }
    return "<dl>\n\(HTML.joined(list))</dl>\n"
  }

  private var latencyTable: HTML {
    let rows = [("from the time it was due", latency), ("from the time it was sent", uncorrected)].map {
      name, latency -> HTML in
      let cells = [latency.p50, latency.p90, latency.p99, latency.p999, latency.max].map { duration -> HTML in
        "<td class=\"number\">\(Histogram.text(duration))</td>"
      }
      return "<tr><td>\(name)</td>\(HTML.joined(cells))</tr>\n"
    }
    let head = ["p50", "p90", "p99", "p99.9", "max"].map { name -> HTML in "<th class=\"number\">\(name)</th>" }
    return """
      <h2>Latency of a request</h2>
      <table><tr><th></th>\(HTML.joined(head))</tr>
      \(HTML.joined(rows))</table>

      """
  }

  private var plots: [Plot] {
    [
      Plot(
        "Latency over time", x: "seconds", y: "milliseconds", isLogarithmic: true,
        [("median", 0.5), ("p99", 0.99), ("max", 1)].map { name, q in
          line(name) { $0.latency.quantile(q).map { $0 / .milliseconds(1) } }
        }),
      Plot(
        "Latency by percentile", x: "nines: 1 is p90, 2 is p99, 3 is p99.9", y: "milliseconds",
        [percentiles("from due", latency), percentiles("from sent", uncorrected)]),
      Plot(
        "Throughput", x: "seconds", y: "requests a second",
        [
          line("offered") { Double($0.sent + $0.unsent) / sliceSeconds },
          line("settled") { Double($0.settled) / sliceSeconds },
          line("not taken") { Double($0.rejected + $0.unsent) / sliceSeconds },
        ]),
      Plot("In flight", x: "seconds", y: "requests", [line("in flight") { $0.inFlight.map(Double.init) }]),
      Plot("Memory", x: "seconds", y: "megabytes", [line("memory") { $0.memory.map { Double($0) / 1e6 } }]),
    ]
  }

  /// The percentiles that the number of requests allows to tell, over the number of nines.
  private func percentiles(_ name: String, _ latency: LoadLatency) -> Plot.Line {
    let nines = stride(from: 0.0, through: log10(max(Double(latency.histogram.count), 1)), by: 0.05)
    return Plot.Line(
      name, nines.map { ($0, (latency.histogram.quantile(1 - pow(10, -$0)) ?? .zero) / .milliseconds(1)) })
  }

  private var sliceSeconds: Double { options.duration / .seconds(1) / Double(slices.count) }

  /// A line with a point for each slice that was measured.
  private func line(_ name: String, _ value: (LoadSlice) -> Double?) -> Plot.Line {
    let measured = Int((elapsed / options.duration * Double(slices.count)).rounded(.up))
    return Plot.Line(
      name,
      slices.prefix(measured).enumerated().compactMap { index, slice in
        value(slice).map { ((Double(index) + 0.5) * sliceSeconds, $0) }
      })
  }
}
