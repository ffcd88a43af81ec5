/// Everything the service knows at one instant.
struct PulseState: Sendable, Equatable {
  /// How many numbers each series keeps.
  let historyLimit: Int
  /// The rules; those about targets give each target an alert of its own.
  let rules: [AlertRule]
  /// When the newest observation was made, counted from the start of the service.
  var elapsed: Duration = .zero
  var machine = Machine()
  /// The history of each number of this machine.
  var series: [Metric: Series]
  /// The targets in the order in which they were first probed.
  var targets: [Target] = []
  var alerts: [Alert]

  init(rules: [AlertRule] = [], historyLimit: Int = 120) {
    self.historyLimit = historyLimit
    self.rules = rules
    series = Dictionary(uniqueKeysWithValues: Metric.allCases.map { ($0, Series(capacity: historyLimit)) })
    alerts = rules.compactMap { rule in
      guard case .metric(let metric, _, _) = rule.condition else { return nil }
      return Alert(rule: rule, subject: metric.rawValue)
    }
  }

  /// The target of an endpoint, once it was probed.
  func target(_ endpoint: Endpoint) -> Target? {
    targets.first { $0.endpoint == endpoint }
  }
}
