import Millrace

/// One line of text a state: the time, the machine, each target, and the alerts that are not ok.
struct LinePresentation: Presentation {
  func text(_ snapshot: Snapshot<PulseState>) -> String {
    let state = snapshot.state
    let parts =
      [machine(state.machine)] + state.targets.map(target) + state.alerts.compactMap(alert)
      + state.receivers.compactMap(receiver)
    return Printable.text(parts.joined(separator: " | "), isASCII: false) + "\n"
  }

  private func machine(_ machine: Machine) -> String {
    var words: [String] = []
    if let sample = machine.sample {
      words.append(Units.time(sample.time))
      words += Metric.allCases.map { "\($0.rawValue) \(Units.metric($0, sample[$0]))" }
      words.append("machine up \(Units.age(sample.uptime))")
    }
    if let failure = machine.failure {
      words.append("machine unreadable: \(failure)")
    }
    return words.isEmpty ? "no sample yet" : words.joined(separator: "  ")
  }

  private func target(_ target: Target) -> String {
    let result =
      switch target.result {
      case .up(let latency, _): "up \(Units.latency(latency))"
      case .down(let reason, _): "down: \(reason)"
      case nil: target.isProbing ? "" : "unknown"
      }
    guard target.isProbing else { return "\(target.endpoint.name) \(result)" }
    return "\(target.endpoint.name) probing" + (result.isEmpty ? "" : ", was \(result)")
  }

  private func alert(_ alert: Alert) -> String? {
    guard alert.status != .ok else { return nil }
    return "\(alert.status.word): \(alert.rule.text)" + (alert.rule.namesSubject ? "" : " (\(alert.subject))")
  }

  /// A webhook that was never notified of anything is not worth a word.
  private func receiver(_ receiver: Receiver) -> String? {
    receiver.isUntouched ? nil : "webhook \(receiver.webhook.name) \(receiver.words)"
  }
}
