import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("Notifier", .timeLimit(.minutes(1)))
struct NotifierTests {
  private let clock = RecordedClock()
  private let errors = FakeOutput()

  private func store(_ webhooks: FakeWebhookGateway) throws -> Store<PulseMonitor> {
    let failures = Attempts()
    let endpoints = FakeEndpointGateway { endpoint in
      // Down, up, down, up, and so on.
      if failures.next() % 2 == 1 { throw GatewayFailure.lasting("no") }
    }
    return Store(
      initial: PulseState(rules: [try AlertRule("target down")], webhooks: [.chat, .pager]),
      interactor: PulseMonitor.fake(endpoints: endpoints, webhooks: webhooks, clock: clock), configuration: .fake(clock)
    )
  }

  private func started(_ store: Store<PulseMonitor>) -> Task<Void, Never> {
    let notifier = Notifier(
      store: store, webhooks: [.chat, .pager], complaints: Complaints(output: errors, clock: clock),
      now: { Date(timeIntervalSince1970: 1_700_000_000) })
    return Task { await notifier.run() }
  }

  @Test("Each webhook is told of each change once and in order, also of those from before, and they are kept no longer")
  func changes() async throws {
    let webhooks = FakeWebhookGateway()
    let store = try store(webhooks)
    for _ in 1...3 { _ = await store.send(.probe(.web)).outcome }
    #expect(await store.state.changes.map(\.number) == [1, 2, 3])
    let running = started(store)
    try await store.wait { $0.receivers.allSatisfy { $0.delivered == 3 } }
    _ = await store.send(.probe(.web)).outcome
    try await store.wait { $0.changes.isEmpty && $0.receivers.allSatisfy { $0.delivered == 4 } }
    await store.shutdown()
    await running.value
    #expect(await store.state.changes.isEmpty)
    for webhook in [Webhook.chat, .pager] {
      let notices = webhooks.posts.recorded.filter { $0.webhook == webhook }.map(\.notice)
      #expect(notices.map(\.change.number) == [1, 2, 3, 4])
      #expect(notices.map(\.change.isFiring) == [true, false, true, false])
      #expect(notices.map(\.change.value) == [0, 1, 0, 1])
      #expect(notices.map(\.change.reason) == ["no", nil, "no", nil])
      #expect(notices.allSatisfy { $0.time == Date(timeIntervalSince1970: 1_700_000_000) })
    }
    #expect(Set(webhooks.posts.recorded.map(\.idempotencyKey)).count == 8)
    #expect(errors.texts.recorded.isEmpty)
  }

  @Test("A notice that is given up while it waits is counted with the reason")
  func skipped() async throws {
    let gate = Gate()
    let webhooks = FakeWebhookGateway { post in
      if post.webhook == .chat { await gate.enterIgnoringCancellation() }
    }
    let store = try store(webhooks)
    let running = started(store)
    for _ in 1...2 { _ = await store.send(.probe(.web)).outcome }
    try await store.wait { $0.receivers[0].underWay == 1 && $0.changes.isEmpty }
    try await gate.waitForArrivals(1)
    // Both were sent at the same instant of this clock, and are too old at the same one.
    clock.advance(by: .seconds(60))
    let state = try await store.wait { $0.receivers[0].failed == 2 }
    #expect(state.receivers[0].underWay == 0)
    gate.open()
    await store.shutdown()
    await running.value
    #expect(errors.texts.recorded.isEmpty)
  }

  @Test("A notice that is given up in a store which ends is told on standard error")
  func ending() async throws {
    let gate = Gate()
    let webhooks = FakeWebhookGateway { post in
      if post.notice.change.number > 0 { try await gate.enter() }
      if post.webhook == .chat { throw GatewayFailure("no") }
    }
    let store = try store(webhooks)
    // Four failures: the next one opens the breaker.
    let change = AlertChange(number: 0, alert: .init(rule: "another", subject: "cpu"), isFiring: true)
    let receipt = store.send(.notify(.chat, Notice(change: change, time: .now)))
    for alarm in [500, 1500, 3500] { try await clock.advance(toAlarmAt: .milliseconds(alarm)) }
    #expect(await receipt.outcome.kind == .failed)

    for _ in 1...2 { _ = await store.send(.probe(.web)).outcome }
    let running = started(store)
    try await store.wait { $0.changes.isEmpty }
    // The end of the drain comes before all that the store waits for, so that it shows as an alarm.
    let ending = Task { await store.shutdown(drainFor: .seconds(1)) }
    try await clock.waitForAlarm(at: .milliseconds(4500))
    gate.open()
    #expect(await ending.value.isClean)
    await running.value
    #expect(
      errors.texts.recorded == [
        "pulse has ended without telling https://chat.test/… that 'target down' is resolved: "
          + "left alone after several failures.\n"
      ])
    #expect(await store.state.receivers.map(\.words) == ["2 failed: no", "2 delivered"])
  }
}
