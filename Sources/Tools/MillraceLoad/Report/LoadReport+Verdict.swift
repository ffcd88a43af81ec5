import Millrace
import MillraceFlags

extension LoadReport {
  /// The result in a few sentences: the offered load, the load that the system took, and the limits of the figures.
  public var verdict: [String] {
    var sentences = [rateSentence, latencySentence]
    if let failureSentence { sentences.append(failureSentence) }
    sentences += trendSentences
    if isLowerBound { sentences.append(lowerBoundSentence) }
    if isGeneratorLate, let lateness = generatorLateness.quantile(0.99) {
      sentences.append(
        """
        The generator itself was \(Histogram.text(lateness)) late at p99, which is more than a tenth of the p99 latency: part of the \
        latency is its own. Offer less, or give it a processor of its own.
        """)
    }
    if measuredOneOf > 1 {
      sentences.append(
        "Latencies are those of one of \(measuredOneOf) requests; to measure each would slow the generator down.")
    }
    if isCut { sentences.append("The run was ended early, after \(Histogram.text(elapsed)).") }
    return sentences
  }

  private var rateSentence: String {
    let offered = Figures.rate(offeredRate)
    let refused = counts.rejected + counts.unsent
    let shed =
      refused > 0 ? ", of which \(Figures.percent(Double(refused) / Double(counts.offered))) were not taken" : ""
    guard let capacity else { return "\(offered) were offered\(shed), and \(Figures.rate(throughput)) finished." }
    return
      "It can take \(Figures.rate(capacity)); \(offered) were offered\(shed), and \(Figures.rate(throughput)) finished."
  }

  private var latencySentence: String {
    guard let p50 = latency.p50, let p99 = latency.p99, let max = latency.max else {
      return "No request has finished, so there is no latency."
    }
    return
      "A request took \(Histogram.text(p50)) at the median, \(Histogram.text(p99)) at p99 and at most \(Histogram.text(max))."
  }

  /// A sentence for the requests that ended otherwise than finished or rejected, with the most frequent error.
  private var failureSentence: String? {
    let most = frequentErrors.first.map { text, count in
      (count == counts.failed ? " with " : ", most often with ") + FlagError.quoted(text)
    }
    let ends = [
      (counts.failed, "failed" + (most ?? "")), (counts.timedOut, "timed out"),
      (counts.cancelled, counts.cancelled == 1 ? "was cancelled" : "were cancelled"),
      (counts.superseded, counts.superseded == 1 ? "was superseded" : "were superseded"),
    ].filter { $0.0 > 0 }
    guard let (count, end) = ends.first else { return nil }
    return ([Figures.count(count, "request") + " " + end] + ends.dropFirst().map { Figures.count($0) + " " + $1 })
      .joined(separator: ", ") + "."
  }

  /// The error texts and their numbers, the most frequent first.
  var frequentErrors: [(text: String, count: Int)] {
    errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
  }

  /// The reasons of rejections and their numbers, the most frequent first.
  var frequentRejections: [(reason: String, count: Int)] {
    rejections.map { ("\($0.key)", $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  private var trendSentences: [String] {
    let memory = Trend(slices.compactMap(\.memory)).map {
      $0.sentence("Memory", unit: { Figures.decimal($0 / 1e6, digits: 1) + " MB" }, ignoring: 2e6)
    }
    let descriptors = Trend(slices.compactMap(\.descriptors)).map {
      $0.sentence("The number of open descriptors", unit: { Figures.decimal($0, digits: 0) }, ignoring: 2)
    }
    return [queueSentence, memory, descriptors].compactMap { $0 }
  }

  /// A sentence for requests in flight that become more and more: the system takes fewer than it is offered.
  private var queueSentence: String? {
    guard let trend = Trend(slices.compactMap(\.inFlight)), trend.isGrowing(ignoring: 10) else { return nil }
    return "Requests in flight grew by \(Figures.count(Int(trend.change))), so the system takes fewer than are offered."
  }

  private var lowerBoundSentence: String {
    var reasons: [String] = []
    if counts.unsent > 0 {
      reasons.append(
        "\(Figures.count(counts.unsent)) were not sent, because \(Figures.count(options.maximumInFlight)) were in flight"
      )
    }
    if counts.inFlight > 0 { reasons.append("\(Figures.count(counts.inFlight)) had not ended") }
    return "Percentiles are lower bounds: of the requests that were due, \(reasons.joined(separator: ", and "))."
  }
}

/// Numbers as people read them.
enum Figures {
  /// With a comma before each three digits.
  static func count(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }

  /// A number and its noun.
  static func count(_ number: Int, _ noun: String) -> String {
    count(number) + " " + noun + (number == 1 ? "" : "s")
  }

  /// Requests a second, to three digits below 100.
  static func rate(_ rate: Double) -> String {
    let shown = rate < 100 ? decimal(rate, digits: 1) : count(Int(rate.rounded()))
    return shown + " requests/s"
  }

  static func percent(_ part: Double) -> String { decimal(part * 100, digits: 1) + " %" }

  /// Rounds to `digits` digits behind the point, and drops zeros at the end.
  static func decimal(_ number: Double, digits: Int) -> String {
    guard number.isFinite else { return "0" }
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let rounded = (number * scale).rounded() / scale
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
  }
}
