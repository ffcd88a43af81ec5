/// The rule of an alert: a condition, the time for which it has to hold before the alert fires, its recovery and its reminders.
///
/// Written as `cpu > 90 % for 30 s`, `target down for 2 probes until 3 successes` or `tcp://db:5432 slower than 200 ms`; see
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
  /// The number of observations in a row that do not meet the condition before the alert ends; nil is 1.
  var recovery: Int?
  /// The time between two notices that the alert fires; nil notifies only of its beginning.
  var reminder: Duration?

  /// The time that the rule compares with the rest of a certificate's validity, if it is about certificates.
  var certificateLimit: Duration? {
    if case .target(_, .certificate(let limit)) = condition { limit } else { nil }
  }
}

/// The status of an alert; times are those of the observations, counted from the first start of the service.
///
/// `ok → pending → firing → resolved`, and from `resolved` back to `pending` when the condition is met again. A
/// condition that ends before it has held long enough goes from `pending` back to where it came from.
enum AlertStatus: Codable, Sendable, Equatable {
  /// The condition has not been met, or never for long enough.
  case ok
  /// The condition has been met since then, for a number of observations, but not yet for long enough.
  case pending(since: Duration, observations: Int, resolved: Duration?)
  /// The condition has held long enough; `since` is when it began to fire. `successes` is the number of observations since the newest that
  /// has met the condition; nil is 0.
  case firing(since: Duration, successes: Int? = nil)
  /// The condition held long enough once, and ended then.
  case resolved(at: Duration)

  /// The status after one more observation.
  ///
  /// - Parameter recovery: The number of observations in a row that do not meet the condition before the alert ends.
  func next(isMet: Bool, at time: Duration, hold: AlertRule.Hold, recovery: Int = 1) -> AlertStatus {
    guard isMet else {
      switch self {
      case .ok, .pending(_, _, resolved: nil): return .ok
      case .firing(let start, let successes):
        let count = (successes ?? 0).incremented
        return count >= recovery ? .resolved(at: time) : .firing(since: start, successes: count)
      case .resolved(let end), .pending(_, _, resolved: let end?): return .resolved(at: end)
      }
    }
    switch self {
    case .ok: return Self.held(since: time, observations: 1, resolved: nil, at: time, hold: hold)
    case .resolved(let end): return Self.held(since: time, observations: 1, resolved: end, at: time, hold: hold)
    case .pending(let since, let observations, let end):
      return Self.held(since: since, observations: observations.incremented, resolved: end, at: time, hold: hold)
    case .firing(let start, _): return .firing(since: start)
    }
  }

  /// Firing when the condition has held long enough, pending otherwise.
  private static func held(
    since: Duration, observations: Int, resolved: Duration?, at time: Duration, hold: AlertRule.Hold
  ) -> AlertStatus {
    let isLongEnough =
      switch hold {
      case .time(let limit): time - since >= limit
      case .observations(let limit): observations >= limit
      }
    return isLongEnough
      ? .firing(since: time) : .pending(since: since, observations: observations, resolved: resolved)
  }

  /// Leaves a time out in which nothing was observed: a condition that is pending has held that much shorter.
  mutating func shift(by pause: Duration) {
    guard case .pending(let since, let observations, let resolved) = self else { return }
    self = .pending(since: since + pause, observations: observations, resolved: resolved)
  }

  /// The same status with times that are counted from so much earlier.
  func counted(fromEarlier time: Duration) -> AlertStatus {
    switch self {
    case .ok: .ok
    case .pending(let since, let observations, let resolved):
      .pending(since: since + time, observations: observations, resolved: resolved.map { $0 + time })
    case .firing(let since, let successes): .firing(since: since + time, successes: successes)
    case .resolved(let end): .resolved(at: end + time)
    }
  }

  var isFiring: Bool {
    if case .firing = self { true } else { false }
  }

  /// One word for the status.
  var word: String {
    switch self {
    case .ok: "ok"
    case .pending: "pending"
    case .firing: "firing"
    case .resolved: "resolved"
    }
  }

  /// The time at which the status began, or nil for `ok`.
  var since: Duration? {
    switch self {
    case .ok: nil
    case .pending(let time, _, _), .firing(let time, _), .resolved(let time): time
    }
  }
}

/// A number of this machine that is kept as a series, and that rules are about.
enum Metric: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
  case cpu
  case memory
  case disk
  case load

  /// Whether the number is a share from 0 to 100; `load` is a plain number.
  var isPercent: Bool { self != .load }
}
