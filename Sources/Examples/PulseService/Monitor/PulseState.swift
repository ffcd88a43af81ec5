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
  /// The endpoints to watch; nil takes each endpoint that is probed.
  var endpoints: [Endpoint]?
  /// The targets in the order in which they were first probed.
  var targets: [Target] = []
  var alerts: [Alert] = []
  /// The webhooks that get alerts.
  var receivers: [Receiver]
  /// The number of changes of alerts so far.
  var changeCount = 0

  /// The state before the first action.
  init(
    endpoints: [Endpoint]? = nil, rules: [AlertRule] = [], webhooks: [Webhook] = [], historyLimit: Int = 120
  ) {
    let historyLimit = max(1, historyLimit)
    self.historyLimit = historyLimit
    self.rules = []
    receivers = []
    series = Dictionary(uniqueKeysWithValues: Metric.allCases.map { ($0, Series(capacity: historyLimit)) })
    configure(Configuration(endpoints: endpoints ?? [], rules: rules, webhooks: webhooks))
    self.endpoints = endpoints
  }

  /// Whether a target is down or an alert fires.
  var isBad: Bool { targets.contains { $0.result?.isDown == true } || alerts.contains { $0.status.isFiring } }

  /// The target of an endpoint, once it was probed.
  func target(_ endpoint: Endpoint) -> Target? {
    targets.first { $0.endpoint == endpoint }
  }
}

extension PulseState {
  /// Applies one mutation; all times and all measurements come with it.
  mutating func apply(_ mutation: PulseMutation) {
    switch mutation {
    case .started(let configuration, let date):
      start(configuration, at: date)
    case .read(let reading, let time):
      let time = advance(to: time)
      zero = reading.time - time / .seconds(1)
      take(reading, at: time)
    case .sampleFailed(let reason):
      machine.failure = reason
    case .probing(let endpoint):
      withTarget(endpoint) { $0.isProbing = true }
    case .probed(let endpoint, let result, let time):
      settle(endpoint, result, at: advance(to: time))
    case .certificateRead(let endpoint, let certificate, let time):
      note(certificate, of: endpoint, at: advance(to: time))
    case .probeEnded(let endpoint):
      withTarget(endpoint) { $0.isProbing = false }
    case .rulesRead(let rules):
      replaceRules(by: rules)
      rulesFailure = nil
    case .configured(let configuration):
      configure(configuration)
      rulesFailure = nil
    case .rulesKept(let reason):
      rulesFailure = reason
    case .recordingFailed(let reason):
      recordingFailure = reason
    case .notifying(let webhook, let notice, let key):
      withReceiver(webhook) { $0.begin(notice, idempotencyKey: key) }
    case .notified(let webhook, let change):
      withReceiver(webhook) { $0.deliver(change) }
    case .notifyFailed(let webhook, let change, let reason, let mayHaveArrived):
      withReceiver(webhook) { $0.fail(change, reason, mayHaveArrived: mayHaveArrived) }
    }
  }

  /// Notes a time of this process, and returns it as counted from the first start of the service.
  private mutating func advance(to time: Duration) -> Duration {
    elapsed = max(elapsed, origin + time)
    return origin + time
  }

  /// Creates a sample of this reading and the one before, and shows it to the rules.
  private mutating func take(_ reading: MachineReading, at time: Duration) {
    let earlier = machine.reading
    machine.reading = reading
    machine.failure = nil
    guard let earlier else { return }
    let sample = MachineSample(reading, since: earlier, after: machine.sample)
    machine.sample = sample
    for metric in Metric.allCases {
      if let number = sample[metric] {
        series[metric]?.append(number)
      }
    }
    observe(sample, at: time)
  }

  /// Takes the result of a probe, and shows it to the rules.
  private mutating func settle(_ endpoint: Endpoint, _ result: Target.Result, at time: Duration) {
    withTarget(endpoint) { target in
      target.isProbing = false
      target.result = result
      if case .up(let latency, _) = result {
        target.latencies.append(latency / .seconds(1))
      }
    }
    observe(result, of: endpoint, at: time)
  }

  /// Takes a reading of certificates, and shows it to the rules.
  ///
  /// Certificates that have expired are read again by the next probe, because they may have been renewed by then.
  private mutating func note(_ certificate: CertificateReading, of endpoint: Endpoint, at time: Duration) {
    withTarget(endpoint) { $0.certificateRead = certificate == .expires(after: .zero) ? nil : time }
    observe(certificate, of: endpoint, at: time)
  }

  /// Changes the target of an endpoint, which joins the others when it is new, with alerts of its own.
  ///
  /// A probe may end after its target was removed, which does not come back by that.
  private mutating func withTarget(_ endpoint: Endpoint, _ change: (inout Target) -> Void) {
    if let index = targets.firstIndex(where: { $0.endpoint == endpoint }) {
      return change(&targets[index])
    }
    guard endpoints?.contains(endpoint) ?? true else { return }
    var target = Target(endpoint: endpoint, latencies: Series(capacity: historyLimit))
    change(&target)
    targets.append(target)
    addAlerts(for: endpoint)
  }

  private mutating func withReceiver(_ webhook: Webhook, _ change: (inout Receiver) -> Void) {
    guard let index = receivers.firstIndex(where: { $0.webhook == webhook }) else { return }
    change(&receivers[index])
  }
}

extension PulseState {
  /// Continues in a new process, which may be configured otherwise than the one before.
  ///
  /// History, alerts and counts stay as they are, but for what is not configured any more: an alert that is firing ends with its rule
  /// or its target, and a webhook that is gone gets no more notices. A new
  /// webhook is owed a notice of each alert that fires.
  ///
  /// Times continue by the clock on the wall, so that an alert that was firing is as old as it looks to a user. An alert that was pending
  /// has to hold for the rest of its time: nothing was observed while no process ran.
  mutating func start(_ configuration: Configuration, at date: Date) {
    // A clock that was set back tells of no pause.
    let now = zero.map { Duration.seconds(date.timeIntervalSince($0)) } ?? .zero
    let pause = max(.zero, now - elapsed)
    elapsed += pause
    origin = elapsed
    // A process that does not read its machine reads no other time on the wall.
    if zero == nil { zero = date - elapsed / .seconds(1) }
    for index in alerts.indices { alerts[index].status.shift(by: pause) }
    // Counters of the kernel are compared within a process only, for the machine may have started anew.
    machine.reading = nil
    machine.failure = nil
    rulesFailure = nil
    recordingFailure = nil
    configure(configuration)
  }

  /// Takes this configuration in place of the one there is.
  mutating func configure(_ configuration: Configuration) {
    let earlier = Dictionary(receivers.map { ($0.webhook, $0) }, uniquingKeysWith: { first, _ in first })
    receivers = configuration.webhooks.map { webhook in
      var receiver = earlier[webhook] ?? Receiver(webhook: webhook)
      receiver.webhook = webhook
      return receiver
    }
    self.endpoints = configuration.endpoints
    let endpoints = Set(configuration.endpoints)
    targets.removeAll { !endpoints.contains($0.endpoint) }
    replaceRules(by: configuration.rules)
    for index in receivers.indices where earlier[receivers[index].webhook] == nil {
      noteFiringAlerts(at: index)
    }
  }
}
