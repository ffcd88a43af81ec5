import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, telling webhooks", .timeLimit(.minutes(1)))
struct PulseMonitorNotifyTests {
  private let clock = RecordedClock()
  private let webhooks = FakeWebhookGateway()

  private func store() -> Store<PulseMonitor> {
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
    let held = webhooks.posts.hold()
    let store = store()
    let receipt = store.send(.notify(.chat, notice(1)))
    #expect(await receiver(store).words == "1 under way")
    held.release()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await receiver(store).words == "1 delivered")
    #expect(await store.state.receivers[1].isUntouched)
    await webhooks.finish()
  }

  @Test("The attempts at a notice share one idempotency key, which no other notice has, and rest longer each time")
  func attempts() async throws {
    webhooks.posts.fail(GatewayFailure.status(503), times: 5)
    let store = store()
    let receipt = store.send(.notify(.chat, notice(1)))
    for alarm in [500, 1500, 3500] { try await clock.advance(toAlarmAt: .milliseconds(alarm)) }
    #expect(await receipt.outcome.kind == .failed)
    #expect(await receiver(store).words == "1 failed: status 503")

    _ = store.send(.notify(.chat, notice(2)))
    try await webhooks.posts.waitForCalls(5)
    let posts = webhooks.posts.requests
    #expect(posts.map(\.notice.change.number) == [1, 1, 1, 1, 2])
    #expect(Set(posts.prefix(4).map(\.idempotencyKey)).count == 1)
    #expect(posts[4].idempotencyKey != posts[0].idempotencyKey)
    await webhooks.finish()
  }

  @Test("A notice that a webhook refuses is not tried again")
  func refused() async throws {
    webhooks.posts.fail(GatewayFailure.status(400))
    let store = store()
    #expect(await store.send(.notify(.chat, notice(1))).outcome.kind == .finished)
    #expect(await receiver(store).words == "1 failed: status 400")
    await webhooks.finish()
  }

  @Test("An attempt that hangs is given up, and the next one may succeed")
  func hangs() async throws {
    let hanging = webhooks.posts.hold()
    webhooks.posts.reply()
    let store = store()
    let receipt = store.send(.notify(.chat, notice(1)))
    try await hanging.arrived()
    try await clock.advance(toAlarmAt: .seconds(5))
    try await clock.advance(toAlarmAt: .milliseconds(5500))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await receiver(store).words == "1 delivered")
    await webhooks.finish()
  }

  @Test("The notices of one alert come one after the other, and those of another alert or webhook do not wait for them")
  func order() async throws {
    let ofOneAlert = webhooks.posts.when { $0.webhook == .chat && $0.notice.change.alert.rule == "load > 9" }
    let held = ofOneAlert.hold()
    ofOneAlert.reply(times: 3)
    webhooks.posts.reply(times: 2)
    let store = store()
    let receipts = (1...4).map { store.send(.notify(.chat, notice($0))) }
    #expect(await store.send(.notify(.chat, notice(5, of: "load > 8"))).outcome.kind == .finished)
    #expect(await store.send(.notify(.pager, notice(1))).outcome.kind == .finished)
    #expect(try await held.arrived().notice.change.number == 1)
    #expect(webhooks.posts.callCount == 3)
    held.release()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    let posts = webhooks.posts.requests.filter { $0.webhook == .chat && $0.notice.change.alert.rule == "load > 9" }
    #expect(posts.map(\.notice.change.number) == [1, 2, 3, 4])
    await webhooks.finish()
  }

  @Test("A webhook that keeps failing is left alone, asked once when its time is over, and used again when it answers")
  func breaker() async throws {
    webhooks.posts.fail(GatewayFailure("cannot connect"), times: 6)
    webhooks.posts.reply(times: 2)
    let store = store()
    let first = store.send(.notify(.chat, notice(1)))
    for alarm in [500, 1500, 3500] { try await clock.advance(toAlarmAt: .milliseconds(alarm)) }
    #expect(await first.outcome.kind == .failed)
    // The fifth failure in a row opens the breaker, so that no further attempt follows it.
    #expect(await store.send(.notify(.chat, notice(2, of: "load > 8"))).outcome.kind == .failed)
    #expect(webhooks.posts.callCount == 5)
    for number in 3...5 {
      guard case .rejected(.breakerOpen) = await store.send(.notify(.chat, notice(number))).outcome else {
        Issue.record("A notice went past an open breaker.")
        continue
      }
    }
    #expect(webhooks.posts.callCount == 5)

    clock.advance(by: .seconds(30))
    #expect(await store.send(.notify(.chat, notice(6))).outcome.kind == .failed)
    #expect(await store.send(.notify(.chat, notice(7))).outcome.kind == .rejected)
    clock.advance(by: .seconds(30))
    #expect(await store.send(.notify(.chat, notice(8))).outcome.kind == .finished)
    #expect(await store.send(.notify(.chat, notice(9))).outcome.kind == .finished)
    #expect(await receiver(store).delivered == 2)
    await webhooks.finish()
  }

  @Test("A notice that the shutdown cuts is counted with its reason")
  func cut() async throws {
    let held = webhooks.posts.hold()
    let store = store()
    let receipt = store.send(.notify(.chat, notice(1)))
    try await held.arrived()
    await store.shutdown()
    #expect(await receipt.outcome.kind == .shutDown)
    #expect(await receiver(store).words == "1 failed: cut by the end of pulse")
    await webhooks.finish()
  }
}
