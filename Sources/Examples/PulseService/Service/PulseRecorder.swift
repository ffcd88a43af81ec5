import Foundation
import Millrace
import MillraceRecording

/// Records the service to a file, for `pulse recording`; the secrets in the URLs of webhooks and endpoints are left out.
typealias PulseRecorder = FileRecorder<PulseMonitor>

/// The redaction of a recording of pulse.
typealias PulseRedaction = Redaction<PulseMonitor>

extension PulseRecorder {
  /// Begins to record a service with this plan; it commits so seldom that a state every 16 commits costs nothing.
  convenience init(
    _ plan: MonitoringService.Plan, to url: URL, clock: any Clock<Duration>,
    report: (@Sendable (RecordingError) -> Void)? = nil
  ) {
    self.init(
      initial: plan.initialState, to: url, checkpoint: 16, redaction: .withoutSecrets, clock: clock, report: report)
  }
}

extension PulseRedaction {
  /// Leaves out what may be secret in the URLs of webhooks and endpoints, whose names stay.
  ///
  /// Rules, alerts and notices have names only.
  static let withoutSecrets = PulseRedaction(
    action: { action in
      switch action {
      case .start(let configuration, let date): .start(configuration.redacted, at: date)
      case .probe(let endpoint): .probe(endpoint.redacted)
      case .notify(let webhook, let notice, let key): .notify(webhook.redacted, notice, idempotencyKey: key)
      case .sample, .readRules, .showRecordingFailure: action
      }
    },
    mutation: { mutation in
      switch mutation {
      case .configured(let configuration): .configured(configuration.redacted)
      case .started(let configuration, let date): .started(configuration.redacted, at: date)
      case .probing(let endpoint): .probing(endpoint.redacted)
      case .probed(let endpoint, let result, let time): .probed(endpoint.redacted, result, at: time)
      case .certificateRead(let endpoint, let reading, let time):
        .certificateRead(endpoint.redacted, reading, at: time)
      case .probeEnded(let endpoint): .probeEnded(endpoint.redacted)
      case .notifying(let webhook, let notice, let key): .notifying(webhook.redacted, notice, idempotencyKey: key)
      case .notified(let webhook, let change): .notified(webhook.redacted, change)
      case .notifyFailed(let webhook, let change, let reason, let mayHaveArrived):
        .notifyFailed(webhook.redacted, change, reason: reason, mayHaveArrived: mayHaveArrived)
      case .read, .sampleFailed, .rulesRead, .rulesKept, .recordingFailed: mutation
      }
    },
    state: { state in
      var state = state
      state.endpoints = state.endpoints?.map(\.redacted)
      for index in state.targets.indices { state.targets[index].endpoint = state.targets[index].endpoint.redacted }
      for index in state.receivers.indices { state.receivers[index].webhook = state.receivers[index].webhook.redacted }
      return state
    },
    request: { _, request in
      switch request {
      case let endpoint as Endpoint: endpoint.redacted
      case let post as WebhookPost: WebhookPost(webhook: post.webhook.redacted, notice: post.notice)
      default: request
      }
    },
    reply: { _, reply in (reply as? ConfigurationReading)?.redacted ?? reply },
    error: { _, error in
      // The texts of failed gateways are shown and posted, so they have no secrets. Others may quote a file.
      error is GatewayFailure || error is MachineFailure ? "\(error)" : String(reflecting: type(of: error))
    })
}
