/// A gateway that posts to the configured webhooks alone.
///
/// A notice that was open at a crash may be for a webhook that the next process was not given.
struct ConfiguredWebhooks: WebhookGateway {
  let webhooks: Set<Webhook>
  let gateway: any WebhookGateway

  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
    guard webhooks.contains(webhook) else { throw GatewayFailure.lasting("not notified any more") }
    try await gateway.post(notice, to: webhook, idempotencyKey: idempotencyKey)
  }
}
