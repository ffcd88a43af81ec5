public import Millrace

/// Looks at every state that an interactor can be brought to by given actions and mutations, without a store.
///
/// ```swift
/// ModelCheck(
///   initial: Door.State(), interactor: Door(), actions: [.open, .close, .lock],
///   invariants: ["an open door is not locked": { !($0.isOpen && $0.isLocked) }],
///   reachable: ["locked": \.isLocked]
/// ).verify()
/// ```
///
/// In each state each action is decided and its mutations are applied as one step, or, if it is rejected, its closing
/// one. Each of the mutations, as handlers commit them, is a step too. No handler is run and no plan is
/// asked, so that more may be found possible than is in a store; let actions and mutations depend on the state to say
/// what is not.
///
/// **Order.** Breadth-first: actions before mutations, each in the order in which they are given. So the path to a
/// state is a shortest one, and the same in each run.
///
/// **Cost.** Each state is kept, and each step that changes the state.
public struct ModelCheck<I: Interactor> where I.State: Hashable {
  let initial: I.State
  let interactor: I
  let actions: (I.State) -> [I.Action]
  let mutations: (I.State) -> [I.Mutation]
  let invariants: KeyValuePairs<String, (I.State) -> Bool>
  let reachable: KeyValuePairs<String, (I.State) -> Bool>
  let mustLeave: ((I.State) -> Bool)?
  let maximumStates: Int

  /// Prepares a check where actions and mutations depend on the state.
  ///
  /// - Parameters:
  ///   - initial: the state that it begins with.
  ///   - interactor: the interactor, which decides and reduces.
  ///   - actions: the actions that may be sent in a state.
  ///   - mutations: the mutations that a handler may commit in a state.
  ///   - invariants: the conditions that have to hold in each state after a step, by their names in failures.
  ///   - reachable: the conditions that have to hold in some state, by their names in failures.
  ///   - mustLeave: whether a state is one that has to be left sometime: from each where this holds some state has to be
  ///     reachable where it does not. Nil asks nothing.
  ///   - maximumStates: the largest number of states; at least 1.
  public init(
    initial: I.State, interactor: I, actions: @escaping (I.State) -> [I.Action],
    mutations: @escaping (I.State) -> [I.Mutation], invariants: KeyValuePairs<String, (I.State) -> Bool> = [:],
    reachable: KeyValuePairs<String, (I.State) -> Bool> = [:], mustLeave: ((I.State) -> Bool)? = nil,
    maximumStates: Int = 100_000
  ) {
    self.initial = initial
    self.interactor = interactor
    self.actions = actions
    self.mutations = mutations
    self.invariants = invariants
    self.reachable = reachable
    self.mustLeave = mustLeave
    self.maximumStates = max(maximumStates, 1)
  }

  /// Prepares a check where each action may be sent, and each mutation be committed, in every state.
  ///
  /// - Parameters:
  ///   - initial: the state that it begins with.
  ///   - interactor: the interactor, which decides and reduces.
  ///   - actions: the actions that may be sent.
  ///   - mutations: the mutations that a handler may commit.
  ///   - invariants: the conditions that have to hold in each state after a step, by their names in failures.
  ///   - reachable: the conditions that have to hold in some state, by their names in failures.
  ///   - mustLeave: whether a state is one that has to be left sometime: from each where this holds some state has to be
  ///     reachable where it does not. Nil asks nothing.
  ///   - maximumStates: the largest number of states; at least 1.
  public init(
    initial: I.State, interactor: I, actions: [I.Action], mutations: [I.Mutation] = [],
    invariants: KeyValuePairs<String, (I.State) -> Bool> = [:],
    reachable: KeyValuePairs<String, (I.State) -> Bool> = [:], mustLeave: ((I.State) -> Bool)? = nil,
    maximumStates: Int = 100_000
  ) {
    self.init(
      initial: initial, interactor: interactor, actions: { _ in actions }, mutations: { _ in mutations },
      invariants: invariants, reachable: reachable, mustLeave: mustLeave, maximumStates: maximumStates)
  }

  /// Looks at the states, and fails the test for each thing that is wrong.
  ///
  /// That is an invariant that does not hold, a state that has to be reachable and is not, states without a way out, and that
  /// there are more states than may be looked at.
  ///
  /// - Parameters:
  ///   - file: where a failure is shown.
  ///   - line: where a failure is shown.
  /// - Returns: the states, and the failures that were found.
  @discardableResult
  public func verify(file: StaticString = #filePath, line: UInt = #line) -> ModelCheck<I>.Report {
    let report = run()
    let problems = report.problems
    if !problems.isEmpty {
      let reporter = FailureReporter()
      for problem in problems { reporter.fail(problem, file: file, line: line) }
    }
    return report
  }

  /// Checks the states, and returns the failures.
  public func run() -> ModelCheck<I>.Report {
    var search = ModelSearch<I.State, ModelCheck<I>.Step>(from: initial, maximum: maximumStates)
    search.explore(next)
    var (violations, violating): ([ModelCheck<I>.Report.Violation], Set<Int>) = ([], [])
    for (name, holds) in invariants {
      let found = search.states.indices.filter { !holds(search.states[$0]) }
      violating.formUnion(found)
      if let nearest = found.first { violations.append(.init(invariant: name, state: nearest)) }
    }
    let unreached = reachable.filter { !search.states.contains(where: $0.value) }.map(\.key)
    let withoutWayOut = mustLeave.map { search.states(withoutWayOutOf: $0) } ?? []
    return ModelCheck.Report(
      search, maximum: maximumStates, violations: violations, violating: violating, unreached: unreached,
      stuck: withoutWayOut)
  }

  /// The successors of a state by its steps.
  private func next(_ state: I.State) -> [(step: ModelCheck<I>.Step, state: I.State)] {
    actions(state).map { (.action($0), apply(decided($0, state), to: state)) }
      + mutations(state).map { (.mutation($0), apply([$0], to: state)) }
  }

  private func decided(_ action: I.Action, _ state: I.State) -> [I.Mutation] {
    interactor.step(of: action, decidedAs: interactor.decide(action, state: state))
  }

  private func apply(_ mutations: [I.Mutation], to state: I.State) -> I.State {
    var state = state
    for mutation in mutations { I.reduce(into: &state, mutation: mutation) }
    return state
  }
}

extension ModelCheck {
  /// A step from one state of a ``ModelCheck`` to the next.
  public enum Step: Sendable, CustomStringConvertible {
    /// An action was taken up, and what was decided about it, or closes its rejection, was committed.
    case action(I.Action)

    /// A mutation of a handler was committed.
    case mutation(I.Mutation)

    /// The action or the mutation in one line.
    public var description: String {
      switch self {
      case .action(let action): "send \(ValueText.of(action, limit: 200))"
      case .mutation(let mutation): "commit \(ValueText.of(mutation, limit: 200))"
      }
    }
  }
}
