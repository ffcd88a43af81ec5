import MillraceFlags

extension AlertRule {
  /// Reads a rule.
  ///
  /// ```
  /// rule      = condition [ "for" number unit ] [ "until" number "successes" ] [ "remind" "every" number time ]
  /// condition = ( "cpu" | "memory" | "disk" | "load" ) order number [ "%" ]
  ///           | ( "target" | URL ) ( "down" | "slower" "than" number time | "status" ( order | "=" | "!=" ) number
  ///                                | "certificate" "expires" "within" number time )
  /// order     = ">" | ">=" | "<" | "<="
  /// time      = "ms" | "s" | "min" | "h" | "d"
  /// unit      = time | "probes" | "samples"
  /// ```
  ///
  /// Without a `for` the alert fires at the first observation that meets the condition. Without an `until` it ends at the first that does
  /// not. Without a `remind` webhooks are notified only of its beginning and of its end.
  ///
  /// - Parameter name: the name that a target may be shown by, given its URL. It takes the place of the URL in the rule.
  /// - Throws: ``AlertRuleError``, which says what is wrong and shows a rule that is right.
  init(_ text: String, name: (String) -> String = AlertRule.nameOfAnyTarget) throws(AlertRuleError) {
    var scanner = RuleScanner(text)
    let subject = scanner.subject()
    let condition = try Self.condition(of: subject, &scanner, name)
    let hold = try Self.hold(&scanner)
    let recovery = try Self.recovery(&scanner)
    let reminder = try Self.reminder(&scanner)
    guard scanner.isAtEnd else {
      throw AlertRuleError("has \(scanner.quotedRest) behind its end", example: Self.example(for: condition))
    }
    self.init(
      text: Self.text(text, about: subject, condition), condition: condition, hold: hold, recovery: recovery,
      reminder: reminder)
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
      guard scanner.skip("than"), let limit = try time(&scanner) else {
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
    if scanner.skip("certificate") {
      guard scanner.skip("expires"), scanner.skip("within"), let limit = try time(&scanner) else {
        throw AlertRuleError(
          "lacks 'expires within' and a time above 0 behind 'certificate'", example: certificateExample)
      }
      return .certificate(expiresWithin: limit)
    }
    throw AlertRuleError(
      "lacks 'down', 'slower than', 'status' or 'certificate' behind \(FlagError.quoted(subject))",
      example: targetExample)
  }

  private static func hold(_ scanner: inout RuleScanner) throws(AlertRuleError) -> Hold {
    guard scanner.skip("for") else { return .observations(1) }
    guard let number = scanner.number(), number > 0 else {
      let problem = scanner.isAtDigit ? "has a number that is broken or too large" : "lacks a number above 0"
      throw AlertRuleError("\(problem) behind 'for'", example: metricExample)
    }
    let unit = scanner.subject()
    if ["probe", "probes", "sample", "samples"].contains(unit) {
      guard let count = count(number) else {
        throw AlertRuleError("lacks a whole number from 1 to 1000000000 before '\(unit)'", example: targetExample)
      }
      return .observations(count)
    }
    guard let time = try duration(number, unit) else {
      throw AlertRuleError("lacks ms, s, min, h, d, probes or samples behind 'for'", example: metricExample)
    }
    return .time(time)
  }

  private static func recovery(_ scanner: inout RuleScanner) throws(AlertRuleError) -> Int? {
    guard scanner.skip("until") else { return nil }
    guard let number = scanner.number(), let count = count(number),
      scanner.skip("successes") || scanner.skip("success")
    else {
      throw AlertRuleError(
        "lacks a whole number from 1 to 1000000000 and 'successes' behind 'until'", example: recoveryExample)
    }
    return count
  }

  private static func reminder(_ scanner: inout RuleScanner) throws(AlertRuleError) -> Duration? {
    guard scanner.skip("remind") else { return nil }
    guard scanner.skip("every"), let interval = try time(&scanner) else {
      throw AlertRuleError("lacks 'every' and a time above 0 behind 'remind'", example: reminderExample)
    }
    return interval
  }

  /// A number of observations; nil for another number.
  private static func count(_ number: Double) -> Int? {
    guard let count = Int(exactly: number), count >= 1, count <= 1_000_000_000 else { return nil }
    return count
  }

  /// A number above 0 and its unit of time, if these are next.
  private static func time(_ scanner: inout RuleScanner) throws(AlertRuleError) -> Duration? {
    guard let number = scanner.number(), number > 0 else { return nil }
    return try duration(number, scanner.subject())
  }

  /// A time of a rule; nil for what is no unit of time.
  private static func duration(_ number: Double, _ unit: String) throws(AlertRuleError) -> Duration? {
    let seconds: Double
    switch unit {
    case "ms": seconds = number / 1000
    case "s", "sec", "second", "seconds": seconds = number
    case "min", "m", "minute", "minutes": seconds = number * 60
    case "h", "hour", "hours": seconds = number * 3600
    case "d", "day", "days": seconds = number * 86_400
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
  private static let certificateExample = "target certificate expires within 14 days"
  private static let recoveryExample = "target down for 2 probes until 3 successes"
  private static let reminderExample = "target down remind every 1 h"

  private static func example(for condition: Condition) -> String {
    switch condition {
    case .metric: metricExample
    case .target(_, .down): targetExample
    case .target(_, .slower): slowExample
    case .target(_, .status): statusExample
    case .target(_, .certificate): certificateExample
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
