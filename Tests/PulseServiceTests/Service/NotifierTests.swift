import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("Notifier", .timeLimit(.minutes(1)))
struct NotifierTests {
  private let clock = RecordedClock()
  private let errors = FakeOutput()
  private let webhooks = FakeWebhookGateway()
  private let endpoints = FakeEndpointGateway()

  /// A store whose target is down, up, down, up, and so on, for `probes` probes.
  private func store(probes: Int) throws -> Store<PulseMonitor> {
    for number in 1...probes {
      if number.isMultiple(of: 2) {
        endpoints.probes.reply()
      } else {
        endpoints.probes.fail(GatewayFailure.lasting("no"))
      }
    }
    return Store(
      initial: PulseState(rules: [try AlertRule("target down")], webhooks: [.chat, .pager]),
      interactor: PulseMonitor.fake(endpoints: endpoints, webhooks: webhooks, clock: clock), configuration: .fake(clock)
    )
  }

  private func finish() async {
    await webhooks.finish()
    await endpoints.finish()
  }

  private func started(_ store: Store<PulseMonitor>) -> (Notifier, Task<Void, Never>) {
    let notifier = Notifier(
      store: store, complaints: Complaints(output: errors, clock: clock),
      now: { Date(timeIntervalSince1970: 1_700_000_000) })
    return (notifier, Task { await notifier.run() })
  }

  @Test("Each webhook is notified of each change once and in order, also of earlier ones, and they are kept no longer")
  func changes() async throws {
    webhooks.posts.reply(times: 8)
    let store = try store(probes: 4)
    for _ in 1...3 { _ = await store.send(.probe(.web)).outcome }
    #expect(await store.state.changes.map(\.number) == [1, 2, 3])
    let (_, running) = started(store)
    try await store.wait { $0.receivers.allSatisfy { $0.delivered == 3 } }
    _ = await store.send(.probe(.web)).outcome
    try await store.wait { $0.changes.isEmpty && $0.receivers.allSatisfy { $0.delivered == 4 } }
    await store.shutdown()
    await running.value
    #expect(await store.state.changes.isEmpty)
    for webhook in [Webhook.chat, .pager] {
      let notices = webhooks.posts.requests.filter { $0.webhook == webhook }.map(\.notice)
      #expect(notices.map(\.change.number) == [1, 2, 3, 4])
      #expect(notices.map(\.change.isFiring) == [true, false, true, false])
      #expect(notices.map(\.change.value) == [0, 1, 0, 1])
      #expect(notices.map(\.change.reason) == ["no", nil, "no", nil])
      #expect(notices.allSatisfy { $0.time == Date(timeIntervalSince1970: 1_700_000_000) })
    }
    #expect(Set(webhooks.posts.requests.map(\.idempotencyKey)).count == 8)
    #expect(errors.texts.recorded.isEmpty)
    await finish()
  }

  @Test("A notice that is given up while it waits is counted with the reason")
  func skipped() async throws {
    let hanging = webhooks.posts.when { $0.webhook == .chat }.hold(ignoringCancellation: true)
    webhooks.posts.when { $0.webhook == .pager }.reply(times: 2)
    let store = try store(probes: 2)
    let (_, running) = started(store)
    for _ in 1...2 { _ = await store.send(.probe(.web)).outcome }
    try await store.wait { $0.receivers[0].underWay == 1 && $0.receivers[0].waiting == [2] }
    try await hanging.arrived()
    // Those of the other one are over, or they were too old as well.
    try await store.wait { $0.receivers[1].delivered == 2 }
    // Both were sent at the same instant of this clock, and are too old at the same one.
    clock.advance(by: .seconds(60))
    let state = try await store.wait { $0.receivers[0].failed == 2 }
    #expect(state.receivers[0].underWay == 0 && state.changes.isEmpty)
    hanging.release()
    await store.shutdown()
    await running.value
    #expect(errors.texts.recorded.isEmpty)
    await finish()
  }

  @Test("A notice that is given up in a store which ends is told on standard error")
  func ending() async throws {
    webhooks.posts.fail(GatewayFailure("no"), times: 4)
    let store = try store(probes: 2)
    // Four failures: the next one opens the breaker.
    let change = AlertChange(number: 0, alert: .init(rule: "another", subject: "cpu"), isFiring: true)
    let receipt = store.send(.notify(.chat, Notice(change: change, time: .now)))
    for alarm in [500, 1500, 3500] { try await clock.advance(toAlarmAt: .milliseconds(alarm)) }
    #expect(await receipt.outcome.kind == .failed)

    let (chat, pager) = (webhooks.posts.when { $0.webhook == .chat }, webhooks.posts.when { $0.webhook == .pager })
    let held = (chat: chat.hold(), pager: pager.hold())
    pager.reply()
    for _ in 1...2 { _ = await store.send(.probe(.web)).outcome }
    let (notifier, running) = started(store)
    await notifier.waitUntilSent(2)
    // The end of the drain comes before all that the store waits for, so that it shows as an alarm.
    let ending = Task { await store.shutdown(drainFor: .seconds(1)) }
    try await clock.waitForAlarm(at: .milliseconds(4500))
    held.chat.fail(GatewayFailure("no"))
    held.pager.release()
    #expect(await ending.value.isClean)
    await running.value
    #expect(
      errors.texts.recorded == [
        "pulse has ended without telling https://chat.test/… that 'target down' is resolved: "
          + "left alone after several failures.\n"
      ])
    #expect(await store.state.receivers.map(\.words) == ["2 failed: no", "2 delivered"])
    await finish()
  }
}
