/// When to raise an alert: a condition, and how long it has to hold before the alert fires.
///
/// Written as `cpu > 90 % for 30 s`, `target down for 2 probes` or `tcp://db:5432 down for 1 min`; see
/// ``init(_:)``.
struct AlertRule: Codable, Sendable, Equatable {
  /// What is watched, and what is wrong with it.
  enum Condition: Codable, Sendable, Equatable {
    /// A number of this machine is beyond a threshold.
    case metric(Metric, Comparison, Double)
    /// A target is down: the one of this name, or each one when there is no name.
    case targetDown(name: String?)
  }

  /// How a number stands to its threshold.
  enum Comparison: String, Codable, Sendable, CaseIterable {
    // The longer signs come first, so that a reader of text finds them before the signs they begin with.
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"

    func holds(_ number: Double, _ threshold: Double) -> Bool {
      switch self {
      case .atLeast: number >= threshold
      case .atMost: number <= threshold
      case .above: number > threshold
      case .below: number < threshold
      }
    }
  }

  /// How long a condition has to hold.
  enum Hold: Codable, Sendable, Equatable {
    case time(Duration)
    /// So many observations in a row: probes of a target, samples of a metric.
    case observations(Int)
  }

  /// The metric that the rule is about, if it is about one.
  var metric: Metric? {
    if case .metric(let metric, _, _) = condition { metric } else { nil }
  }

  /// The rule as the user wrote it, which names its alerts.
  let text: String
  let condition: Condition
  let hold: Hold
}
