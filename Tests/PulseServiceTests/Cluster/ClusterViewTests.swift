import Foundation
import Millrace
import MillraceJournal
import Testing

@testable import PulseService

@Suite("ClusterView")
struct ClusterViewTests {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// The state of a target that was down from a time after its start, and of which a webhook was told.
  private func target(
    _ endpoint: Endpoint, _ configuration: Configuration, started: Double, down time: Duration
  ) -> PulseState {
    var (state, own) = (PulseState(), configuration)
    own.endpoints = [endpoint]
    state.apply(.started(own, at: start + started))
    state.apply(.probing(endpoint))
    state.apply(.probed(endpoint, .down(reason: "no", status: nil), at: time))
    let change = state.owedNotices[0].change
    state.apply(.notifying(.chat, Notice(change: change, time: start), idempotencyKey: "1"))
    state.apply(.notified(.chat, change))
    return state
  }

  @Test(
    "The whole state has all targets, their alerts by one clock, the sums of the webhooks, and the machine of the member"
  )
  func whole() throws {
    let configuration = Configuration(
      endpoints: [.web, .database], rules: [try AlertRule("target down")], webhooks: [.chat, .pager])
    var view = ClusterView.State()
    view.machine = try Snapshot.fake().state
    (view.machine.zero, view.machine.targets, view.machine.alerts) = (start + 100, [], [])
    view.targets = [
      Endpoint.database.name: target(.database, configuration, started: 0, down: .seconds(5)),
      Endpoint.web.name: target(.web, configuration, started: 60, down: .seconds(7)),
      "http://removed.test": target(.guarded, configuration, started: 0, down: .seconds(5)),
    ]
    let whole = view.whole(configuration)
    #expect(whole.targets.map(\.endpoint) == [.web, .database])
    #expect(whole.alerts.map(\.subject) == [Endpoint.web.name, Endpoint.database.name])
    #expect(whole.zero == start)
    #expect(whole.alerts.map(\.status.since) == [.seconds(67), .seconds(5)])
    #expect(whole.elapsed == max(.seconds(67), .seconds(100) + view.machine.elapsed))
    #expect(whole.receivers.map(\.words) == ["2 delivered", "2 waiting"])
    #expect(whole.machine == view.machine.machine && whole.series == view.machine.series)
    #expect(whole.isBad)
  }

  @Test("Without any state of a target it is the machine of the member and the webhooks")
  func empty() {
    let whole = ClusterView.State().whole(Configuration(endpoints: [.web], webhooks: [.chat]))
    #expect(whole.targets.isEmpty && whole.alerts.isEmpty && whole.zero == nil && whole.elapsed == .zero)
    #expect(whole.receivers.map(\.webhook) == [.chat] && whole.receivers[0].isUntouched)
  }

  @Test("The configuration of the targets has each rule and webhook once, and no target that is watched no more")
  func configuration() throws {
    let configuration = Configuration(
      endpoints: [.database, .web], rules: [try AlertRule("target down")], webhooks: [.chat, .pager])
    var removed = target(.guarded, configuration, started: 0, down: .seconds(5))
    removed.apply(.started(Configuration(rules: configuration.rules, webhooks: configuration.webhooks), at: start))
    let view = ClusterView.State(targets: [
      Endpoint.web.name: target(.web, configuration, started: 0, down: .seconds(7)), "removed": removed,
      Endpoint.database.name: target(.database, configuration, started: 0, down: .seconds(5)),
    ])
    #expect(
      view.configuration.endpoints.sorted { $0.name < $1.name } == [.web, .database].sorted { $0.name < $1.name })
    #expect(view.configuration.rules == configuration.rules && view.configuration.webhooks == configuration.webhooks)
  }

  @Test("Counts that a damaged log may have are added without overflow")
  func counts() throws {
    let json =
      #"{"webhook":\#(String(decoding: try JSONEncoder().encode(Webhook.chat), as: UTF8.self)),"alerts":[],"#
      + #""delivered":\#(Int.largestCount),"failed":\#(Int.largestCount)}"#
    var receiver = try JSONDecoder().decode(Receiver.self, from: Data(json.utf8))
    for _ in 0..<9 { receiver.add(receiver) }
    #expect(receiver.delivered == .largestCount && receiver.failed == .largestCount)
  }

  @Test("A target that was erased is gone, and its log begins anew")
  func forgotten() {
    var states = TargetStates.State(targets: ["a": PulseState(), "b": PulseState()])
    let digest = JournalKey("a", of: Cluster.stores).digest.description
    TargetStates.reduce(into: &states, mutation: .forgotten(digest: digest))
    #expect(states.targets.keys.sorted() == ["b"])
    TargetStates.reduce(into: &states, mutation: .changed("a", .probing(.web)))
    #expect(states.targets["a"]?.targets.map(\.word) == ["probing"])
    TargetStates.reduce(into: &states, mutation: .restored("a", PulseState(endpoints: [.database])))
    #expect(states.targets["a"] == PulseState(endpoints: [.database]))
  }
}
