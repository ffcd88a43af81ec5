import MillraceTesting

@testable import PulseService

/// Webhooks that record what they are asked for, and do as a script says.
struct FakeWebhookGateway: WebhookGateway {
  struct Post: Sendable, Equatable {
    let notice: Notice
    let webhook: Webhook
    let idempotencyKey: String
  }

  /// Each attempt, before the script is asked.
  let posts = Recorder<Post>()
  private let script: @Sendable (Post) async throws -> Void

  init(_ script: @escaping @Sendable (Post) async throws -> Void = { _ in }) {
    self.script = script
  }

  func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
    let post = Post(notice: notice, webhook: webhook, idempotencyKey: idempotencyKey)
    posts.record(post)
    try await script(post)
  }
}

extension Webhook {
  /// Webhooks that the fakes are asked for.
  static let chat = try! Webhook("https://chat.test/secret")
  static let pager = try! Webhook("https://pager.test")
}
