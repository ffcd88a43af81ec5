extension PulseState {
  /// Takes these rules in place of those there are.
  ///
  /// An alert whose rule is still there stays as it is; one whose rule is gone ends. A rule that is there twice is one.
  mutating func replaceRules(by newRules: [AlertRule]) {
    rules = distinct(newRules)
    let earlier = alerts
    alerts = []
    for rule in rules {
      if let metric = rule.metric { alerts.append(Alert(rule: rule, subject: metric.rawValue)) }
    }
    for target in targets { addAlerts(for: target.endpoint) }
    keepStatus(of: earlier)
    for alert in earlier where alert.status.isFiring && !rules.contains(alert.rule) {
      note(alert.name, isFiring: false, value: nil, reason: "the rule was removed")
    }
  }

  private func distinct(_ rules: [AlertRule]) -> [AlertRule] {
    var distinct: [AlertRule] = []
    for rule in rules where !distinct.contains(rule) { distinct.append(rule) }
    return distinct
  }

  /// Gives the alerts that were there before the status they had.
  private mutating func keepStatus(of earlier: [Alert]) {
    alerts = alerts.map { alert in
      earlier.first { $0.rule == alert.rule && $0.subject == alert.subject } ?? alert
    }
  }

  /// Gives a target the alerts of the rules that are about it.
  mutating func addAlerts(for endpoint: Endpoint) {
    for rule in rules {
      guard case .targetDown(let name) = rule.condition, name == nil || name == endpoint.name else { continue }
      alerts.append(Alert(rule: rule, subject: endpoint.name))
    }
  }

  /// Shows a sample to the rules about metrics.
  mutating func observe(_ sample: MachineSample, at time: Duration) {
    for index in alerts.indices {
      guard case .metric(let metric, let comparison, let threshold) = alerts[index].rule.condition,
        let number = sample[metric]
      else { continue }
      observe(index, isMet: comparison.holds(number, threshold), at: time, value: number)
    }
  }

  /// Shows the result of a probe to the rules about its target.
  mutating func observe(_ result: Target.Result, of endpoint: Endpoint, at time: Duration) {
    var reason: String?
    if case .down(let words) = result { reason = words }
    for index in alerts.indices where alerts[index].subject == endpoint.name {
      observe(index, isMet: result.isDown, at: time, value: result.isDown ? 0 : 1, reason: reason)
    }
  }

  private mutating func observe(
    _ index: Int, isMet: Bool, at time: Duration, value: Double, reason: String? = nil
  ) {
    guard alerts[index].observe(isMet: isMet, at: time) else { return }
    note(alerts[index].name, isFiring: isMet, value: value, reason: reason)
  }

  /// Keeps a change for those who tell the webhooks.
  private mutating func note(_ name: Alert.Name, isFiring: Bool, value: Double?, reason: String?) {
    guard !receivers.isEmpty else { return }
    changeCount += 1
    changes.append(
      AlertChange(number: changeCount, alert: name, isFiring: isFiring, value: value, reason: reason))
  }
}
