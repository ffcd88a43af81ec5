import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The webhooks on the network: each notice is one POST of a JSON object.
struct LiveWebhookGateway: WebhookGateway {
  /// The name of this machine, which tells the notices of several machines apart.
  let host: String
  private let transfer = HTTPTransfer()

  init(host: String) {
    self.host = host
  }

  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
    var request = URLRequest(url: webhook.url)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue(idempotencyKey, forHTTPHeaderField: "Idempotency-Key")
    request.httpBody = NoticeDocument(notice, host: host).data
    let answer = try await transfer.answer(to: request)
    guard answer.status < 400 else { throw GatewayFailure.status(answer.status) }
    // A redirection makes a GET of a POST, whose answer says nothing of the notice.
    guard (200..<300).contains(answer.status), answer.url == webhook.url else {
      throw GatewayFailure.lasting("redirected; name the URL it leads to")
    }
  }
}
