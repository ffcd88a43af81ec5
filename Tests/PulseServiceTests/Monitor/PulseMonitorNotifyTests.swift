import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, telling webhooks", .timeLimit(.minutes(1)))
struct PulseMonitorNotifyTests {
  private let clock = RecordedClock()

  private func store(_ webhooks: FakeWebhookGateway) -> Store<PulseMonitor> {
    Store(
      initial: PulseState(webhooks: [.chat, .pager]), interactor: PulseMonitor.fake(webhooks: webhooks, clock: clock),
      configuration: .fake(clock))
  }

  private func notice(_ number: Int, of rule: String = "load > 9") -> Notice {
    Notice(
      change: AlertChange(number: number, alert: .init(rule: rule, subject: "load"), isFiring: number % 2 == 1),
      time: Date(timeIntervalSince1970: 0))
  }

  private func receiver(_ store: Store<PulseMonitor>) async -> Receiver {
    await store.state.receivers[0]
  }

  @Test("A notice is under way at once, and delivered when the webhook has taken it")
  func delivered() async throws {
    let gate = Gate()
    let store = store(FakeWebhookGateway { _ in try await gate.enter() })
    let receipt = store.send(.notify(.chat, notice(1)))
    #expect(await receiver(store).words == "1 under way")
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await receiver(store).words == "1 delivered")
    #expect(await store.state.receivers[1].isUntouched)
  }

  @Test("The attempts at a notice share one idempotency key, which no other notice has, and rest longer each time")
  func attempts() async throws {
    let webhooks = FakeWebhookGateway { _ in throw GatewayFailure.status(503) }
    let store = store(webhooks)
    let receipt = store.send(.notify(.chat, notice(1)))
    for alarm in [500, 1500, 3500] { try await clock.advance(toAlarmAt: .milliseconds(alarm)) }
    #expect(await receipt.outcome.kind == .failed)
    #expect(await receiver(store).words == "1 failed: status 503")

    _ = store.send(.notify(.chat, notice(2)))
    let posts = try await webhooks.posts.next(5)
    #expect(posts.map(\.notice.change.number) == [1, 1, 1, 1, 2])
    #expect(Set(posts.prefix(4).map(\.idempotencyKey)).count == 1)
    #expect(posts[4].idempotencyKey != posts[0].idempotencyKey)
  }

  @Test("A notice that a webhook refuses is not tried again")
  func refused() async throws {
    let webhooks = FakeWebhookGateway { _ in throw GatewayFailure.status(400) }
    let store = store(webhooks)
    #expect(await store.send(.notify(.chat, notice(1))).outcome.kind == .finished)
    #expect(await receiver(store).words == "1 failed: status 400")
    #expect(webhooks.posts.recorded.count == 1)
  }

  @Test("An attempt that hangs is given up, and the next one may succeed")
  func hangs() async throws {
    let gate = Gate()
    let attempts = Attempts()
    let store = store(
      FakeWebhookGateway { _ in
        if attempts.next() == 1 { try await gate.enter() }
      })
    let receipt = store.send(.notify(.chat, notice(1)))
    try await gate.waitForArrivals(1)
    try await clock.advance(toAlarmAt: .seconds(5))
    try await clock.advance(toAlarmAt: .milliseconds(5500))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await receiver(store).words == "1 delivered")
  }

  @Test("The notices of one alert come one after the other, and those of another alert or webhook do not wait for them")
  func order() async throws {
    let gate = Gate()
    let webhooks = FakeWebhookGateway { post in
      if post.webhook == .chat, post.notice.change.alert.rule == "load > 9" { try await gate.enter() }
    }
    let store = store(webhooks)
    let held = (1...4).map { store.send(.notify(.chat, notice($0))) }
    #expect(await store.send(.notify(.chat, notice(5, of: "load > 8"))).outcome.kind == .finished)
    #expect(await store.send(.notify(.pager, notice(1))).outcome.kind == .finished)
    #expect(gate.arrivals == 1)
    gate.open()
    for receipt in held { #expect(await receipt.outcome.kind == .finished) }
    let posts = webhooks.posts.recorded.filter { $0.webhook == .chat && $0.notice.change.alert.rule == "load > 9" }
    #expect(posts.map(\.notice.change.number) == [1, 2, 3, 4])
  }

  @Test("A webhook that keeps failing is left alone, asked once when its time is over, and used again when it answers")
  func breaker() async throws {
    let isUp = Lock(false)
    let webhooks = FakeWebhookGateway { _ in
      if !isUp.withLock({ $0 }) { throw GatewayFailure("cannot connect") }
    }
    let store = store(webhooks)
    let first = store.send(.notify(.chat, notice(1)))
    for alarm in [500, 1500, 3500] { try await clock.advance(toAlarmAt: .milliseconds(alarm)) }
    #expect(await first.outcome.kind == .failed)
    // The fifth failure in a row opens the breaker, so that no further attempt follows it.
    #expect(await store.send(.notify(.chat, notice(2, of: "load > 8"))).outcome.kind == .failed)
    #expect(webhooks.posts.recorded.count == 5)
    for number in 3...5 {
      guard case .rejected(.breakerOpen) = await store.send(.notify(.chat, notice(number))).outcome else {
        Issue.record("A notice went past an open breaker.")
        continue
      }
    }
    #expect(webhooks.posts.recorded.filter { $0.webhook == .chat }.count == 5)

    clock.advance(by: .seconds(30))
    #expect(await store.send(.notify(.chat, notice(6))).outcome.kind == .failed)
    #expect(await store.send(.notify(.chat, notice(7))).outcome.kind == .rejected)
    clock.advance(by: .seconds(30))
    isUp.withLock { $0 = true }
    #expect(await store.send(.notify(.chat, notice(8))).outcome.kind == .finished)
    #expect(await store.send(.notify(.chat, notice(9))).outcome.kind == .finished)
    #expect(await receiver(store).delivered == 2)
  }

  @Test("A notice that the shutdown cuts is counted with its reason")
  func cut() async throws {
    let gate = Gate()
    let store = store(FakeWebhookGateway { _ in try await gate.enter() })
    let receipt = store.send(.notify(.chat, notice(1)))
    try await gate.waitForArrivals(1)
    await store.shutdown()
    #expect(await receipt.outcome.kind == .shutDown)
    #expect(await receiver(store).words == "1 failed: cut by the end of pulse")
  }
}
