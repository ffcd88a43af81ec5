import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

/// The snippets of docs/testing-with-fake-gateways.md that are about `pulse`, as they stand there.
enum PulseFakesSnippets {
  // snippet.FakeWebhooks
  struct FakeWebhooks: WebhookGateway, FakeGateway {
    struct Post: Equatable {
      let notice: Notice
      let webhook: Webhook
      let idempotencyKey: String
    }

    let posts = FakeCall<Post, Void>("post")

    func post(_ notice: Notice, to webhook: Webhook, idempotencyKey: String) async throws {
      try await posts(Post(notice: notice, webhook: webhook, idempotencyKey: idempotencyKey))
    }
  }
  // snippet.end
}

@Suite("The snippets of docs/testing-with-fake-gateways.md about pulse", .timeLimit(.minutes(1)))
struct PulseFakesSnippetsTests {
  typealias FakeWebhooks = PulseFakesSnippets.FakeWebhooks

  @Test("The attempts at a notice share one key")
  func attempts() async throws {
    let clock = TestClock()
    // snippet.service
    let webhooks = FakeWebhooks()
    webhooks.posts.fail(GatewayFailure.status(503), times: 2)
    let third = webhooks.posts.hold()
    // snippet.end
    let monitor = PulseMonitor(
      machine: FakeMachineGateway(), endpoints: FakeEndpointGateway(), webhooks: webhooks, rules: nil,
      stopwatch: Stopwatch(clock), limits: .init())
    let store = Store(
      initial: PulseState(owing: .fake(1), to: [.chat]), interactor: monitor, configuration: .fake(clock))

    // snippet.service-send
    let notifier = Notifier(store: store, clock: clock, now: { .distantPast })
    let notifying = Task { await notifier.run() }
    try await webhooks.posts.waitForCalls(1)
    try await clock.advance(toNextDeadlineWithin: .seconds(1))
    try await clock.advance(toNextDeadlineWithin: .seconds(1))
    #expect(clock.now.offset == .milliseconds(1500))
    try await third.arrived()
    #expect(await store.state.receivers[0].words == "1 under way, 2 failed: status 503")

    third.release()
    try await store.wait { $0.receivers[0].delivered == 1 }
    #expect(Set(webhooks.posts.requests.map(\.idempotencyKey)).count == 1)
    await webhooks.finish()
    // snippet.end
    await store.shutdown()
    await notifying.value
  }

  @Test("A machine has something else to say at each tick")
  func ticks() async throws {
    let machine = FakeMachineGateway()
    // snippet.service-always
    machine.readings.always(byNumber: { _, number in .fake(busy: UInt64(number) * 10, total: UInt64(number) * 100) })
    // snippet.end
    _ = try await machine.read()
    #expect(try await machine.read().cpu == CPUTicks(busy: 20, total: 200))
    await machine.finish()
  }
}
