import Foundation
import Millrace

/// The interactor: samples the machine, probes endpoints, reads rules, and tells webhooks of alerts.
///
/// It holds gateways and a stopwatch; all that it knows stands in ``PulseState``. How its actions meet others and time
/// stands in ``plan(for:state:)``.
struct PulseMonitor: Interactor {
  /// The requests to the monitor.
  enum Action: Codable, Sendable, Equatable {
    /// Continue the state of an earlier process with this configuration, at this time on the wall.
    case start(Configuration, at: Date)
    /// One sample of this machine.
    case sample
    /// One probe of an endpoint.
    case probe(Endpoint)
    /// The rules that there are now, and the targets and webhooks if a file has them.
    case readRules
    /// Post a notice to a webhook once, with this key, if it is owed the notice.
    case notify(Webhook, Notice, idempotencyKey: String)
    /// Show a failure of the recording.
    case showRecordingFailure(reason: String)
  }

  let machine: any MachineGateway
  let endpoints: any EndpointGateway
  let webhooks: any WebhookGateway
  /// Nil where there is no configuration but that of the start.
  let rules: (any RulesGateway)?
  /// Counts the time since the start of the process, or since the opening of the store of one of many targets.
  private(set) var stopwatch: Stopwatch
  var limits = Limits()
  private var asked = AskedEndpoints()

  init(
    machine: any MachineGateway, endpoints: any EndpointGateway, webhooks: any WebhookGateway,
    rules: (any RulesGateway)?, stopwatch: Stopwatch, limits: Limits = Limits()
  ) {
    (self.machine, self.endpoints, self.webhooks, self.rules) = (machine, endpoints, webhooks, rules)
    (self.stopwatch, self.limits) = (stopwatch, limits)
  }

  /// The monitor of a store that is opened now, which counts its times from now and has asked nothing.
  func begun(on clock: any Clock<Duration>) -> PulseMonitor {
    var monitor = self
    (monitor.stopwatch, monitor.asked) = (Stopwatch(clock), AskedEndpoints())
    return monitor
  }

  static func reduce(into state: inout PulseState, mutation: PulseMutation) {
    state.apply(mutation)
  }

  /// Marks what begins, and does at once what needs no gateway.
  func decide(_ action: Action, state: PulseState) -> Decision<PulseMutation> {
    switch action {
    case .start(let configuration, let date): .mutate(.started(configuration, at: date))
    case .sample: .handle
    case .probe(let endpoint): .mutate(.probing(endpoint), thenHandle: true)
    case .readRules: rules == nil ? .reject(NoRulesFile()) : .handle
    case .notify(let webhook, let notice, let key):
      state.owing(notice.change, to: webhook) == nil
        ? .ignore : .mutate(.notifying(webhook, notice, idempotencyKey: key), thenHandle: true)
    case .showRecordingFailure(let reason): .mutate(.recordingFailed(reason: reason))
    }
  }

  func handle(_ action: Action, state: PulseState) async -> Effect<Self> {
    switch action {
    case .sample: sample(isFirst: state.machine.reading == nil)
    case .probe(let endpoint): probe(endpoint, state)
    case .readRules: readRules()
    case .notify(let webhook, let notice, let key): notify(webhook, of: notice, key)
    case .start, .showRecordingFailure: .none
    }
  }

  /// Ends what was marked as begun: a failure is shown with its reason, a probe that was cancelled leaves no trace.
  func closing(_ action: Action, outcome: Outcome) -> PulseMutation? {
    switch action {
    case .sample:
      reason(of: outcome, limit: limits.reading).map { .sampleFailed(reason: $0) }
    case .probe(let endpoint):
      if asked.end(endpoint), let reason = reason(of: outcome, limit: limits.probe(of: endpoint)) {
        .probed(endpoint, .down(reason: reason, status: outcome.status), at: stopwatch.elapsed)
      } else {
        .probeEnded(endpoint)
      }
    case .readRules:
      rulesFailure(outcome).map { .rulesKept(reason: $0) }
    case .notify(let webhook, let notice, _):
      .notifyFailed(
        webhook, notice.change,
        reason: reason(of: outcome, limit: limits.notice(to: webhook)) ?? "cut by the end of pulse",
        mayHaveArrived: outcome.mayHaveArrived)
    case .start, .showRecordingFailure:
      nil
    }
  }

  /// The reason for which the configuration was not replaced, as a sentence; nil when it was, or when the reason is outdated.
  func rulesFailure(_ outcome: Outcome) -> String? {
    let keeps = "pulse keeps the \(rules?.content ?? "rules") it has:"
    return switch outcome {
    case .rejected(.decided(let error)): "\(error)"
    case .failed(let error): "\(keeps) \(error)"
    case .timedOut: "\(keeps) their files were not read within \(Units.seconds(limits.rules)); send SIGHUP again."
    case .finished, .cancelled, .superseded, .rejected, .shutDown, .abandoned, .leftOpen: nil
    }
  }

  /// The failure of a gateway; nil for outcomes that are not its fault.
  private func reason(of outcome: Outcome, limit: Duration) -> String? {
    switch outcome {
    case .failed(let error): "\(error)"
    case .timedOut: "no answer within \(Units.seconds(limit))"
    case .finished, .cancelled, .superseded, .rejected, .shutDown, .abandoned, .leftOpen: nil
    }
  }
}

extension Outcome {
  /// The status of the answer by HTTP that an action has failed with.
  fileprivate var status: Int? {
    if case .failed(let error as GatewayFailure) = self { error.status } else { nil }
  }

  /// Whether a request may have arrived that an action has sent; without the word of its gateway it may have.
  fileprivate var mayHaveArrived: Bool {
    if case .failed(let error as GatewayFailure) = self { error.mayHaveArrived } else { true }
  }
}

// MARK: - What takes time

extension PulseMonitor {
  /// Reads the counters; a single reading says nothing about the processors, so that the first is followed by a second.
  private func sample(isFirst: Bool) -> Effect<Self> {
    Effect { run in
      if isFirst {
        run.emit(.read(try await machine.read(), at: stopwatch.elapsed))
        try await run.clock.sleep(for: limits.firstSample)
      }
      run.emit(.read(try await machine.read(), at: stopwatch.elapsed))
    }
  }

  /// Probes an endpoint.
  ///
  /// A failure that another attempt may mend is an error out of the effect, which the plan has tried again, and which
  /// ``closing(_:outcome:)`` shows after the last attempt; any other one is a result like any other.
  private func probe(_ endpoint: Endpoint, _ state: PulseState) -> Effect<Self> {
    let watchesCertificate = state.watchesCertificate(of: endpoint)
    let readsCertificate = watchesCertificate && state.isCertificateDue(of: endpoint, at: stopwatch.elapsed)
    return Effect { run in
      asked.begin(endpoint)
      let start = stopwatch.elapsed
      let result: Target.Result
      let certificate: CertificateReading?
      do {
        let answer = try await endpoints.probe(endpoint, readsCertificate: readsCertificate)
        result = .up(latency: stopwatch.elapsed - start, status: answer.status)
        certificate = answer.certificate
      } catch let failure as GatewayFailure where failure.isLasting {
        result = .down(reason: failure.description, status: failure.status)
        certificate = failure.certificate
      }
      let end = stopwatch.elapsed
      if watchesCertificate, let certificate { run.emit(.certificateRead(endpoint, certificate, at: end)) }
      run.emit(.probed(endpoint, result, at: end))
      asked.end(endpoint)
    }
  }

  private func notify(_ webhook: Webhook, of notice: Notice, _ idempotencyKey: String) -> Effect<Self> {
    Effect { run in
      try await webhooks.post(notice, to: webhook, idempotencyKey: idempotencyKey)
      run.emit(.notified(webhook, notice.change))
    }
  }

  private func readRules() -> Effect<Self> {
    Effect { run in
      guard let rules else { return }
      switch try await rules.read() {
      case .rules(let rules): run.emit(.rulesRead(rules))
      case .all(let configuration): run.emit(.configured(configuration))
      }
    }
  }
}

/// There is no rules file that could be read again.
struct NoRulesFile: Error, CustomStringConvertible {
  let description = "pulse has no file to read again; start it with --rules FILE or --targets FILE."
}
