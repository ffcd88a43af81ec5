import Millrace

@testable import PulseService

extension Snapshot<PulseState> {
  /// A state in which everything is there: a sample, targets up, down and probed, alerts pending and firing.
  static func fake(_ extra: [PulseMutation] = []) throws -> Snapshot {
    let rules = ["cpu > 30 % for 1 h", "target down for 2 probes", "load > 9"]
    var state = PulseState(rules: try rules.map { try AlertRule($0) })
    let mutations: [PulseMutation] =
      [
        .read(.fake(), at: .zero),
        .read(.fake(busy: 40, total: 100), at: .seconds(1)),
        .read(.fake(busy: 140, total: 200), at: .seconds(2)),
        .probed(.web, .up(latency: .microseconds(12_345)), at: .seconds(1)),
        .probed(.database, .down(reason: "connection refused"), at: .seconds(1)),
        .probed(.database, .down(reason: "connection refused"), at: .seconds(2)),
      ] + extra
    for mutation in mutations { PulseMonitor.reduce(into: &state, mutation: mutation) }
    return Snapshot(revision: mutations.count, state: state)
  }
}
