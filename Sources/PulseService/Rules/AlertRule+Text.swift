import MillraceFlags

extension AlertRule {
  /// Reads a rule.
  ///
  /// ```
  /// rule      = condition [ "for" number unit ]
  /// condition = ( "cpu" | "memory" | "disk" | "load" ) ( ">" | ">=" | "<" | "<=" ) number [ "%" ]
  ///           | ( "target" | URL ) "down"
  /// unit      = "ms" | "s" | "min" | "h" | "probes" | "samples"
  /// ```
  ///
  /// Without a `for` the alert fires at the first observation that meets the condition.
  ///
  /// - Throws: ``AlertRuleError``, which says what is wrong and shows a rule that is right.
  init(_ text: String) throws(AlertRuleError) {
    var scanner = RuleScanner(text)
    let condition = try Self.condition(&scanner)
    let hold = try Self.hold(&scanner)
    guard scanner.isAtEnd else {
      throw AlertRuleError("has \(scanner.quotedRest) behind its end", example: Self.example(for: condition))
    }
    self.init(text: text, condition: condition, hold: hold)
  }

  private static func condition(_ scanner: inout RuleScanner) throws(AlertRuleError) -> Condition {
    let subject = scanner.subject()
    guard let metric = Metric(rawValue: subject) else {
      guard subject == "target" || subject.contains("://") else {
        let found = subject.isEmpty ? "nothing" : FlagError.quoted(subject)
        throw AlertRuleError(
          "begins with \(found) where cpu, memory, disk, load, target or a URL should stand", example: metricExample)
      }
      guard scanner.skip("down") else {
        throw AlertRuleError("lacks the word 'down' behind \(FlagError.quoted(subject))", example: targetExample)
      }
      return .targetDown(name: subject == "target" ? nil : subject)
    }
    guard let comparison = Comparison.allCases.first(where: { scanner.skip($0.rawValue) }) else {
      throw AlertRuleError("lacks >, >=, < or <= behind '\(metric.rawValue)'", example: metricExample)
    }
    guard let threshold = scanner.number() else {
      throw AlertRuleError("lacks a number behind '\(comparison.rawValue)'", example: metricExample)
    }
    let isPercent = scanner.skip("%")
    guard !isPercent || metric.isPercent else {
      throw AlertRuleError("has a '%' behind a load, which is a plain number", example: "load > 4 for 1 min")
    }
    guard !metric.isPercent || threshold <= 100 else {
      throw AlertRuleError("has a share above 100 %", example: metricExample)
    }
    return .metric(metric, comparison, threshold)
  }

  private static func hold(_ scanner: inout RuleScanner) throws(AlertRuleError) -> Hold {
    guard scanner.skip("for") else { return .observations(1) }
    guard let number = scanner.number(), number > 0 else {
      throw AlertRuleError("lacks a number above 0 behind 'for'", example: metricExample)
    }
    let unit = scanner.subject()
    let seconds: Double
    switch unit {
    case "ms": seconds = number / 1000
    case "s", "sec", "second", "seconds": seconds = number
    case "min", "m", "minute", "minutes": seconds = number * 60
    case "h", "hour", "hours": seconds = number * 3600
    case "probe", "probes", "sample", "samples":
      guard let count = Int(exactly: number) else {
        throw AlertRuleError("has a broken number of \(unit)", example: targetExample)
      }
      return .observations(count)
    default:
      throw AlertRuleError("lacks ms, s, min, h, probes or samples behind 'for'", example: metricExample)
    }
    // Far above any use, and far below where a `Duration` overflows.
    guard seconds <= 1_000_000_000 else {
      throw AlertRuleError("waits for more than 1000000000 seconds", example: metricExample)
    }
    return .time(.seconds(seconds))
  }

  private static let metricExample = "cpu > 90 % for 30 s"
  private static let targetExample = "target down for 2 probes"

  private static func example(for condition: Condition) -> String {
    switch condition {
    case .metric: metricExample
    case .targetDown: targetExample
    }
  }
}

/// What is wrong with the text of a rule, as the end of a sentence about it: "lacks … ; write for example '…'".
struct AlertRuleError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ problem: String, example: String) {
    description = "\(problem); write for example '\(example)'"
  }
}
