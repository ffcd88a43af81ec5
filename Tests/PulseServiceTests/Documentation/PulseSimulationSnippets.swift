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
    let endpoints = FakeEndpointGateway()
    endpoints.probes.always { _ in if world.fault(0.5) { throw GatewayFailure.lasting("no") } }
    let store = Store(
      initial: PulseState(rules: [Self.rule], webhooks: [.chat]),
      interactor: PulseMonitor.fake(endpoints: endpoints, webhooks: webhooks, clock: world.clock),
      configuration: world.configuration)
    let notifier = Notifier(store: store, clock: world.clock, now: { .distantPast })
    let notifying = Task { await notifier.run() }
    world.always("no notice ends twice", of: store) { $0.receivers[0].underWay <= 1 }
    world.atTheEnd("no notice is owed for ever", of: store) { $0.owedNotices.isEmpty }

    for pause in world.actions(6, from: [Duration.zero, .seconds(1), .seconds(9)]) {
      try? await world.clock.sleep(for: pause)
      _ = await store.send(.probe(.web)).outcome
    }
    _ = try? await store.wait { $0.owedNotices.isEmpty && $0.receivers[0].underWay == 0 }
    await store.shutdown()
    await notifying.value
    world.expect(taken.recorded == taken.recorded.sorted(), "a webhook is told the changes of an alert in their order")
    let state = await store.state
    world.expect(state.knowsWhatIsTrue, "a webhook knows in the end whether the alert fires")
  }
  // snippet.end

  private static let rule = try! AlertRule("target down")

  @Test("A webhook is told the changes of an alert in their order, however slow it is")
  func order() async {
    let report = await Simulation.run(seeds: 0..<200) { await Self.notices(in: $0) }
    #expect(report.failingPlan == nil && report.leftOverTasks == 0)
  }
}

extension PulseState {
  /// Whether the webhook has heard that the alert fires if it fires, and only then.
  fileprivate var knowsWhatIsTrue: Bool {
    (receivers[0].alerts.first?.hasHeardOfFiring ?? false) == alerts.contains { $0.status.isFiring }
  }
}
