/// Two interactors over one state, as one: both see every action, and every mutation.
///
/// ```swift
/// let interactor = Combined(Accounts(), Combined(Audit(), Alerts()))
/// ```
///
/// For more than two it is nested. What its parts say is put together so:
///
/// | | |
/// |---|---|
/// | `decide` | Both are asked on the same state. The first rejection rejects the action, and nothing is committed. Otherwise
/// the mutations of the first and then of the second are one atomic step; `handle` is run if either asks for it. |
/// | `handle` | Both are called, the first one first, whichever asked for it; their effects run side by side, as
/// ``Effect/merge(_:)-([Effect<I>])``. A part without a `handle` is skipped. If neither has one, the action is rejected as
/// ``Rejection/notHandled``. |
/// | `reduce` | Each mutation goes through the first, then through the second. |
/// | `plan` | The first plan that is not ``Plan/concurrent``. |
/// | `closing` | The first mutation that is not nil; the second is not asked then. |
///
/// So a part decides `.ignore` for actions that are none of its own, and its `reduce` passes over mutations of others.
@frozen
public struct Combined<First: Interactor, Second: Interactor>: Interactor
where First.Action == Second.Action, First.Mutation == Second.Mutation, First.State == Second.State {
  @usableFromInline let first: First
  @usableFromInline let second: Second

  /// Creates one interactor of two.
  @inlinable
  public init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  /// Both decisions on the same state, as one step.
  @inlinable
  public func decide(_ action: First.Action, state: First.State) -> Decision<First.Mutation> {
    first.decide(action, state: state).joined(with: second.decide(action, state: state))
  }

  /// Returns the effects of both interactors, which run concurrently.
  ///
  /// The second `handle` is called when the first has returned its effect. Both are called in the run's task, whose
  /// cancellation they see.
  @inlinable
  public func handle(_ action: First.Action, state: First.State) async -> Effect<Combined> {
    let one: Effect<Combined> = await first.effect(of: action, state: state)
    let other: Effect<Combined> = await second.effect(of: action, state: state)
    return one.joined(with: other)
  }

  /// Applies the mutation as the first does, then as the second does.
  @inlinable
  public static func reduce(into state: inout First.State, mutation: First.Mutation) {
    First.reduce(into: &state, mutation: mutation)
    Second.reduce(into: &state, mutation: mutation)
  }

  /// The first plan that is not ``Plan/concurrent``.
  @inlinable
  public func plan(for action: First.Action, state: First.State) -> Plan {
    let plan = first.plan(for: action, state: state)
    return plan.isConcurrent ? second.plan(for: action, state: state) : plan
  }

  /// The first closing mutation there is.
  @inlinable
  public func closing(_ action: First.Action, outcome: Outcome) -> First.Mutation? {
    first.closing(action, outcome: outcome) ?? second.closing(action, outcome: outcome)
  }
}

extension Decision {
  /// This decision and another one on the same state, as one.
  @inlinable
  func joined(with other: Decision) -> Decision {
    if case .reject = next { return self }
    if case .reject = other.next { return other }
    let next: DecisionNext = handles || other.handles ? .handle(both(children, other.children)) : .finish
    switch (decided, other.decided) {
    case (_, .none): return Decision(decided, then: next, of: child)
    case (.none, _): return Decision(other.decided, then: next, of: other.child)
    default: return Decision(.many(mutations + other.mutations), then: next)
    }
  }
}

/// The children of both.
@usableFromInline
func both(_ first: DecisionNext.Children?, _ second: DecisionNext.Children?) -> DecisionNext.Children? {
  guard let first, let second else { return first ?? second }
  return { first() + second() }
}

extension Effect {
  /// This effect and that of another part, side by side; a part without a handler is skipped.
  @usableFromInline
  func joined(with other: Effect) -> Effect {
    switch (content, other.content) {
    case (_, .notHandled): return self
    case (.notHandled, _): return other
    case (.body, _), (_, .body): break
    default: return .sequence(knownMutations + other.knownMutations)
    }
    return Effect { run in
      let isHandled = try await withThrowingTaskGroup(of: Bool.self) { group in
        for effect in [self, other] {
          group.addTask {
            do { try await effect.perform(in: run) } catch is NotHandled { return false }
            return true
          }
        }
        return try await group.reduce(false) { $0 || $1 }
      }
      if !isHandled { throw NotHandled() }
    }
  }

  private var knownMutations: [I.Mutation] {
    switch content {
    case .one(let mutation): [mutation]
    case .known(let mutations): mutations
    case .body, .notHandled: []
    }
  }
}
