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
  /// A probe of the endpoint was given up without a result.
  case probeEnded(Endpoint)

  /// These are the rules from now on.
  case rulesRead([AlertRule])
  /// The rules stay what they are, for this reason.
  case rulesKept(reason: String)

  /// The recording has ended, or continues elsewhere, for this reason.
  case recordingFailed(reason: String)

  /// A notice of the change of this number is being posted to the webhook.
  case notifying(Webhook, change: Int)
  /// The webhook has taken the notice that was being posted.
  case notified(Webhook)
  /// The webhook has not taken the notice that was being posted.
  case notifyFailed(Webhook, reason: String)
  /// A notice of the change of this number was given up before it was posted to the webhook.
  case notifySkipped(Webhook, change: Int, reason: String)
}
