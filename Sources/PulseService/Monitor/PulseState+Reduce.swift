import Foundation

extension PulseState {
  /// Applies one mutation; all times and all measurements come with it.
  mutating func apply(_ mutation: PulseMutation) {
    switch mutation {
    case .started(let configuration, let date):
      start(configuration, at: date)
    case .read(let reading, let time):
      let time = origin + time
      elapsed = max(elapsed, time)
      zero = reading.time - time / .seconds(1)
      take(reading, at: time)
    case .sampleFailed(let reason):
      machine.failure = reason
    case .probing(let endpoint):
      withTarget(endpoint) { $0.isProbing = true }
    case .probed(let endpoint, let result, let time):
      let time = origin + time
      elapsed = max(elapsed, time)
      settle(endpoint, result, at: time)
    case .probeEnded(let endpoint):
      withTarget(endpoint) { $0.isProbing = false }
    case .rulesRead(let rules):
      replaceRules(by: rules)
      rulesFailure = nil
    case .rulesKept(let reason):
      rulesFailure = reason
    case .recordingFailed(let reason):
      recordingFailure = reason
    case .notifying(let webhook, let number):
      withReceiver(webhook) { $0.begin(number) }
      dropChanges()
    case .notified(let webhook):
      withReceiver(webhook) { $0.deliver() }
    case .notifyFailed(let webhook, let reason):
      withReceiver(webhook) { $0.fail(reason) }
    case .notifySkipped(let webhook, let number, let reason):
      withReceiver(webhook) { $0.skip(number, reason) }
      dropChanges()
    }
  }

  /// Makes a sample of this reading and the one before, and shows it to the rules.
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

  /// Changes the target of an endpoint, which joins the others when it is new, with alerts of its own.
  private mutating func withTarget(_ endpoint: Endpoint, _ change: (inout Target) -> Void) {
    if let index = targets.firstIndex(where: { $0.endpoint == endpoint }) {
      return change(&targets[index])
    }
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
