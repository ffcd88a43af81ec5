import Foundation
import Millrace
import MillraceReport

extension LoadReport {
  /// The figures as one HTML page with plots, which loads nothing.
  public var page: String {
    var page = PageFrame.opening(title: "Load: \(scenario)")
    page += .joined(verdict.map { sentence -> HTML in "<p class=\"verdict\">\(sentence)</p>\n" })
    page += Self.list(setup)
    page += Self.list(results)
    if !figures.isEmpty { page += Self.list(figures.map { ($0.name, $0.text) }) }
    page += latencyTable
    page += statusTable
    page += errorTable
    for plot in plots { page += plot.html }
    page += PageFrame.closing
    return page.source
  }

  /// The run as it was asked for.
  private var setup: [(String, String)] {
    var facts: [(String, String)] = []
    if let origin {
      if let target = origin.target { facts.append(("Target", target)) }
      facts += [("Started", origin.startText), ("Host", origin.host), ("Version", origin.version)]
    }
    facts.append(("Loop", schedule.map { $0.isRandom ? "open, random gaps" : "open, evenly spaced" } ?? "closed"))
    if let schedule { facts.append(("Rate", Self.text(of: schedule))) }
    if case .closed(let concurrency?, let thinkTime) = options.mode {
      facts += [("Clients", Figures.count(concurrency)), ("Think time", Histogram.text(thinkTime))]
    }
    if let users = options.users { facts.append(("Users", Figures.count(users))) }
    return facts + [
      ("Seed", String(options.seed)), ("Duration", Histogram.text(options.duration)),
      ("Warm-up", Histogram.text(options.warmUp)), ("Drain at most", Histogram.text(options.drain)),
      ("In flight at most", Figures.count(options.maximumInFlight)),
    ]
  }

  private static func text(of schedule: LoadSchedule) -> String {
    schedule.parts.map { part in
      let (start, end) = part.rates
      let share = schedule.parts.count > 1 ? " for \(Figures.percent(part.share))" : ""
      return Figures.rate(start) + (start == end ? "" : " to \(Figures.rate(end))") + share
    }.joined(separator: ", ")
  }

  private var results: [(String, String)] {
    [
      ("Measured for", Histogram.text(elapsed)), ("Sent", Figures.count(counts.sent)),
      ("Finished", Figures.count(counts.finished)), ("Failed", Figures.count(counts.failed)),
      ("Timed out", Figures.count(counts.timedOut)), ("Cancelled", Figures.count(counts.cancelled)),
      ("Superseded", Figures.count(counts.superseded)), ("Rejected", Figures.count(counts.rejected)),
      ("In flight at the end", Figures.count(counts.inFlight)), ("Not sent", Figures.count(counts.unsent)),
    ]
  }

  private static func list(_ facts: [(String, String)]) -> HTML {
    let list = facts.map { name, value -> HTML in "<dt>\(name)</dt><dd>\(value)</dd>\n" }
    return "<dl>\n\(HTML.joined(list))</dl>\n"
  }

  private var latencyTable: HTML {
    let rows = [
      ("finished, from the time it was due", latency), ("finished, from the time it was sent", uncorrected),
      ("neither finished nor rejected, from the time it was due", failureLatency),
    ].map { name, latency -> HTML in
      let cells = latency.figures.map { figure -> HTML in
        "<td class=\"number\">\(figure.value.map { Histogram.text($0) } ?? "–")</td>"
      }
      return "<tr><td>\(name)</td>\(HTML.joined(cells))</tr>\n"
    }
    let head = latency.figures.map { figure -> HTML in "<th class=\"number\">\(figure.name)</th>" }
    return """
      <h2>Latency of a request</h2>
      <table><tr><th></th>\(HTML.joined(head))</tr>
      \(HTML.joined(rows))</table>

      """
  }

  private var statusTable: HTML {
    Self.table("Requests by status", statuses.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) })
  }

  private var errorTable: HTML {
    Self.table("Failed requests by error", frequentErrors.map { ($0.text, $0.count) })
  }

  /// A heading and a row for each name; nothing where there are none.
  private static func table(_ title: String, _ rows: [(name: String, count: Int)]) -> HTML {
    guard !rows.isEmpty else { return "" }
    let cells = rows.map { name, count -> HTML in
      "<tr><td class=\"number\">\(Figures.count(count))</td><td>\(name)</td></tr>\n"
    }
    return "<h2>\(title)</h2>\n<table>\(HTML.joined(cells))</table>\n"
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
        [
          percentiles("from due", latency), percentiles("from sent", uncorrected),
          percentiles("failures", failureLatency),
        ].filter { !$0.isEmpty }),
      Plot(
        "Throughput", x: "seconds", y: "requests a second",
        [
          line("offered") { Double($0.sent + $0.unsent) / sliceSeconds },
          line("finished") { Double($0.finished) / sliceSeconds },
          line("failed or not taken") { Double($0.failed + $0.rejected + $0.unsent) / sliceSeconds },
        ]),
      Plot("In flight", x: "seconds", y: "requests", [line("in flight") { $0.inFlight.map(Double.init) }]),
      Plot("Memory", x: "seconds", y: "megabytes", [line("memory") { $0.memory.map { Double($0) / 1e6 } }]),
    ]
  }

  /// The percentiles that the number of requests allows to tell, over the number of nines.
  private func percentiles(_ name: String, _ latency: LoadLatency) -> Plot.Line {
    let nines = stride(from: 0.0, through: log10(max(Double(latency.histogram.count), 1)), by: 0.05)
    return Plot.Line(
      name,
      nines.compactMap { nines in
        latency.histogram.quantile(1 - pow(10, -nines)).map { (nines, $0 / .milliseconds(1)) }
      })
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
