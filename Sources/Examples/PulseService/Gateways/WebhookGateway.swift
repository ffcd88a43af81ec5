import Foundation
import MillraceHTTP

/// The webhooks that can be told of alerts.
protocol WebhookGateway: Sendable {
  /// Returns when the webhook has taken the notice.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Parameter idempotencyKey: the same for each attempt to deliver this notice to this webhook, and for nothing else.
  /// - Throws: ``GatewayFailure``, when the webhook does not take the notice, or when it is not known whether it has.
  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws
}

/// The webhooks on the network: each notice is one POST of a JSON object.
struct LiveWebhookGateway: WebhookGateway {
  /// The name of this machine, which tells the notices of several machines apart.
  private let host: String
  private let transfer: HTTPTransfer

  /// - Parameters:
  ///   - host: The name of this machine.
  ///   - limit: The time after which the look-up of the host is given up, and again the answer, even without a caller.
  ///   - resolver: Looks up the names of hosts.
  ///   - issuers: The issuers of certificates that are trusted; nil trusts the issuers that the system trusts.
  init(host: String, limit: Duration, resolver: Resolver = Resolver(), issuers: TrustedIssuers? = nil) {
    self.host = host
    transfer = HTTPTransfer(limit: limit, resolver: resolver, issuers: issuers)
  }

  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
    let answer = try await transfer.limited(to: webhook.limit).post(
      NoticeDocument(notice, host: host).data, to: webhook.url,
      fields: ["Content-Type: application/json", "Idempotency-Key: \(idempotencyKey)"])
    let status = answer.status
    guard status < 400 else { throw GatewayFailure.status(status, retryAfter: answer.retryAfter) }
    // A redirection makes a GET of a POST, whose answer would say nothing of the notice.
    guard (200..<300).contains(status) else {
      throw GatewayFailure.lasting("redirected; name the URL it leads to")
    }
  }
}

/// A notice as a webhook gets it; a member without a value is left out.
struct NoticeDocument: Encodable {
  /// The rule as it was written.
  var alert: String
  /// The metric, or the URL of the target, that the rule was applied to.
  var subject: String
  /// `firing` or `resolved`.
  var status: String
  /// The compared number: that of a metric, the latency in seconds, the status, the days until a certificate expires, or 1 and 0 for a
  /// target that is up and down.
  var value: Double?
  /// The reason for which a target is down, the time until its certificate expires, or the reason for which an alert ended without an
  /// observation.
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
