import Foundation

/// Everything the service knows at one instant.
struct PulseState: Codable, Sendable, Equatable {
  /// The number of values that each series keeps.
  let historyLimit: Int
  /// The rules; those about targets give each target an alert of its own.
  var rules: [AlertRule]
  /// The reason for which the last request to replace the rules failed; nil when it succeeded.
  var rulesFailure: String?
  /// The reason for which the recording has ended, or continues elsewhere; nil while it lasts.
  var recordingFailure: String?
  /// The time of the newest observation, counted from the first start of the service.
  var elapsed: Duration = .zero
  /// The time of the newest start, from which the times of mutations are counted.
  var origin: Duration = .zero
  /// The time on the wall from which `elapsed` is counted, by the newest reading; nil before the first.
  var zero: Date?
  var machine = Machine()
  /// The history of each number of this machine.
  var series: [Metric: Series]
  /// The targets in the order in which they were first probed.
  var targets: [Target] = []
  var alerts: [Alert] = []
  /// The webhooks that get alerts.
  var receivers: [Receiver]
  /// The changes of alerts that a webhook waits for.
  var changes: [AlertChange] = []
  /// The number of changes of alerts so far.
  var changeCount = 0

  /// The state before the first action.
  init(rules: [AlertRule] = [], webhooks: [Webhook] = [], historyLimit: Int = 120) {
    let historyLimit = max(1, historyLimit)
    self.historyLimit = historyLimit
    self.rules = []
    receivers = []
    series = Dictionary(uniqueKeysWithValues: Metric.allCases.map { ($0, Series(capacity: historyLimit)) })
    configure(Configuration(rules: rules, webhooks: webhooks))
  }

  /// The target of an endpoint, once it was probed.
  func target(_ endpoint: Endpoint) -> Target? {
    targets.first { $0.endpoint == endpoint }
  }

  /// The changes of alerts, each with the webhooks that wait for it.
  var outbox: [Outgoing] {
    changes.map { change in
      Outgoing(change: change, webhooks: receivers.filter { $0.waiting.contains(change.number) }.map(\.webhook))
    }
  }

  /// A change of an alert, and the webhooks that have no notice of it yet.
  struct Outgoing: Sendable, Equatable {
    let change: AlertChange
    let webhooks: [Webhook]
  }
}
