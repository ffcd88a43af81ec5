import Testing

@testable import Millrace

@Suite("Metrics of the program's own")
struct MetricsSeriesTests {
  private typealias Series = Metrics.Series

  private let metrics = Metrics(
    sent: 0, accepted: 0, inFlight: 0, resting: 0, waiting: 0, submitting: 0, notReturned: 0, retries: 0, lateEmits: 0,
    commits: 0,
    outcomes: [:], rejections: [:], observers: 0, observerLag: 0, handleTime: Histogram(), waitTime: Histogram())

  /// The text of the series, which follows the store's own, without the end.
  private func text(of series: [Series], labels: [String: String] = [:]) -> String {
    let alone = metrics.openMetrics(labels: labels).dropLast("# EOF\n".count)
    let text = metrics.openMetrics(labels: labels, adding: series)
    #expect(text.hasPrefix(alone))
    #expect(OpenMetricsChecker(text).problems == [])
    return String(text.dropFirst(alone.count).dropLast("# EOF\n".count))
  }

  private func gauge(
    _ name: String = "a", _ value: Double = 1, unit: String = "", labels: [String: String] = [:], help: String = ""
  ) -> Series {
    .gauge(name, value, unit: unit, labels: labels, help: help)
  }

  @Test("Series stand behind those of the store, one family after the other, and the text ends once")
  func families() {
    let text = text(
      of: [
        .gauge("shop_pears", 5, labels: ["size": "big"], help: "Pears in stock."),
        .counter("shop_payments", 3, labels: ["card": "b"], help: "Payments."),
        .gauge("shop_scale", 2.5, unit: "kilograms", help: "The weight on the scale."),
        .counter("shop_payments", 4, labels: ["card": "a"], help: "Another sentence."),
      ], labels: ["site": "north"])
    #expect(
      text == """
        # TYPE shop_pears gauge
        # HELP shop_pears Pears in stock.
        shop_pears{site="north",size="big"} 5
        # TYPE shop_payments counter
        # HELP shop_payments Payments.
        shop_payments_total{card="b",site="north"} 3
        shop_payments_total{card="a",site="north"} 4
        # TYPE shop_scale_kilograms gauge
        # UNIT shop_scale_kilograms kilograms
        # HELP shop_scale_kilograms The weight on the scale.
        shop_scale_kilograms{site="north"} 2.5

        """)
    #expect(self.text(of: []) == "")
  }

  @Test("A histogram has buckets, a count and a sum in seconds, for each of its labels")
  func histograms() {
    var durations = Histogram()
    durations.record(.milliseconds(3))
    durations.record(.seconds(2))
    let text = text(of: ["b", "a"].map { .histogram("shop_delivery_time", durations, labels: ["way": $0], help: "") })
    let lines = text.split(separator: "\n")
    #expect(
      lines.prefix(2) == ["# TYPE shop_delivery_time_seconds histogram", "# UNIT shop_delivery_time_seconds seconds"])
    #expect(lines.count == 2 + 2 * 28)
    #expect(lines.contains("shop_delivery_time_seconds_bucket{le=\"1.0\",way=\"a\"} 1"))
    #expect(lines.contains("shop_delivery_time_seconds_bucket{le=\"+Inf\",way=\"b\"} 2"))
    #expect(lines.last == "shop_delivery_time_seconds_sum{way=\"a\"} 2.003")
  }

  @Test(
    "A counter ends with _total and a name with its unit, each once",
    arguments: [
      (.counter("a", 1, help: ""), "a_total"),
      (.counter("a_total", 1, help: ""), "a_total"),
      (.counter("_total", 1, help: ""), "_total_total"),
      (.counter("a", 1, unit: "bytes", help: ""), "a_bytes_total"),
      (.counter("a_bytes_total", 1, unit: "bytes", help: ""), "a_bytes_total"),
      (.gauge("a_bytes", 1, unit: "bytes", help: ""), "a_bytes"),
      (.gauge("bytes", 1, unit: "bytes", help: ""), "bytes_bytes"),
      (.gauge("a", 1, unit: "m/s", help: ""), "a_m_s"),
      (.gauge("a_total", 1, help: ""), "a_total"),
    ] as [(Metrics.Series, String)])
  func endings(series: Metrics.Series, name: String) {
    #expect(text(of: [series]).split(separator: "\n").last == "\(name) 1")
  }

  @Test(
    "A name of the store's, or of an earlier family's samples, gets _ after it",
    arguments: [
      ([.gauge("millrace_commits", 1, help: "")], ["millrace_commits_"]),
      ([.counter("millrace_commits_total", 1, help: "")], ["millrace_commits__total"]),
      ([.gauge("millrace_commits_total", 1, help: "")], ["millrace_commits_total_"]),
      ([.gauge("millrace_handle_time", 1, unit: "seconds", help: "")], ["millrace_handle_time__seconds"]),
      ([.gauge("millrace_handle_time_seconds_sum", 1, help: "")], ["millrace_handle_time_seconds_sum_"]),
      ([.counter("millrace_observers", 1, help: "")], ["millrace_observers__total"]),
      ([.gauge("a", 1, help: ""), .counter("a", 1, help: "")], ["a", "a__total"]),
      ([.gauge("a_total", 1, help: ""), .counter("a", 1, help: "")], ["a_total", "a__total"]),
      ([.gauge("a_b", 1, help: ""), .gauge("a", 1, unit: "b", help: "")], ["a_b", "a__b"]),
      ([.gauge("a", 1, help: ""), .gauge("a_", 1, help: ""), .counter("a", 1, help: "")], ["a", "a_", "a___total"]),
    ] as [([Metrics.Series], [String])])
  func collisions(series: [Metrics.Series], names: [String]) {
    let samples = text(of: series).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(samples.map { $0.split(separator: " ").first.map { String($0) } } == names)
  }

  @Test(
    "Every line is valid for any names, units, labels and sentences",
    arguments: [
      "a", "", "9 lives", "ümlaut", "a:b", "a\nb\"c\\d", "\r\n", "__name__", "le", "# EOF\n", "millrace_commits",
    ])
  func everyLineIsValid(text: String) {
    var durations = Histogram()
    durations.record(.seconds(1))
    let labels = ["": "x", "a": "", "site": "south", "a-b": "1", "a_b": "2"].merging([text: text]) { $1 }
    let all: [Series] = ["", text].flatMap { unit -> [Series] in
      [
        .gauge(text, 1, unit: unit, labels: labels, help: text),
        .counter(text, 1, unit: unit, labels: labels, help: text),
        .counter(text, 2, unit: unit, help: text),
        .histogram(text, durations, labels: labels, help: text),
      ]
    }
    let page = metrics.openMetrics(labels: ["site": "north", text: text], adding: all)
    let checker = OpenMetricsChecker(page)
    #expect(checker.problems == [])
    let own = OpenMetricsChecker(metrics.openMetrics(labels: ["site": "north", text: text])).samples.count
    #expect(checker.samples.count == own + (text.isEmpty ? 3 : 6) + 28)
    #expect(page.unicodeScalars.split(separator: "\n").filter { String($0) == "# EOF" }.count == 1)
  }

  @Test(
    "Values are written as the format wants them",
    arguments: [
      (0, "0"), (-0.0, "0"), (-2.5, "-2.5"), (1e-7, "1e-07"), (9_007_199_254_740_991, "9007199254740991"),
      (1e30, "1e+30"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
    ] as [(Double, String)])
  func values(value: Double, number: String) {
    #expect(text(of: [gauge("a", value)]) == "# TYPE a gauge\na \(number)\n")
  }

  @Test("A counter is never negative, and never NaN", arguments: [-1, -.infinity, .nan] as [Double])
  func counters(value: Double) {
    #expect(text(of: [.counter("a", value, help: "")]) == "# TYPE a counter\na_total 0\n")
  }

  @Test(
    "A label of the text keeps its name, and so does none that is le; an empty one is left out",
    arguments: [
      (["site": "south"], "site=\"north\",site_=\"south\""),
      (["le": "1"], "le_=\"1\",site=\"north\""),
      (["outcome": "1", "reason": "2"], "outcome=\"1\",reason=\"2\",site=\"north\""),
      (["zone": ""], "site=\"north\""),
      (["quote": "\"\n"], "quote=\"\\\"\\n\",site=\"north\""),
    ] as [([String: String], String)])
  func labels(labels: [String: String], line: String) {
    let text = text(of: [gauge(labels: labels)], labels: ["site": "north"])
    #expect(text.split(separator: "\n").last == "a{\(line)} 1")
  }

  @Test("Of series with the same labels the last counts, in the place of the first")
  func sameLabels() {
    let text = text(of: [gauge("a", 1), gauge("a", 2, labels: ["b": "c"]), gauge("a", 3, labels: ["d": ""])])
    #expect(text == "# TYPE a gauge\na 3\na{b=\"c\"} 2\n")
  }
}
