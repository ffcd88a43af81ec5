/// The webhooks that can be told of alerts.
protocol WebhookGateway: Sendable {
  /// Returns when the webhook has taken the notice.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Parameter idempotencyKey: the same for each attempt to deliver this notice to this webhook, and for nothing else.
  /// - Throws: ``GatewayFailure``, when the webhook does not take the notice.
  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws
}
