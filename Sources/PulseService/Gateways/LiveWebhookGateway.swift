/// The webhooks on the network: each notice is one POST of a JSON object.
struct LiveWebhookGateway: WebhookGateway {
  /// The name of this machine, which tells the notices of several machines apart.
  private let host: String
  private let transfer: HTTPTransfer

  /// - Parameters:
  ///   - host: The name of this machine.
  ///   - limit: The time after which an answer is given up, even without a caller.
  ///   - resolver: Looks up the names of hosts.
  init(host: String, limit: Duration, resolver: Resolver = Resolver()) {
    self.host = host
    transfer = HTTPTransfer(limit: limit, resolver: resolver)
  }

  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
    let status = try await transfer.post(
      NoticeDocument(notice, host: host).data, to: webhook.url,
      fields: ["Content-Type: application/json", "Idempotency-Key: \(idempotencyKey)"])
    guard status < 400 else { throw GatewayFailure.status(status) }
    // A redirection makes a GET of a POST, whose answer would say nothing of the notice.
    guard (200..<300).contains(status) else {
      throw GatewayFailure.lasting("redirected; name the URL it leads to")
    }
  }
}
