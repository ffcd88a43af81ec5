import Foundation
import Millrace
import MillraceRecording

/// Records the service to a file, for `pulse recording`; the secrets in the URLs of webhooks are left out.
typealias PulseRecorder = FileRecorder<PulseMonitor.Action, PulseMutation, PulseState>

/// What is left out of a recording.
typealias PulseRedaction = Redaction<PulseMonitor.Action, PulseMutation, PulseState>

extension PulseRecorder {
  /// Begins to record a service with this plan; it commits so seldom that a state every 16 commits costs nothing.
  convenience init(_ plan: MonitoringService.Plan, to url: URL, clock: any Clock<Duration>) {
    self.init(
      initial: plan.initialState, to: url, checkpoint: 16, redaction: .hiding(plan.webhooks), clock: clock)
  }
}

extension PulseRedaction {
  /// Puts the host of a webhook and its number in place of its URL, whose rest is often its only secret.
  ///
  /// The number keeps two of one host apart, so that a replay counts the notices of each.
  static func hiding(_ webhooks: [Webhook]) -> PulseRedaction {
    let hidden = Dictionary(uniqueKeysWithValues: zip(webhooks, 1...).map { ($0, $0.hidden(number: $1)) })
    // There are no others: what is not known here is not recorded either.
    @Sendable func hide(_ webhook: Webhook) -> Webhook { hidden[webhook] ?? webhook.hidden(number: 0) }
    return PulseRedaction(
      action: { action in
        switch action {
        case .notify(let webhook, let notice): .notify(hide(webhook), notice)
        case .skip(let webhook, let reason): .skip(hide(webhook), reason: reason)
        case .sample, .probe, .readRules, .collect: action
        }
      },
      mutation: { mutation in
        switch mutation {
        case .notifying(let webhook): .notifying(hide(webhook))
        case .notified(let webhook): .notified(hide(webhook))
        case .notifyFailed(let webhook, let reason): .notifyFailed(hide(webhook), reason: reason)
        case .notifySkipped(let webhook, let reason): .notifySkipped(hide(webhook), reason: reason)
        case .read, .sampleFailed, .probing, .probed, .probeEnded, .rulesRead, .rulesKept, .changesCollected: mutation
        }
      },
      state: { state in
        var state = state
        for index in state.receivers.indices {
          state.receivers[index].webhook = hide(state.receivers[index].webhook)
        }
        return state
      },
      request: { _, request in
        (request as? WebhookPost).map { WebhookPost(webhook: hide($0.webhook), notice: $0.notice) } ?? request
      })
  }
}

extension Webhook {
  /// The same host, with a number in place of all that may be a secret.
  fileprivate func hidden(number: Int) -> Webhook {
    let nowhere = Webhook(url: URL(filePath: "/\(number)"))
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return nowhere }
    parts.user = nil
    parts.password = nil
    parts.path = "/\(number)"
    parts.query = nil
    parts.fragment = nil
    return parts.url.map { Webhook(url: $0) } ?? nowhere
  }
}
