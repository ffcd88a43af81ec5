import Millrace

/// An action of a projection's store: the action that was made of an event, and the place behind the event.
struct ProjectedAction<Action: Codable & Sendable>: Codable, Sendable {
  /// Nil moves the position, and nothing else.
  let action: Action?
  let partition: Int
  let place: ProjectionPlace
}

/// The interactor of a projection's store: decides as that of the projection, and moves the position in the same step.
struct ProjectedInteractor<I: Interactor>: Interactor where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  typealias Action = ProjectedAction<I.Action>
  typealias Mutation = ProjectedMutation<I.Mutation>
  typealias State = ProjectedState<I.State>

  let interactor: I
  private let decisions = ProjectedDecisions()

  init(_ interactor: I) {
    self.interactor = interactor
  }

  func decide(_ sent: Action, state: State) -> Decision<Mutation> {
    let place = state.positions.place(in: sent.partition)
    let move = Mutation.moved(partition: sent.partition, sent.place)
    guard let action = sent.action else { return sent.place > place ? .mutate(move) : .ignore }
    guard decisions.mayDecide(behind: place, in: sent.partition) else { return .reject(EventBehindRejection()) }
    let decision = interactor.decide(action, state: state.state)
    let rejection = decision.rejection ?? (decision.handles ? HandledEvent() : nil)
    let mutations = decision.mutations
    decisions.didDecide(rejection != nil ? nil : mutations.isEmpty ? place : sent.place, in: sent.partition)
    if let rejection { return .reject(rejection) }
    return mutations.isEmpty ? .ignore : .mutate(mutations.map { .mutation($0) } + [move])
  }

  func handle(_ action: Action, state: State) -> Effect<ProjectedInteractor> { .none }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .mutation(let mutation): I.reduce(into: &state.state, mutation: mutation)
    case .moved(let partition, let place): state.positions.move(partition, to: place)
    }
  }
}

/// The decisions of a projection, none of which may be made behind one that was not committed: its event would be passed over.
private final class ProjectedDecisions: Sendable {
  private struct State {
    /// The places that the state has if all decisions are committed.
    var places: [Int: ProjectionPlace] = [:]
    var hasRejected = false
  }

  private let state = Lock(State())

  func mayDecide(behind place: ProjectionPlace, in partition: Int) -> Bool {
    state.withLock { state in
      // A decision that cannot be encoded changes no state.
      if let last = state.places[partition], place < last { state.hasRejected = true }
      return !state.hasRejected
    }
  }

  /// - Parameter place: the place of the state once the decision is committed; nil for a rejection.
  func didDecide(_ place: ProjectionPlace?, in partition: Int) {
    state.withLock { state in
      if let place { state.places[partition] = place } else { state.hasRejected = true }
    }
  }
}

/// The rejection of an event that comes behind one that was rejected.
private struct EventBehindRejection: Error, CustomStringConvertible {
  let description = "an event before it was rejected"
}

/// The rejection of an event whose action would be handled.
private struct HandledEvent: Error, CustomStringConvertible {
  let description = "its action asks for a handler, which a projection has not; return mutations from 'decide'"
}
