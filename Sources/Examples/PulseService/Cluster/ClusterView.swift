import Foundation
import Millrace

/// The interactor of what a member shows: its own machine, and the states of all targets of the cluster.
struct ClusterView: Interactor {
  struct State: Sendable {
    /// The state of a pulse without targets.
    var machine = PulseState()
    var targets: [String: PulseState] = [:]
  }

  enum Change: Sendable {
    case machine(PulseState)
    case targets([String: PulseState])
  }

  func decide(_ action: Change, state: State) -> Decision<Change> { .mutate(action) }

  func handle(_ action: Change, state: State) -> Effect<ClusterView> { .none }

  static func reduce(into state: inout State, mutation: Change) {
    switch mutation {
    case .machine(let machine): state.machine = machine
    case .targets(let targets): state.targets = targets
    }
  }
}

extension ClusterView.State {
  /// One state of all targets, as one pulse has it that watches them alone.
  func whole(_ configuration: Configuration) -> PulseState {
    var whole = machine
    whole.endpoints = configuration.endpoints
    whole.rules = configuration.rules
    whole.receivers = configuration.webhooks.map { Receiver(webhook: $0) }
    let states = configuration.endpoints.compactMap { targets[$0.name] }
    // Each state counts its times from a start of its own.
    whole.zero = (states + [machine]).compactMap(\.zero).min()
    whole.elapsed = (states + [machine]).map { $0.elapsed + $0.age(since: whole.zero) }.max() ?? .zero
    for state in states {
      let age = state.age(since: whole.zero)
      whole.targets += state.targets
      whole.alerts += state.alerts.map { alert in
        var alert = alert
        alert.status = alert.status.counted(fromEarlier: age)
        return alert
      }
      for receiver in state.receivers {
        guard let index = whole.receivers.firstIndex(where: { $0.webhook == receiver.webhook }) else { continue }
        whole.receivers[index].add(receiver)
      }
    }
    return whole
  }

  /// The configuration that the targets have been given.
  var configuration: Configuration {
    let states = targets.sorted { $0.key < $1.key }.map(\.value)
    return Configuration(
      endpoints: states.flatMap { $0.endpoints ?? [] }, rules: states.flatMap(\.rules).distinct,
      webhooks: states.flatMap { $0.receivers.map(\.webhook) }.distinct)
  }
}

extension PulseState {
  /// The time from another zero to that of this state.
  fileprivate func age(since other: Date?) -> Duration {
    guard let zero, let other else { return .zero }
    return .seconds(max(0, zero.timeIntervalSince(other)))
  }
}

extension Array where Element: Hashable {
  /// The elements without repetitions, in the order in which they were first there.
  fileprivate var distinct: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
