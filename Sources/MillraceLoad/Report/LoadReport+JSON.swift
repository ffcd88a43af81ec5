import Millrace

extension LoadReport {
  /// The figures as one JSON object in one line.
  ///
  /// Latencies are in milliseconds, from the time a request was due; those in `uncorrected` from the time it was sent. Rates are in
  /// requests a second, `seconds` is the length of the measured part.
  public var json: String {
    var fields: [(String, String)] = [
      ("scenario", JSONText.string(scenario)),
      ("mode", JSONText.string(schedule == nil ? "closed" : "open")),
      ("seconds", JSONText.number(elapsed / .seconds(1))),
      ("offeredRate", JSONText.number(offeredRate)), ("throughput", JSONText.number(throughput)),
      ("capacity", capacity.map(JSONText.number) ?? "null"),
    ]
    let counted: [(String, Int)] = [
      ("sent", counts.sent), ("settled", counts.settled), ("rejected", counts.rejected), ("inFlight", counts.inFlight),
      ("unsent", counts.unsent), ("failed", counts.failed), ("cancelled", counts.cancelled),
      ("timedOut", counts.timedOut),
    ]
    fields += counted.map { ($0, String($1)) }
    fields += latency.fields
    fields += [
      ("uncorrected", JSONText.object(uncorrected.fields)),
      ("isLowerBound", String(isLowerBound)), ("isGeneratorLate", String(isGeneratorLate)),
      ("measuredOneOf", String(measuredOneOf)), ("isCut", String(isCut)),
      ("memory", slices.compactMap(\.memory).last.map(String.init) ?? "null"),
      ("verdict", JSONText.string(verdict.joined(separator: " "))),
    ]
    return JSONText.object(fields)
  }
}

extension LoadLimitReport {
  /// The limit and the windows as one JSON object in one line; units as in ``LoadReport/json``.
  public var json: String {
    let windows = windows.map { window in
      JSONText.object(
        [("rate", JSONText.number(window.rate)), ("held", String(window.isHeld))] + window.report.latency.fields)
    }
    return JSONText.object([
      ("scenario", JSONText.string(scenario)), ("condition", JSONText.string(condition.description)),
      ("limit", rate.map(JSONText.number) ?? "null"), ("isGeneratorLimit", String(isGeneratorLimit)),
      ("windows", "[" + windows.joined(separator: ",") + "]"),
    ])
  }
}

extension LoadLatency {
  fileprivate var fields: [(String, String)] {
    [("p50", p50), ("p90", p90), ("p99", p99), ("p999", p999), ("max", max)].map {
      ($0, JSONText.number($1 / .milliseconds(1)))
    }
  }
}

/// The parts of a JSON text.
private enum JSONText {
  static func object(_ fields: [(String, String)]) -> String {
    "{" + fields.map { "\(string($0)):\($1)" }.joined(separator: ",") + "}"
  }

  static func number(_ number: Double) -> String { Figures.decimal(number, digits: 6) }

  static func string(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": escaped += "\\\(scalar)"
      case "\u{0}"..<" ": escaped += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }
}
