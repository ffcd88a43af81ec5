import MillraceFlags

extension AlertRule {
  /// Reads a rule.
  ///
  /// ```
  /// rule      = condition [ "for" number unit ]
  /// condition = ( "cpu" | "memory" | "disk" | "load" ) order number [ "%" ]
  ///           | ( "target" | URL ) ( "down" | "slower" "than" number time | "status" ( order | "=" | "!=" ) number )
  /// order     = ">" | ">=" | "<" | "<="
  /// time      = "ms" | "s" | "min" | "h"
  /// unit      = time | "probes" | "samples"
  /// ```
  ///
  /// Without a `for` the alert fires at the first observation that meets the condition.
  ///
  /// - Parameter name: the name that a target may be shown by, given its URL. It takes the place of the URL in the rule.
  /// - Throws: ``AlertRuleError``, which says what is wrong and shows a rule that is right.
  init(_ text: String, name: (String) -> String = AlertRule.nameOfAnyTarget) throws(AlertRuleError) {
    var scanner = RuleScanner(text)
    let subject = scanner.subject()
    let condition = try Self.condition(of: subject, &scanner, name)
    let hold = try Self.hold(&scanner)
    guard scanner.isAtEnd else {
      throw AlertRuleError("has \(scanner.quotedRest) behind its end", example: Self.example(for: condition))
    }
    self.init(text: Self.text(text, about: subject, condition), condition: condition, hold: hold)
  }

  /// The text with the name of a target in place of its URL.
  private static func text(_ text: String, about subject: String, _ condition: Condition) -> String {
    guard case .target(let name?, _) = condition else { return text }
    let blanks = text.prefix(while: \.isWhitespace)
    return blanks + name + text.dropFirst(blanks.count + subject.count)
  }

  private static func condition(
    of subject: String, _ scanner: inout RuleScanner, _ name: (String) -> String
  ) throws(AlertRuleError) -> Condition {
    if let metric = Metric(rawValue: subject) { return try self.condition(of: metric, &scanner) }
    guard subject == "target" || subject.contains("://") else {
      let found = subject.isEmpty ? "nothing" : FlagError.quoted(subject)
      throw AlertRuleError(
        "begins with \(found) where cpu, memory, disk, load, target or a URL should stand", example: metricExample)
    }
    let condition = try targetCondition(of: subject, &scanner)
    return .target(name: subject == "target" ? nil : name(subject), condition)
  }

  private static func condition(
    of metric: Metric, _ scanner: inout RuleScanner
  ) throws(AlertRuleError) -> Condition {
    guard let comparison = Comparison.orders.first(where: { scanner.skip($0.rawValue) }) else {
      throw AlertRuleError("lacks >, >=, < or <= behind '\(metric.rawValue)'", example: metricExample)
    }
    guard let threshold = scanner.number() else {
      let problem = scanner.isAtDigit ? "has a number that is broken or too large" : "lacks a number"
      throw AlertRuleError("\(problem) behind '\(comparison.rawValue)'", example: metricExample)
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

  private static func targetCondition(
    of subject: String, _ scanner: inout RuleScanner
  ) throws(AlertRuleError) -> TargetCondition {
    if scanner.skip("down") { return .down }
    if scanner.skip("slower") {
      guard scanner.skip("than"), let number = scanner.number(), number > 0,
        let limit = try duration(number, scanner.subject())
      else {
        throw AlertRuleError("lacks 'than' and a time above 0 behind 'slower'", example: slowExample)
      }
      return .slower(than: limit)
    }
    if scanner.skip("status") {
      guard let comparison = Comparison.allCases.first(where: { scanner.skip($0.rawValue) }) else {
        throw AlertRuleError("lacks =, !=, >, >=, < or <= behind 'status'", example: statusExample)
      }
      guard let status = scanner.number().flatMap({ Int(exactly: $0) }), (100...999).contains(status) else {
        throw AlertRuleError(
          "lacks a number from 100 to 999 behind 'status \(comparison.rawValue)'", example: statusExample)
      }
      return .status(comparison, status)
    }
    throw AlertRuleError(
      "lacks 'down', 'slower than' or 'status' behind \(FlagError.quoted(subject))", example: targetExample)
  }

  private static func hold(_ scanner: inout RuleScanner) throws(AlertRuleError) -> Hold {
    guard scanner.skip("for") else { return .observations(1) }
    guard let number = scanner.number(), number > 0 else {
      let problem = scanner.isAtDigit ? "has a number that is broken or too large" : "lacks a number above 0"
      throw AlertRuleError("\(problem) behind 'for'", example: metricExample)
    }
    let unit = scanner.subject()
    if ["probe", "probes", "sample", "samples"].contains(unit) {
      guard let count = Int(exactly: number), count <= 1_000_000_000 else {
        throw AlertRuleError("lacks a whole number from 1 to 1000000000 before '\(unit)'", example: targetExample)
      }
      return .observations(count)
    }
    guard let time = try duration(number, unit) else {
      throw AlertRuleError("lacks ms, s, min, h, probes or samples behind 'for'", example: metricExample)
    }
    return .time(time)
  }

  /// A time of a rule; nil for what is no unit of time.
  private static func duration(_ number: Double, _ unit: String) throws(AlertRuleError) -> Duration? {
    let seconds: Double
    switch unit {
    case "ms": seconds = number / 1000
    case "s", "sec", "second", "seconds": seconds = number
    case "min", "m", "minute", "minutes": seconds = number * 60
    case "h", "hour", "hours": seconds = number * 3600
    default: return nil
    }
    // Far above any use, and far below where a `Duration` overflows.
    guard seconds <= 1_000_000_000 else {
      throw AlertRuleError("waits for more than 1000000000 seconds", example: metricExample)
    }
    return .seconds(seconds)
  }

  private static let metricExample = "cpu > 90 % for 30 s"
  private static let targetExample = "target down for 2 probes"
  private static let slowExample = "target slower than 200 ms for 3 probes"
  private static let statusExample = "target status >= 500"

  private static func example(for condition: Condition) -> String {
    switch condition {
    case .metric: metricExample
    case .target(_, .down): targetExample
    case .target(_, .slower): slowExample
    case .target(_, .status): statusExample
    }
  }
}

/// The problem of a rule, as the end of a sentence about it: "lacks … ; write for example '…'".
struct AlertRuleError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ problem: String, example: String) {
    self.init(problem, fix: "write for example '\(example)'")
  }

  init(_ problem: String, fix: String) {
    description = "\(problem); \(fix)"
  }
}

/// Walks over the text of a rule; blanks are skipped before each piece and not needed between pieces.
struct RuleScanner {
  private var rest: Substring

  init(_ text: String) {
    rest = text[...]
    skipBlanks()
  }

  var isAtEnd: Bool { rest.isEmpty }

  /// Whether a number is next, though it may be too large.
  var isAtDigit: Bool { rest.first.map { $0.isASCII && $0.isNumber } ?? false }

  /// The unread rest, in quotes.
  var quotedRest: String { FlagError.quoted(String(rest)) }

  /// Takes `token` when it is next; a word is taken only as a whole.
  mutating func skip(_ token: String) -> Bool {
    guard rest.hasPrefix(token) else { return false }
    let behind = rest.dropFirst(token.count)
    if token.last!.isLetter, let next = behind.first, next.isLetter { return false }
    rest = behind
    skipBlanks()
    return true
  }

  /// Takes a name or a URL: everything up to a blank, or, where there is no `://`, up to the first that is no letter.
  mutating func subject() -> String {
    let word = rest.prefix { !$0.isWhitespace }
    let subject = word.contains("://") ? word : word.prefix(while: \.isLetter)
    rest = rest.dropFirst(subject.count)
    skipBlanks()
    return String(subject)
  }

  /// Takes a decimal number that is not negative, if one is next.
  mutating func number() -> Double? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let number = Double(digits), number <= .largestNumber else { return nil }
    rest = rest.dropFirst(digits.count)
    skipBlanks()
    return number
  }

  private mutating func skipBlanks() {
    rest = rest.drop(while: \.isWhitespace)
  }
}
