import Foundation

/// A notice as a webhook gets it; a member without a value is left out.
struct NoticeDocument: Encodable {
  /// The rule as it was written.
  var alert: String
  /// The metric, or the URL of the target, that the rule was applied to.
  var subject: String
  /// `firing` or `resolved`.
  var status: String
  /// The number of the metric; of a target 1 when it is up and 0 when it is down.
  var value: Double?
  /// The reason for which a target is down, or for which an alert ended without an observation.
  var reason: String?
  /// The wall-clock time in UTC.
  var at: String
  /// The name of the machine that pulse runs on.
  var host: String

  init(_ notice: Notice, host: String) {
    alert = notice.change.alert.rule
    subject = notice.change.alert.subject
    status = notice.change.isFiring ? "firing" : "resolved"
    value = notice.change.value.map { ($0 * 100).rounded() / 100 }
    reason = notice.change.reason
    at = Units.time(notice.time)
    self.host = host
  }

  /// The object as JSON.
  var data: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("A number that is not finite is all an encoder refuses, and gateways let none of them in.")
    }
    return data
  }
}
