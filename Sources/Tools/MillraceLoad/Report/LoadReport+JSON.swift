import Millrace

extension LoadReport {
  /// The figures as one JSON object in one line.
  ///
  /// Latencies are in milliseconds, from the time a request was due; those in `uncorrected` from the time it was sent. Rates are in
  /// requests a second, `seconds` is the length of the measured part. A latency that no request has is null. `failures` are the latencies of
  /// requests that neither finished nor were rejected.
  ///
  /// `figures` are those of the loaded system at the end, memory in bytes; the field is left out where the scenario has none.
  ///
  /// `target`, `start` (RFC 3339), `host` and `version` are null unless a load program has made the report. `rate` is the highest of
  /// the schedule, whose parts are in `options`; times in `options` are in seconds.
  public var json: String {
    var fields: [(String, String)] = [
      ("scenario", JSONText.string(scenario))
    ]
    fields += Self.fields(of: origin)
    fields += [
      ("mode", JSONText.string(schedule == nil ? "closed" : "open")),
      ("rate", schedule.map { JSONText.number($0.peak) } ?? "null"),
    ]
    fields += options.fields(schedule)
    fields += [
      ("seconds", JSONText.number(elapsed / .seconds(1))),
      ("offeredRate", JSONText.number(offeredRate)), ("throughput", JSONText.number(throughput)),
      ("capacity", capacity.map(JSONText.number) ?? "null"),
    ]
    let counted: [(String, Int)] = [
      ("sent", counts.sent), ("finished", counts.finished), ("failed", counts.failed), ("timedOut", counts.timedOut),
      ("cancelled", counts.cancelled), ("superseded", counts.superseded), ("rejected", counts.rejected),
      ("inFlight", counts.inFlight), ("unsent", counts.unsent),
    ]
    fields += counted.map { ($0, String($1)) }
    fields += [
      ("rejections", JSONText.object(frequentRejections.map { ($0.reason, String($0.count)) })),
      ("statuses", JSONText.object(statuses.sorted { $0.key < $1.key }.map { (String($0.key), String($0.value)) })),
      ("errors", JSONText.object(frequentErrors.map { ($0.text, String($0.count)) })),
    ]
    if !figures.isEmpty { fields.append(("figures", JSONText.object(figures.map { ($0.name, String($0.value)) }))) }
    fields += latency.fields
    fields += [
      ("uncorrected", JSONText.object(uncorrected.fields)), ("failures", JSONText.object(failureLatency.fields)),
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
        [
          ("rate", JSONText.number(window.rate)), ("held", String(window.isHeld)),
          ("isGeneratorLate", String(window.isGeneratorLate)),
          ("sent", String(window.report.counts.sent)), ("finished", String(window.report.counts.finished)),
        ] + window.report.latency.fields)
    }
    return JSONText.object(
      [("scenario", JSONText.string(scenario))] + LoadReport.fields(of: origin) + options.fields(nil) + [
        ("condition", JSONText.string(condition.description)),
        ("limit", rate.map(JSONText.number) ?? "null"), ("isGeneratorLimit", String(isGeneratorLimit)),
        ("isTimeLimit", String(isTimeLimit)),
        ("windows", "[" + windows.joined(separator: ",") + "]"),
      ])
  }
}

extension LoadReport {
  fileprivate static func fields(of origin: LoadOrigin?) -> [(String, String)] {
    [
      ("target", origin?.target), ("start", origin?.startText), ("host", origin?.host), ("version", origin?.version),
    ].map { ($0, $1.map(JSONText.string) ?? "null") }
  }
}

extension LoadOptions {
  /// The users and the seed, and the other options as an object.
  ///
  /// - Parameter schedule: the schedule of the run; nil for a closed loop.
  fileprivate func fields(_ schedule: LoadSchedule?) -> [(String, String)] {
    var fields = [("duration", duration), ("warmUp", warmUp), ("drain", drain)].map {
      ($0, JSONText.number($1 / .seconds(1)))
    }
    fields.append(("maximumInFlight", String(maximumInFlight)))
    if let schedule {
      let parts = schedule.parts.map { part in
        JSONText.object([
          ("share", JSONText.number(part.share)), ("from", JSONText.number(part.rates.start)),
          ("to", JSONText.number(part.rates.end)),
        ])
      }
      fields += [("isRandom", String(schedule.isRandom)), ("schedule", "[" + parts.joined(separator: ",") + "]")]
    }
    if case .closed(let concurrency, let thinkTime) = mode {
      fields += [
        ("clients", concurrency.map(String.init) ?? "null"), ("thinkTime", JSONText.number(thinkTime / .seconds(1))),
      ]
    }
    return [
      ("users", users.map(String.init) ?? "null"), ("seed", String(seed)), ("options", JSONText.object(fields)),
    ]
  }
}

extension LoadLatency {
  fileprivate var fields: [(String, String)] {
    figures.map { name, value in
      (name.filter { $0 != "." }, value.map { JSONText.number($0 / .milliseconds(1)) } ?? "null")
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
      // Beside those that JSON does not allow, those that steer a terminal.
      case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }
}
