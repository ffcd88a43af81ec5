import Testing

@testable import PulseService

@Suite("PulseState+Reduce")
struct PulseStateReduceTests {
  /// The state after these mutations.
  private func state(
    _ mutations: [PulseMutation], rules: [String] = [], historyLimit: Int = 120
  ) throws -> PulseState {
    var state = PulseState(rules: try rules.map { try AlertRule($0) }, historyLimit: historyLimit)
    for mutation in mutations { PulseMonitor.reduce(into: &state, mutation: mutation) }
    return state
  }

  /// Readings a second apart, each with the busy share given, in percent.
  private func readings(_ shares: [UInt64]) -> [PulseMutation] {
    var busy: UInt64 = 0
    return [.read(.fake(), at: .zero)]
      + shares.enumerated().map { index, share in
        busy += share
        return .read(.fake(busy: busy, total: UInt64(index + 1) * 100), at: .seconds(index + 1))
      }
  }

  @Test("A single reading is no sample; the second reading makes a sample of both")
  func sample() throws {
    #expect(try state([.read(.fake(), at: .zero)]).machine.sample == nil)
    let state = try state(readings([40]))
    #expect(state.machine.sample?.cpu == 40)
    #expect(state.machine.sample?.memory.percentUsed == 25)
    #expect(state.machine.sample?.disk.percentUsed == 50)
    #expect(state.series[.cpu]?.values == [40])
    #expect(state.series[.load]?.values == [0.5])
    #expect(state.elapsed == .seconds(1))
  }

  @Test("A sample too close to the one before leaves the processors as they were, and unknown when they are")
  func noTick() throws {
    let state = try state(readings([40]) + [.read(.fake(busy: 40, total: 100), at: .seconds(2))])
    #expect(state.machine.sample?.cpu == 40)
    #expect(state.series[.cpu]?.values == [40, 40])
    let unknown = try self.state([.read(.fake(), at: .zero), .read(.fake(), at: .seconds(1))])
    #expect(unknown.machine.sample?.cpu == nil)
    #expect(unknown.series[.cpu]?.values == [])
    #expect(unknown.series[.memory]?.values == [25])
  }

  @Test("The history of each series is bounded")
  func history() throws {
    var mutations = readings([1, 2, 3, 4, 5])
    for second in 1...5 {
      mutations.append(.probed(.web, .up(latency: .seconds(second)), at: .seconds(second)))
    }
    let state = try state(mutations, historyLimit: 3)
    #expect(state.series[.cpu]?.values == [3, 4, 5])
    #expect(state.target(.web)?.latencies.values == [3, 4, 5])
  }

  @Test("A sample that fails is shown with its reason, and forgotten at the next reading")
  func failure() throws {
    let mutations: [PulseMutation] = [.sampleFailed(reason: "no /proc")]
    let failed = try state(mutations)
    #expect(failed.machine.failure == "no /proc")
    #expect(try state(mutations + [.read(.fake(), at: .zero)]).machine.failure == nil)
  }

  @Test("A target goes unknown or probing, up or down, and keeps its last result while it is probed again")
  func target() throws {
    let steps: [(PulseMutation, String, Target.Result?)] = [
      (.probing(.web), "probing", nil),
      (.probeEnded(.web), "unknown", nil),
      (.probing(.web), "probing", nil),
      (.probed(.web, .up(latency: .milliseconds(12)), at: .seconds(1)), "up", .up(latency: .milliseconds(12))),
      (.probing(.web), "probing", .up(latency: .milliseconds(12))),
      (.probed(.web, .down(reason: "no"), at: .seconds(2)), "down", .down(reason: "no")),
      (.probing(.web), "probing", .down(reason: "no")),
      (.probeEnded(.web), "down", .down(reason: "no")),
    ]
    for end in steps.indices {
      let state = try state(steps[...end].map(\.0))
      #expect(state.target(.web)?.word == steps[end].1)
      #expect(state.target(.web)?.result == steps[end].2)
      #expect(state.targets.count == 1)
    }
  }

  @Test("A rule about a metric fires when it has held for its time, and is resolved after")
  func metricRule() throws {
    let words = try (1...6).map { count in
      try state(Array(readings([95, 95, 95, 95, 10, 10])[...count]), rules: ["cpu > 90 % for 2 s"])
        .alerts.map(\.status.word)
    }
    #expect(words == [["pending"], ["pending"], ["firing"], ["firing"], ["resolved"], ["resolved"]])
  }

  @Test("A rule about targets gives each target an alert of its own, a rule about one gives it to that one alone")
  func targetRule() throws {
    let state = try state(
      [
        .probed(.web, .up(latency: .zero), at: .seconds(1)),
        .probed(.database, .down(reason: "no"), at: .seconds(1)),
        .probed(.web, .down(reason: "no"), at: .seconds(2)),
        .probed(.database, .down(reason: "no"), at: .seconds(2)),
      ], rules: ["target down for 2 probes", "tcp://database.test:5432 down"])
    #expect(
      state.alerts.map(\.subject) == ["http://web.test/", "tcp://database.test:5432", "tcp://database.test:5432"])
    #expect(state.alerts.map(\.status.word) == ["pending", "firing", "firing"])
    #expect(state.alerts.last?.status == .firing(since: .seconds(1)))
  }
}
