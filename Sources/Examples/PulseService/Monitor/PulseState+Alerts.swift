extension PulseState {
  /// Takes these rules in place of those there are.
  ///
  /// An alert whose rule and target are still there stays as it is; another one ends. A rule that is there twice is one.
  mutating func replaceRules(by newRules: [AlertRule]) {
    rules = distinct(newRules)
    let earlier = alerts
    alerts = []
    for rule in rules {
      if let metric = rule.metric { alerts.append(Alert(rule: rule, subject: metric.rawValue)) }
    }
    let targetRules = TargetRules(rules)
    for index in targets.indices {
      addAlerts(of: targetRules, for: targets[index].endpoint)
      // A rule that is new does not know them.
      targets[index].certificateRead = nil
    }
    keepStatus(of: earlier)
    let (keptRules, kept) = (Set(rules), Set(alerts.map(AlertIdentity.init)))
    for alert in earlier where alert.status.isFiring && !kept.contains(AlertIdentity(alert)) {
      let reason = keptRules.contains(alert.rule) ? "the target was removed" : "the rule was removed"
      note(alert.name, isFiring: false, value: nil, reason: reason)
    }
  }

  private func distinct(_ rules: [AlertRule]) -> [AlertRule] {
    var seen: Set<AlertRule> = []
    return rules.filter { seen.insert($0).inserted }
  }

  /// Restores the status of the alerts that were known before.
  private mutating func keepStatus(of earlier: [Alert]) {
    let earlierOnes = Dictionary(earlier.map { (AlertIdentity($0), $0) }, uniquingKeysWith: { first, _ in first })
    alerts = alerts.map { earlierOnes[AlertIdentity($0)] ?? $0 }
  }

  /// Adds the alerts of the rules that are about a target.
  mutating func addAlerts(for endpoint: Endpoint) {
    addAlerts(of: TargetRules(rules), for: endpoint)
  }

  private mutating func addAlerts(of targetRules: TargetRules, for endpoint: Endpoint) {
    alerts += targetRules.about(endpoint.name)
      .filter { $0.certificateLimit == nil || endpoint.hasCertificate }
      .map { Alert(rule: $0, subject: endpoint.name) }
  }

  /// The rules about targets, found by the name of a target.
  private struct TargetRules {
    private var ofEach: [(index: Int, rule: AlertRule)] = []
    private var named: [String: [(index: Int, rule: AlertRule)]] = [:]

    init(_ rules: [AlertRule]) {
      for (index, rule) in rules.enumerated() {
        guard case .target(let name, _) = rule.condition else { continue }
        if let name { named[name, default: []].append((index, rule)) } else { ofEach.append((index, rule)) }
      }
    }

    /// The rules about a target, in the order in which they were given.
    func about(_ name: String) -> [AlertRule] {
      (ofEach + (named[name] ?? [])).sorted { $0.index < $1.index }.map(\.rule)
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
    if case .down(let words, _) = result { reason = words }
    for index in alerts.indices where alerts[index].subject == endpoint.name {
      guard case .target(_, let condition) = alerts[index].rule.condition,
        let observation = condition.observation(of: result)
      else { continue }
      observe(index, isMet: observation.isMet, at: time, value: observation.value, reason: reason)
    }
  }

  /// Shows a reading of certificates to the rules about them.
  mutating func observe(_ certificate: CertificateReading, of endpoint: Endpoint, at time: Duration) {
    for index in alerts.indices where alerts[index].subject == endpoint.name {
      guard let limit = alerts[index].rule.certificateLimit else { continue }
      let isMet = certificate.expires(within: limit)
      observe(
        index, isMet: isMet, at: time, value: certificate.days, reason: isMet ? certificate.words : nil)
    }
  }

  /// Whether a rule is about the certificates of an endpoint.
  func watchesCertificate(of endpoint: Endpoint) -> Bool {
    endpoint.hasCertificate
      && alerts.contains { $0.rule.certificateLimit != nil && $0.subject == endpoint.name }
  }

  /// Whether the certificates of an endpoint were not read in the last hour.
  func isCertificateDue(of endpoint: Endpoint, at time: Duration) -> Bool {
    target(endpoint)?.certificateRead.map { origin + time - $0 >= Self.certificateInterval } ?? true
  }

  /// The time between two readings of the certificates of a target.
  private static let certificateInterval: Duration = .seconds(3600)

  private mutating func observe(
    _ index: Int, isMet: Bool, at time: Duration, value: Double?, reason: String? = nil
  ) {
    guard alerts[index].observe(isMet: isMet, at: time) else { return }
    note(alerts[index].name, isFiring: isMet, value: value, reason: reason)
  }

  /// Notes a change for each webhook, which is owed a notice of it.
  private mutating func note(_ name: Alert.Name, isFiring: Bool, value: Double?, reason: String?) {
    guard !receivers.isEmpty else { return }
    changeCount = changeCount.incremented
    let change = AlertChange(number: changeCount, alert: name, isFiring: isFiring, value: value, reason: reason)
    for index in receivers.indices { receivers[index].note(change) }
  }

  /// Notes each alert that fires for a webhook that has not been notified of any.
  mutating func noteFiringAlerts(at index: Int) {
    for alert in alerts where alert.status.isFiring {
      changeCount = changeCount.incremented
      receivers[index].note(AlertChange(number: changeCount, alert: alert.name, isFiring: true))
    }
  }
}

/// The rule and the subject of an alert, by which it is found again.
private struct AlertIdentity: Hashable {
  let rule: AlertRule
  let subject: String

  init(_ alert: Alert) { (rule, subject) = (alert.rule, alert.subject) }
}
