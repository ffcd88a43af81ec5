import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("Notifier", .timeLimit(.minutes(1)))
struct NotifierTests {
  private let clock = RecordedClock()
  private let webhooks = FakeWebhookGateway()
  private let endpoints = FakeEndpointGateway()

  /// A store whose targets are down, up, down, up, and so on, for `probes` probes.
  private func store(probes: Int, webhooks: [Webhook] = [.chat]) throws -> Store<PulseMonitor> {
    for number in 1...probes {
      if number.isMultiple(of: 2) {
        endpoints.probes.reply()
      } else {
        endpoints.probes.fail(GatewayFailure.lasting("no"))
      }
    }
    return Store(
      initial: PulseState(rules: [try AlertRule("target down")], webhooks: webhooks),
      interactor: PulseMonitor.fake(endpoints: endpoints, webhooks: self.webhooks, clock: clock),
      configuration: .fake(clock))
  }

  private func started(_ store: Store<PulseMonitor>) -> (Notifier, Task<Void, Never>) {
    let notifier = Notifier(store: store, clock: clock, now: { Date(timeIntervalSince1970: 1_700_000_000) })
    return (notifier, Task { await notifier.run() })
  }

  private func finish(_ store: Store<PulseMonitor>, _ running: Task<Void, Never>) async {
    await store.shutdown()
    await running.value
    await webhooks.finish()
    await endpoints.finish()
  }

  @Test("Each webhook is notified of each change once and in order, also of one from before")
  func changes() async throws {
    webhooks.posts.reply(times: 8)
    let store = try store(probes: 4, webhooks: [.chat, .pager])
    _ = await store.send(.probe(.web)).outcome
    #expect(await store.state.owedNotices.map(\.change.number) == [1, 1])
    let (_, running) = started(store)
    try await store.wait { $0.receivers.allSatisfy { $0.delivered == 1 } }
    for count in 2...4 {
      _ = await store.send(.probe(.web)).outcome
      try await store.wait { $0.owedNotices.isEmpty && $0.receivers.allSatisfy { $0.delivered == count } }
    }
    await finish(store, running)
    for webhook in [Webhook.chat, .pager] {
      let notices = webhooks.posts.requests.filter { $0.webhook == webhook }.map(\.notice)
      #expect(notices.map(\.change.number) == [1, 2, 3, 4])
      #expect(notices.map(\.change.isFiring) == [true, false, true, false])
      #expect(notices.map(\.change.value) == [0, 1, 0, 1])
      #expect(notices.map(\.change.reason) == ["no", nil, "no", nil])
      #expect(notices.allSatisfy { $0.time == Date(timeIntervalSince1970: 1_700_000_000) })
    }
    #expect(Set(webhooks.posts.requests.map(\.idempotencyKey)).count == 8)
  }

  /// A notice was given up after four attempts, that is after three and a half seconds.
  @Test("A webhook is notified of an alert that fires however long it was away, after rests that grow up to a minute")
  func away() async throws {
    webhooks.posts.fail(GatewayFailure("connection refused"), times: 10)
    webhooks.posts.reply()
    let store = try store(probes: 1)
    let (_, running) = started(store)
    _ = await store.send(.probe(.web)).outcome
    // The rests are 0.5, 1, 2, 4, 8, 16, 32 s, and then 60 s each.
    for alarm in [500, 1_500, 3_500, 7_500, 15_500, 31_500, 63_500, 123_500, 183_500, 243_500] {
      try await clock.advance(toAlarmAt: .milliseconds(alarm))
    }
    let state = try await store.wait { $0.receivers[0].delivered == 1 }
    #expect(state.owedNotices.isEmpty)
    #expect(state.receivers[0].words == "1 delivered, 10 failed: connection refused")
    await finish(store, running)
    #expect(Set(webhooks.posts.requests.map(\.idempotencyKey)).count == 1)
    #expect(Set(webhooks.posts.requests.map(\.notice.time)).count == 1)
  }

  @Test("A webhook hears nothing of an alert that has ended while it was away", arguments: [false, true])
  func ended(mayHaveArrived: Bool) async throws {
    webhooks.posts.fail(mayHaveArrived ? .unanswered : GatewayFailure("connection refused"))
    if mayHaveArrived { webhooks.posts.reply() }
    let store = try store(probes: 2)
    let (_, running) = started(store)
    _ = await store.send(.probe(.web)).outcome
    try await clock.waitForAlarm(at: .milliseconds(500))
    _ = await store.send(.probe(.web)).outcome
    // But of its end, if the beginning may have arrived.
    try await store.wait { $0.owedNotices.isEmpty && $0.receivers[0].delivered == (mayHaveArrived ? 1 : 0) }
    await finish(store, running)
    #expect(webhooks.posts.requests.map(\.notice.change.isFiring) == (mayHaveArrived ? [true, false] : [true]))
  }

  @Test("A failure that lasts is tried again after a minute: it may be a proxy that speaks for a webhook that is away")
  func lasting() async throws {
    webhooks.posts.fail(GatewayFailure.status(404))
    webhooks.posts.reply()
    let store = try store(probes: 1)
    let (_, running) = started(store)
    _ = await store.send(.probe(.web)).outcome
    try await clock.advance(toAlarmAt: .seconds(60))
    try await store.wait { $0.receivers[0].delivered == 1 }
    await finish(store, running)
  }

  @Test(
    "A webhook that asks to be left alone gets no notice until then, nor longer than an hour, and others do",
    arguments: [(90, 90), (36_000, 3_600)])
  func retryAfter(asked: Int, rest: Int) async throws {
    let chat = webhooks.posts.when { $0.webhook == .chat }
    chat.fail(GatewayFailure.status(429, retryAfter: .seconds(asked)))
    chat.reply()
    webhooks.posts.when { $0.webhook == .pager }.reply(times: 3)
    let store = try store(probes: 3, webhooks: [.chat, .pager])
    let (notifier, running) = started(store)
    _ = await store.send(.probe(.web)).outcome
    try await clock.advance(toAlarmAt: .milliseconds(500))
    try await clock.waitForAlarm(at: .seconds(rest))
    // The end of the alert, and another one.
    for (probe, endpoint) in [Endpoint.web, .database].enumerated() {
      try await store.wait { $0.receivers[1].delivered == probe + 1 }
      _ = await store.send(.probe(endpoint)).outcome
    }
    try await store.wait { $0.receivers[1].delivered == 3 }
    await notifier.postLast()
    #expect(webhooks.posts.requests.filter { $0.webhook == .chat }.count == 1)
    try await clock.advance(toAlarmAt: .seconds(rest))
    try await store.wait { $0.receivers[0].delivered == 1 }
    await finish(store, running)
    #expect(webhooks.posts.requests.filter { $0.webhook == .chat }.map(\.notice.change.number) == [1, 3])
  }

  @Test("A reminder is a notice of its own, and is posted until it is taken as the first one is")
  func reminder() async throws {
    webhooks.posts.reply()
    webhooks.posts.fail(GatewayFailure("connection refused"))
    webhooks.posts.reply()
    endpoints.probes.fail(GatewayFailure.lasting("no"), times: 3)
    let store = Store(
      initial: PulseState(rules: [try AlertRule("target down remind every 2 s")], webhooks: [.chat]),
      interactor: PulseMonitor.fake(endpoints: endpoints, webhooks: webhooks, clock: clock),
      configuration: .fake(clock))
    let (_, running) = started(store)
    // In less than the time limit of a post, because the first one may not have ended when the state says that it has arrived.
    for (seconds, changes) in [(0, 1), (1, 1), (1, 2)] {
      clock.advance(by: .seconds(seconds))
      _ = await store.send(.probe(.web)).outcome
      #expect(await store.state.changeCount == changes)
      if seconds == 0 { try await store.wait { $0.receivers[0].delivered == 1 } }
    }
    try await clock.advance(toAlarmAt: .milliseconds(2_500))
    try await store.wait { $0.receivers[0].delivered == 2 }
    await finish(store, running)
    #expect(webhooks.posts.requests.map(\.notice.change.isFiring) == [true, true, true])
    let keys = webhooks.posts.requests.map(\.idempotencyKey)
    #expect(keys[0] != keys[1] && keys[1] == keys[2])
  }

  @Test("At the end each notice that rests is tried once more")
  func last() async throws {
    webhooks.posts.fail(GatewayFailure("connection refused"))
    webhooks.posts.reply()
    let store = try store(probes: 1)
    let (notifier, running) = started(store)
    _ = await store.send(.probe(.web)).outcome
    try await clock.waitForAlarm(at: .milliseconds(500))
    running.cancel()
    await running.value
    await notifier.postLast()
    #expect(await store.shutdown(drainFor: .seconds(5)).isClean)
    #expect(await store.state.receivers.map(\.words) == ["1 delivered, 1 failed: connection refused"])
    await finish(store, running)
  }
}
