public import Millrace

/// The result of a ``ModelCheck``: the states, the steps between them, and the findings.
public struct ModelReport<I: Interactor>: Sendable where I.State: Hashable {
  /// A step that changes the state; states are named by their places in ``ModelReport/states``.
  public struct Transition: Sendable {
    /// The place of the state before.
    public let from: Int
    /// The step that leads to the other state.
    public let step: ModelStep<I.Action, I.Mutation>
    /// The place of the state after.
    public let to: Int
  }

  /// An invariant that does not hold.
  public struct Violation: Sendable {
    /// The name of the step.
    public let invariant: String
    /// The place of the first state where it does not hold; none is nearer to the beginning.
    public let state: Int
  }

  /// The states in the order in which they were found, those that are fewer steps away first.
  public let states: [I.State]

  /// The steps that change the state, by the state from which they lead.
  public let transitions: [Transition]

  /// For each invariant that does not hold, the nearest state.
  public let violations: [Violation]

  /// The places of all states where some invariant does not hold.
  public let violating: Set<Int>

  /// The names in `reachable` whose condition holds in no state.
  public let unreached: [String]

  /// The places of the states that have to be left, and lead to none that has not.
  public let stuck: [Int]

  /// Whether these are all the states there are, and not only as many as may be looked at.
  public let isComplete: Bool

  /// The largest number of states of the search.
  public let maximum: Int

  private let search: ModelSearch<I.State, ModelStep<I.Action, I.Mutation>>

  init(
    _ search: ModelSearch<I.State, ModelStep<I.Action, I.Mutation>>, maximum: Int, violations: [Violation],
    violating: Set<Int>, unreached: [String], stuck: [Int]
  ) {
    self.search = search
    self.maximum = maximum
    self.violations = violations
    self.violating = violating
    self.unreached = unreached
    self.stuck = stuck
    states = search.states
    transitions = search.edges.map { Transition(from: $0.from, step: $0.step, to: $0.to) }
    isComplete = search.cut.isEmpty
  }

  /// A shortest way to a state from the first one.
  ///
  /// - Parameter place: the state's place in ``states``.
  public func path(to place: Int) -> [Transition] {
    search.path(to: place).map { Transition(from: $0.from, step: $0.step, to: $0.to) }
  }

  /// Whether nothing is wrong, and all was looked at.
  public var isSound: Bool { problems.isEmpty }
}
