import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import PulseService

/// The snippet of docs/simulation.md about pulse, as it stands there.
@Suite("PulseSimulationSnippets")
struct PulseSimulationSnippets {
  // snippet.notices
  static func notices(in world: World) async {
    let taken = Recorder<Int>()
    let webhooks = FakeWebhookGateway()
    webhooks.posts.always { post in
      try await world.clock.sleep(for: world.duration(in: .zero ... .seconds(8)))
      if world.fault(0.4) { throw GatewayFailure.status(503) }
      taken.record(post.notice.change.number)
    }
    let store = Store(
      initial: PulseState(webhooks: [.chat]), interactor: PulseMonitor.fake(webhooks: webhooks, clock: world.clock),
      configuration: world.configuration)
    world.always("no notice ends twice", of: store) { $0.receivers[0].underWay >= 0 }
    world.atTheEnd("no notice is under way for ever", of: store) { $0.receivers[0].underWay == 0 }

    var receipts: [Receipt] = []
    for pause in world.actions(6, from: [Duration.zero, .seconds(1), .seconds(9)]) {
      try? await world.clock.sleep(for: pause)
      receipts.append(store.send(.notify(.chat, Self.notice(receipts.count))))
    }
    for receipt in receipts { _ = await receipt.outcome }
    world.expect(taken.recorded == taken.recorded.sorted(), "a webhook is told the changes of an alert in their order")
  }
  // snippet.end

  /// A notice of one alert, which begins and ends by turns.
  private static func notice(_ number: Int) -> Notice {
    Notice(
      change: AlertChange(
        number: number, alert: .init(rule: "load > 9", subject: "load"), isFiring: number.isMultiple(of: 2)),
      time: Date(timeIntervalSince1970: 0))
  }

  @Test("A webhook is told the changes of an alert in their order, however slow it is")
  func order() async {
    let report = await Simulation.run(seeds: 0..<200) { await Self.notices(in: $0) }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
  }
}
