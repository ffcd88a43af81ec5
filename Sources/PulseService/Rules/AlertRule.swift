/// The rule of an alert: a condition, and the time for which it has to hold before the alert fires.
///
/// Written as `cpu > 90 % for 30 s`, `target down for 2 probes` or `tcp://db:5432 slower than 200 ms`; see
/// ``init(_:name:)``.
struct AlertRule: Codable, Sendable, Hashable {
  /// The watched subject, and its faulty condition.
  enum Condition: Codable, Sendable, Hashable {
    /// A number of this machine is beyond a threshold.
    case metric(Metric, Comparison, Double)
    /// A target does not do what it should: the one of this name, or each one when there is no name.
    case target(name: String?, TargetCondition)
  }

  /// The relation of a number to its threshold.
  enum Comparison: String, Codable, Sendable, CaseIterable {
    // The longer signs come first, so that a reader of text finds them before the signs they begin with.
    case atLeast = ">="
    case atMost = "<="
    case unequal = "!="
    case above = ">"
    case below = "<"
    case equal = "="

    /// Comparisons of measured numbers, of which two are hardly ever equal.
    static let orders: [Comparison] = [.atLeast, .atMost, .above, .below]

    func holds(_ number: Double, _ threshold: Double) -> Bool {
      switch self {
      case .atLeast: number >= threshold
      case .atMost: number <= threshold
      case .unequal: number != threshold
      case .above: number > threshold
      case .below: number < threshold
      case .equal: number == threshold
      }
    }
  }

  /// The time for which a condition has to hold.
  enum Hold: Codable, Sendable, Hashable {
    case time(Duration)
    /// The number of observations in a row: probes of a target, samples of a metric.
    case observations(Int)
  }

  /// The metric that the rule is about, if it is about one.
  var metric: Metric? {
    if case .metric(let metric, _, _) = condition { metric } else { nil }
  }

  /// Whether the text names the subject of its alerts: not that of a rule about each target.
  var namesSubject: Bool {
    if case .target(nil, _) = condition { false } else { true }
  }

  /// The rule as the user wrote it, with the name of its target in place of a URL; it names the alerts.
  let text: String
  let condition: Condition
  let hold: Hold
}
