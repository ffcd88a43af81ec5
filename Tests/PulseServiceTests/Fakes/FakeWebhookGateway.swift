import MillraceTesting

@testable import PulseService

/// Webhooks whose answers are scripted.
struct FakeWebhookGateway: WebhookGateway, FakeGateway {
  struct Post: Sendable, Equatable {
    let notice: Notice
    let webhook: Webhook
    let idempotencyKey: String
  }

  /// Each attempt.
  let posts: FakeCall<Post, Void>

  init(file: StaticString = #filePath, line: UInt = #line) {
    posts = FakeCall("post", file: file, line: line)
  }

  /// Webhooks that take all that they are told.
  static func willing() -> FakeWebhookGateway {
    let gateway = FakeWebhookGateway()
    gateway.posts.always()
    return gateway
  }

  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
    try await posts(Post(notice: notice, webhook: webhook, idempotencyKey: idempotencyKey))
  }
}

extension Webhook {
  /// Webhooks that the fakes are asked for.
  static let chat = try! Webhook("https://chat.test/secret")
  static let pager = try! Webhook("https://pager.test")
}

extension GatewayFailure {
  /// A request that was sent, and whose answer is missing.
  static let unanswered: GatewayFailure = {
    var failure = GatewayFailure("connection lost")
    failure.mayHaveArrived = true
    return failure
  }()
}
