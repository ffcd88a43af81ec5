import Millrace
import MillraceSwiftMetrics
import MillraceTesting
import Testing

/// The snippets of docs/metrics.md about swift-metrics, as they stand there.
@Suite("Snippets of the bridge to swift-metrics", .timeLimit(.minutes(1)))
struct SwiftMetricsSnippets {
  // snippet.bridge
  /// Forwards the figures of a store to the backend of swift-metrics.
  struct MetricsBridge {
    let store: String
    private var totals: [String: (counter: Counter, total: Int)] = [:]
    private var gauges: [String: Gauge] = [:]

    init(store: String) { self.store = store }

    mutating func forward(_ metrics: Metrics) {
      add(metrics.sent, to: "millrace_actions_sent")
      for (kind, total) in metrics.outcomes { add(total, to: "millrace_actions_ended", ("outcome", "\(kind)")) }
      for (kind, total) in metrics.rejections { add(total, to: "millrace_actions_rejected", ("reason", "\(kind)")) }
      add(metrics.commits, to: "millrace_commits")
      set("millrace_runs_in_flight", Double(metrics.inFlight))
      set("millrace_actions_waiting", Double(metrics.waiting))
      for part in [0.5, 0.99] {
        guard let time = metrics.handleTime.quantile(part) else { continue }
        set("millrace_handle_time_seconds", time / .seconds(1), ("quantile", "\(part)"))
      }
    }

    private mutating func add(_ total: Int, to label: String, _ dimensions: (String, String)...) {
      let key = "\(label) \(dimensions)"
      let known = totals[key] ?? (Counter(label: label, dimensions: [("store", store)] + dimensions), 0)
      known.counter.increment(by: max(total - known.total, 0))
      totals[key] = (known.counter, max(total, known.total))
    }

    private mutating func set(_ label: String, _ value: Double, _ dimensions: (String, String)...) {
      let key = "\(label) \(dimensions)"
      let gauge = gauges[key] ?? Gauge(label: label, dimensions: [("store", store)] + dimensions)
      gauge.record(value)
      gauges[key] = gauge
    }
  }
  // snippet.end

  private func forward(_ store: Store<Letters>, _ clock: any Clock<Duration>) async {
    // snippet.forward
    var bridge = MetricsBridge(store: "orders")
    while !Task.isCancelled {
      bridge.forward(await store.metrics)
      try? await clock.sleep(for: .seconds(10))
    }
    // snippet.end
  }

  private struct Letters: Interactor {
    enum Action: Sendable { case write, send }
    enum Mutation: Sendable { case written, sent }

    func decide(_ action: Action, state: Int) -> Decision<Mutation> { action == .write ? .mutate(.written) : .handle }

    func handle(_ action: Action, state: Int) -> Effect<Self> { Effect { run in run.emit(.sent) } }

    static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
  }

  @Test("Counters have the totals of the store however often it is read, and gauges its figures now")
  func bridge() async throws {
    let (recorded, clock) = (RecordedMetrics(), TestClock())
    let store = Store(initial: 0, interactor: Letters())
    store.send(.write)
    let bridge = RecordedMetrics.$current.withValue(recorded) { Task { await forward(store, clock) } }
    try await clock.waitForSleepers()
    #expect(recorded["millrace_actions_sent store=orders"] == 1)
    #expect(recorded["millrace_handle_time_seconds store=orders quantile=0.5"] == nil)
    #expect(await store.send(.send).outcome.kind == .finished)
    store.send(.write)
    await store.shutdown()
    store.send(.write)
    clock.advance(by: .seconds(10))
    try await clock.waitForSleepers()
    #expect(recorded["millrace_actions_sent store=orders"] == 4)
    #expect(recorded["millrace_actions_ended store=orders outcome=finished"] == 3)
    #expect(recorded["millrace_actions_rejected store=orders reason=shuttingDown"] == 1)
    #expect(recorded["millrace_commits store=orders"] == 3)
    #expect(recorded["millrace_runs_in_flight store=orders"] == 0)
    #expect(try #require(recorded["millrace_handle_time_seconds store=orders quantile=0.99"]) >= 0)
    bridge.cancel()
    await bridge.value
  }
}
