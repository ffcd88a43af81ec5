import Foundation
import Millrace
import MillraceRecording

/// Records the service to a file, for `pulse recording`; the secrets in the URLs of webhooks and endpoints are left out.
typealias PulseRecorder = FileRecorder<PulseMonitor.Action, PulseMutation, PulseState>

/// What is left out of a recording.
typealias PulseRedaction = Redaction<PulseMonitor.Action, PulseMutation, PulseState>

extension PulseRecorder {
  /// Begins to record a service with this plan; it commits so seldom that a state every 16 commits costs nothing.
  convenience init(_ plan: MonitoringService.Plan, to url: URL, clock: any Clock<Duration>) {
    self.init(
      initial: plan.initialState, to: url, checkpoint: 16, redaction: .hiding(plan.webhooks, plan.endpoints),
      clock: clock)
  }
}

extension PulseRedaction {
  /// Leaves out what may be secret in the URLs of these webhooks and endpoints.
  static func hiding(_ webhooks: [Webhook], _ endpoints: [Endpoint]) -> PulseRedaction {
    let secrets = PulseSecrets(webhooks: webhooks, endpoints: endpoints)
    return PulseRedaction(
      action: { action in
        switch action {
        case .probe(let endpoint): .probe(secrets.hide(endpoint))
        case .notify(let webhook, let notice): .notify(secrets.hide(webhook), secrets.hide(notice))
        case .skip(let webhook, let reason): .skip(secrets.hide(webhook), reason: reason)
        case .sample, .readRules, .collect: action
        }
      },
      mutation: { mutation in
        switch mutation {
        case .probing(let endpoint): .probing(secrets.hide(endpoint))
        case .probed(let endpoint, let result, let time): .probed(secrets.hide(endpoint), result, at: time)
        case .probeEnded(let endpoint): .probeEnded(secrets.hide(endpoint))
        case .rulesRead(let rules): .rulesRead(rules.map { secrets.hide($0) })
        case .rulesKept(let reason): .rulesKept(reason: secrets.hide(reason: reason))
        case .notifying(let webhook): .notifying(secrets.hide(webhook))
        case .notified(let webhook): .notified(secrets.hide(webhook))
        case .notifyFailed(let webhook, let reason): .notifyFailed(secrets.hide(webhook), reason: reason)
        case .notifySkipped(let webhook, let reason): .notifySkipped(secrets.hide(webhook), reason: reason)
        case .read, .sampleFailed, .changesCollected: mutation
        }
      },
      state: { secrets.hide($0) },
      request: { _, request in
        switch request {
        case let endpoint as Endpoint: secrets.hide(endpoint)
        case let post as WebhookPost: secrets.hide(post)
        default: request
        }
      },
      reply: { _, reply in
        (reply as? [AlertRule]).map { rules in rules.map { secrets.hide($0) } } ?? reply
      })
  }
}
