/// Everything the service knows at one instant.
struct PulseState: Codable, Sendable, Equatable {
  /// How many numbers each series keeps.
  let historyLimit: Int
  /// The rules; those about targets give each target an alert of its own.
  var rules: [AlertRule]
  /// Why the rules were not replaced when that was asked for last; nil when they were.
  var rulesFailure: String?
  /// Why the recording has ended, or goes on elsewhere; nil as long as neither has happened.
  var recordingFailure: String?
  /// When the newest observation was made, counted from the start of the service.
  var elapsed: Duration = .zero
  var machine = Machine()
  /// The history of each number of this machine.
  var series: [Metric: Series]
  /// The targets in the order in which they were first probed.
  var targets: [Target] = []
  var alerts: [Alert] = []
  /// The webhooks that are told of alerts.
  var receivers: [Receiver]
  /// The changes of alerts that nobody has collected for the webhooks yet; none where there is no webhook.
  var changes: [AlertChange] = []
  /// How many changes of alerts there were.
  var changeCount = 0

  /// The state before the first action.
  init(rules: [AlertRule] = [], webhooks: [Webhook] = [], historyLimit: Int = 120) {
    let historyLimit = max(1, historyLimit)
    self.historyLimit = historyLimit
    self.rules = []
    receivers = webhooks.map { Receiver(webhook: $0) }
    series = Dictionary(uniqueKeysWithValues: Metric.allCases.map { ($0, Series(capacity: historyLimit)) })
    replaceRules(by: rules)
  }

  /// The target of an endpoint, once it was probed.
  func target(_ endpoint: Endpoint) -> Target? {
    targets.first { $0.endpoint == endpoint }
  }
}
