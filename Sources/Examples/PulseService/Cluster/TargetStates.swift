import Millrace
import MillraceJournal

/// The interactor of a projection that has the states of all targets of a cluster.
struct TargetStates: Interactor {
  struct State: Codable, Sendable, Equatable {
    /// The states by the names of their targets.
    var targets: [String: PulseState] = [:]
  }

  /// An event of the log of a target.
  enum Event: Codable, Sendable {
    case changed(String, PulseMutation)
    case restored(String, PulseState)
    /// A target is watched no more; of its name there is the hash.
    case forgotten(digest: String)

    init(_ event: ProjectionEvent<PulseMonitor>) {
      switch event {
      case .committed(let key, let mutation, _, _): self = .changed(key.name, mutation)
      case .missed(let key, let state, _): self = .restored(key.name, state)
      case .erased(let digest): self = .forgotten(digest: digest.description)
      }
    }
  }

  func decide(_ action: Event, state: State) -> Decision<Event> { .mutate(action) }

  func handle(_ action: Event, state: State) -> Effect<TargetStates> { .none }

  static func reduce(into state: inout State, mutation: Event) {
    switch mutation {
    case .changed(let target, let change): state.targets[target, default: PulseState()].apply(change)
    case .restored(let target, let newest): state.targets[target] = newest
    case .forgotten(let digest):
      state.targets = state.targets.filter { JournalKey($0.key, of: Cluster.stores).digest.description != digest }
    }
  }
}
