import Millrace
import MillraceFlags

extension LoadReport: CustomStringConvertible {
  /// The number of error texts in ``description``; JSON and page have all.
  private static let shownErrors = 10

  /// The verdict, the counts, the errors and the latencies, as a terminal shows them.
  public var description: String {
    (verdict + [""] + countLines + errorLines + [""] + latencyLines + figureLines).joined(separator: "\n")
  }

  private var countLines: [String] {
    let always = [("sent", counts.sent), ("finished", counts.finished), ("rejected", counts.rejected)]
    let whereAny = [
      ("failed", counts.failed), ("timed out", counts.timedOut), ("cancelled", counts.cancelled),
      ("superseded", counts.superseded), ("in flight", counts.inFlight), ("unsent", counts.unsent),
    ].filter { $0.1 > 0 }
    let byStatus = statuses.sorted { $0.key < $1.key }.map { ("status \($0.key)", $0.value) }
    return Self.aligned(
      (always + whereAny + byStatus).map { [$0.0, Figures.count($0.1), $0.0 == "rejected" ? rejectionText : ""] })
  }

  private var rejectionText: String {
    frequentRejections.map { "\($0.reason): \(Figures.count($0.count))" }.joined(separator: ", ")
  }

  private var errorLines: [String] {
    guard !errors.isEmpty else { return [] }
    let counted = frequentErrors.prefix(Self.shownErrors).map { (Figures.count($0.count), FlagError.quoted($0.text)) }
    let width = counted.map(\.0.count).max() ?? 0
    let lines = counted.map { count, text in String(repeating: " ", count: width - count.count) + count + "  " + text }
    let more = errors.count - counted.count
    return ["", "errors"] + lines
      + (more > 0 ? ["and \(Figures.count(more)) more, which --json and --report list"] : [])
  }

  private var latencyLines: [String] {
    let head = ["latency"] + latency.figures.map(\.name)
    let failures = counts.failures > 0 ? [row("failures", failureLatency)] : []
    return Self.aligned([head, row("from due", latency), row("from sent", uncorrected)] + failures)
  }

  private var figureLines: [String] {
    figures.isEmpty ? [] : [""] + Self.aligned(figures.map { [$0.name, $0.text] })
  }

  private func row(_ name: String, _ latency: LoadLatency) -> [String] {
    let bound = isLowerBound ? "≥ " : ""
    return [name] + latency.figures.map { $0.value.map { bound + Histogram.text($0) } ?? "–" }
  }

  /// Columns two blanks apart: the first begins at the left, the others end at the right.
  private static func aligned(_ rows: [[String]]) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() where !cell.isEmpty {
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        line += column == 0 ? cell + blanks : "  " + blanks + cell
      }
      return line
    }
  }
}

extension LoadLimitReport: CustomStringConvertible {
  /// The limit in a sentence, and each window in a line.
  public var description: String {
    let lines = windows.map { window in
      let report = window.report
      let latency = [("p50", report.latency.p50), ("p99", report.latency.p99)].map { name, value in
        value.map { "\(name) \(Histogram.text($0)), " } ?? ""
      }
      return "\(Figures.rate(window.rate)): \(window.outcome), \(latency.joined())"
        + "\(Figures.rate(report.throughput)) finished"
    }
    return (["\(verdict)", ""] + lines).joined(separator: "\n")
  }

  /// The limit in a sentence.
  public var verdict: String {
    guard let rate else {
      let end = isTimeLimit ? ", and the time of the search was over; give it more time, or another first rate." : "."
      return "\(condition) held at no rate that was tried\(end)"
    }
    let generator = isGeneratorLimit ? " The generator could not send more, so the system may take more." : ""
    let time = isTimeLimit ? " The time of the search was over, so the system may take more." : ""
    return "\(condition) holds up to \(Figures.rate(rate)).\(generator)\(time)"
  }
}

extension LoadLimitReport.Window {
  /// The result in a word or two.
  var outcome: String {
    switch result {
    case .held: "held"
    case .broken: "broke"
    case .undecided: "generator too late"
    }
  }
}
