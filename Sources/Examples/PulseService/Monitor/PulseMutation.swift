import Foundation

/// A fact about this machine, about a target, about the rules, or about a webhook.
///
/// Times are counted from the start of the process.
enum PulseMutation: Codable, Sendable, Equatable {
  /// A process continues the state of the one before, with its own configuration, at this time on the wall.
  case started(Configuration, at: Date)

  /// The counters of the machine were read.
  case read(MachineReading, at: Duration)
  /// The machine could not be read.
  case sampleFailed(reason: String)

  /// A probe of the endpoint is under way.
  case probing(Endpoint)
  /// A probe of the endpoint has ended.
  case probed(Endpoint, Target.Result, at: Duration)
  /// A probe has read the certificates of the endpoint.
  case certificateRead(Endpoint, CertificateReading, at: Duration)
  /// A probe of the endpoint was given up without a result.
  case probeEnded(Endpoint)

  /// These are the rules from now on.
  case rulesRead([AlertRule])
  /// These are the rules, targets and webhooks from now on.
  case configured(Configuration)
  /// The configuration stays what it is, for this reason.
  case rulesKept(reason: String)

  /// The recording has ended, or continues elsewhere, for this reason.
  case recordingFailed(reason: String)

  /// A notice is being posted to the webhook with this key.
  case notifying(Webhook, Notice, idempotencyKey: String)
  /// The webhook has taken the notice of the change that was being posted.
  case notified(Webhook, AlertChange)
  /// The webhook has not taken the notice of the change that was being posted, or has taken it without an answer.
  case notifyFailed(Webhook, AlertChange, reason: String, mayHaveArrived: Bool)
}

/// The subjects to watch, the rules about them, and the webhooks to notify.
struct Configuration: Codable, Sendable, Equatable {
  var endpoints: [Endpoint] = []
  var rules: [AlertRule] = []
  var webhooks: [Webhook] = []

  /// The same configuration without what may be a secret, for a recording.
  var redacted: Configuration {
    Configuration(endpoints: endpoints.map(\.redacted), rules: rules, webhooks: webhooks.map(\.redacted))
  }
}
