import Millrace

extension LoadReport: CustomStringConvertible {
  /// The verdict, the counts and the latencies, as a terminal shows them.
  public var description: String {
    (verdict + [""] + countLines + [""] + latencyLines).joined(separator: "\n")
  }

  private var countLines: [String] {
    let always = [("sent", counts.sent), ("settled", counts.settled), ("rejected", counts.rejected)]
    let whereAny = [
      ("failed", counts.failed), ("cancelled", counts.cancelled), ("timed out", counts.timedOut),
      ("in flight", counts.inFlight), ("unsent", counts.unsent),
    ].filter { $0.1 > 0 }
    return Self.aligned(
      (always + whereAny).map { [$0.0, Figures.count($0.1), $0.0 == "rejected" ? rejectionText : ""] })
  }

  private var rejectionText: String {
    rejections.sorted { $0.value > $1.value }.map { "\($0.key): \(Figures.count($0.value))" }.joined(separator: ", ")
  }

  private var latencyLines: [String] {
    let head = ["latency", "p50", "p90", "p99", "p99.9", "max"]
    return Self.aligned([head, row("from due", latency), row("from sent", uncorrected)])
  }

  private func row(_ name: String, _ latency: LoadLatency) -> [String] {
    let bound = isLowerBound ? "≥ " : ""
    return [name]
      + [latency.p50, latency.p90, latency.p99, latency.p999, latency.max].map { bound + Histogram.text($0) }
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
      let latency = window.report.latency
      return "\(Figures.rate(window.rate)): \(window.isHeld ? "held" : "broke"), p50 \(Histogram.text(latency.p50)), "
        + "p99 \(Histogram.text(latency.p99)), \(Figures.rate(window.report.throughput)) finished"
    }
    return (["\(verdict)", ""] + lines).joined(separator: "\n")
  }

  /// The limit in a sentence.
  public var verdict: String {
    guard let rate else { return "\(condition) held at no rate that was tried." }
    let more = isGeneratorLimit ? " The generator could not send more, so the system may take more." : ""
    return "\(condition) holds up to \(Figures.rate(rate)).\(more)"
  }
}
