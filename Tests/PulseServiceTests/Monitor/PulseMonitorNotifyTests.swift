import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

@Suite("PulseMonitor, notifying webhooks", .timeLimit(.minutes(1)))
struct PulseMonitorNotifyTests {
  private let clock = RecordedClock()
  private let webhooks = FakeWebhookGateway()

  /// A store that owes two webhooks these notices.
  private func store(owing changes: AlertChange...) -> Store<PulseMonitor> {
    var initial = PulseState(webhooks: [.chat, .pager])
    for index in initial.receivers.indices { changes.forEach { initial.receivers[index].note($0) } }
    return Store(
      initial: initial, interactor: PulseMonitor.fake(webhooks: webhooks, clock: clock), configuration: .fake(clock))
  }

  private func receiver(_ store: Store<PulseMonitor>) async -> Receiver {
    await store.state.receivers[0]
  }

  @Test("A notice is under way at once, and delivered when the webhook has taken it")
  func delivered() async throws {
    let held = webhooks.posts.hold()
    let store = store(owing: .fake(1))
    let receipt = store.send(.notify(.chat, .fake(1)))
    #expect(await receiver(store).words == "1 under way")
    held.release()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await receiver(store).words == "1 delivered")
    #expect(await store.state.receivers[1].words == "1 waiting")
    #expect(webhooks.posts.requests.map(\.idempotencyKey) == ["key-1"])
    await webhooks.finish()
  }

  @Test("A notice that is not owed is not posted")
  func outdated() async throws {
    let store = store(owing: .fake(1), .fake(2), .fake(3))
    for number in [1, 2, 4] { #expect(await store.send(.notify(.chat, .fake(number))).outcome.kind == .finished) }
    #expect(await receiver(store).words == "1 waiting")
    await webhooks.finish()
  }

  @Test(
    "A failed attempt leaves the notice owed, and says whether it may have arrived",
    arguments: [
      (GatewayFailure.status(503), false), (.status(400), false), (GatewayFailure("connection refused"), false),
      (GatewayFailure.unanswered, true),
    ])
  func failed(failure: GatewayFailure, mayHaveArrived: Bool) async throws {
    webhooks.posts.fail(failure)
    let store = store(owing: .fake(1))
    #expect(await store.send(.notify(.chat, .fake(1))).outcome.kind == .failed)
    let receiver = await receiver(store)
    #expect(receiver.words == "1 waiting, 1 failed: \(failure)")
    #expect(receiver.owing(.fake(1))?.hasHeardOfFiring == mayHaveArrived)
    await webhooks.finish()
  }

  @Test("An attempt that hangs is given up, and its notice may have arrived")
  func hangs() async throws {
    let hanging = webhooks.posts.hold()
    let store = store(owing: .fake(1))
    let receipt = store.send(.notify(.chat, .fake(1)))
    try await hanging.arrived()
    try await clock.advance(toAlarmAt: .seconds(15))
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(await receiver(store).words == "1 waiting, 1 failed: no answer within 15 s")
    #expect(await receiver(store).owing(.fake(1))?.hasHeardOfFiring == true)
    await webhooks.finish()
  }

  @Test("The notices of one alert come one after the other, and those of another alert or webhook do not wait for them")
  func order() async throws {
    let held = webhooks.posts.when { $0.webhook == .chat && $0.notice.change.alert.rule == "load > 9" }.hold()
    webhooks.posts.reply(times: 2)
    let store = store(owing: .fake(1), .fake(5, of: "load > 8"))
    let receipts = [Notice.fake(1), .fake(1)].map { store.send(.notify(.chat, $0)) }
    #expect(await store.send(.notify(.chat, .fake(5, of: "load > 8"))).outcome.kind == .finished)
    #expect(await store.send(.notify(.pager, .fake(1))).outcome.kind == .finished)
    #expect(try await held.arrived().notice.change.number == 1)
    #expect(webhooks.posts.callCount == 3)
    held.release()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    // The second attempt at the notice was decided when it had arrived.
    #expect(webhooks.posts.callCount == 3)
    await webhooks.finish()
  }

  @Test("A notice that the shutdown cuts is counted with its reason, and is owed still")
  func cut() async throws {
    let held = webhooks.posts.hold()
    let store = store(owing: .fake(1))
    let receipt = store.send(.notify(.chat, .fake(1)))
    try await held.arrived()
    await store.shutdown()
    #expect(await receipt.outcome.kind == .shutDown)
    #expect(await receiver(store).words == "1 waiting, 1 failed: cut by the end of pulse")
    await webhooks.finish()
  }
}
