extension PulseState {
  /// Applies one mutation; all times and all measurements come with it.
  mutating func apply(_ mutation: PulseMutation) {
    switch mutation {
    case .sampling:
      machine.isSampling = true
    case .read(let reading, let time):
      elapsed = max(elapsed, time)
      take(reading, at: time)
    case .sampled:
      machine.isSampling = false
    case .sampleFailed(let reason):
      machine.isSampling = false
      machine.failure = reason
    case .probing(let endpoint):
      withTarget(endpoint) { $0.isProbing = true }
    case .probed(let endpoint, let result, let time):
      elapsed = max(elapsed, time)
      settle(endpoint, result, at: time)
    case .probeEnded(let endpoint):
      withTarget(endpoint) { $0.isProbing = false }
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
    for index in alerts.indices {
      guard case .metric(let metric, let comparison, let threshold) = alerts[index].rule.condition,
        let number = sample[metric]
      else { continue }
      alerts[index].observe(isMet: comparison.holds(number, threshold), at: time)
    }
  }

  /// Takes the result of a probe, and shows it to the rules.
  private mutating func settle(_ endpoint: Endpoint, _ result: Target.Result, at time: Duration) {
    withTarget(endpoint) { target in
      target.isProbing = false
      target.result = result
      if case .up(let latency) = result {
        target.latencies.append(latency / .seconds(1))
      }
    }
    for index in alerts.indices where alerts[index].subject == endpoint.name {
      alerts[index].observe(isMet: result.isDown, at: time)
    }
  }

  /// Changes the target of an endpoint, which joins the others when it is new, with alerts of its own.
  private mutating func withTarget(_ endpoint: Endpoint, _ change: (inout Target) -> Void) {
    if let index = targets.firstIndex(where: { $0.endpoint == endpoint }) {
      return change(&targets[index])
    }
    var target = Target(endpoint: endpoint, latencies: Series(capacity: historyLimit))
    change(&target)
    targets.append(target)
    for rule in rules {
      guard case .targetDown(let name) = rule.condition, name == nil || name == endpoint.name else { continue }
      alerts.append(Alert(rule: rule, subject: endpoint.name))
    }
  }
}
